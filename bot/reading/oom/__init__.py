"""Out-of-memory messages, as each program prints them → what they say."""
