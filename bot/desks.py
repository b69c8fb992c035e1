"""Which desk answers: in the language of who asks, and knowing the cards of their team."""

import discord

from bot.ask import Desk
from bot.asking import heard
from bot.languages import spoken_in
from bot.locale import ENGLISH

Interaction = discord.Interaction[discord.Client]


def spoken(desk: Desk, interaction: Interaction) -> Desk:
    """The desk that answers in the language of who used a command or pressed something."""
    return desk.speaking(spoken_in(interaction.locale.value))


async def desk_for(desk: Desk, interaction: Interaction) -> Desk:
    """The desk for who used a command or pressed something."""
    return spoken(desk, interaction)


async def desk_below(desk: Desk, message: discord.Message, text: str) -> Desk:
    """The desk for a message, whose author's language Discord does not tell: that of `text`.

    Where the words tell none, as in a bare `7B lora`, it is the server's own.
    """
    own = None if message.guild is None else message.guild.preferred_locale.value
    return heard(desk, text, spoken_in(own or ENGLISH))
