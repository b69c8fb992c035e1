"""Models that no table has, looked up on the Hugging Face Hub: what it says is data."""
