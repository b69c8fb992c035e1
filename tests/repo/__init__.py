"""What holds of the whole repository."""
