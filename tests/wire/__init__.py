"""The bot over the wire: a stand-in for Discord, and what Discord allows."""
