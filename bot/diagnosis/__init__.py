"""What an out-of-memory message means: what was full, why, and what to do. Pure."""
