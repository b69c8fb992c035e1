"""How much the bot bears and costs, beside a bot of discord.py that knows one answer."""
