"""The bot, one test file a module."""
