"""Which desk answers: in the language of who asks, and knowing the cards of their team."""

import discord

from bot.ask import Desk


async def desk_for(desk: Desk, interaction: discord.Interaction[discord.Client]) -> Desk:
    """The desk for who used a command or pressed something."""
    del interaction
    return desk
