"""Which desk answers: in the language of who asks, and knowing the cards of their team."""

import asyncio

import discord

from bot.ask import Desk
from bot.asking import opened
from bot.languages import spoken_in
from bot.locale import ENGLISH
from bot.owners import owner_of, owner_of_message
from bot.reading.languages import told_language
from bot.store.owner import Owner

Interaction = discord.Interaction[discord.Client]


def spoken(desk: Desk, interaction: Interaction) -> Desk:
    """The desk that answers in the language of who used a command or pressed something."""
    return desk.speaking(spoken_in(interaction.locale.value))


async def speaking(desk: Desk, interaction: Interaction) -> Desk:
    """The same, where that language may have to be read first."""
    return await _speaking(desk, spoken_in(interaction.locale.value))


async def desk_for(desk: Desk, interaction: Interaction, *, to_ask: bool = False) -> Desk:
    """The desk for who used a command or pressed something.

    Right after a start a desk is still made, aside; it is waited for here, unless it is `to_ask`:
    then by who asks it, and meanwhile Discord can be told that an answer will come.
    """
    if not to_ask:
        await opened(desk)
    return await _of_team(await speaking(desk, interaction), owner_of(interaction))


async def desk_below(desk: Desk, message: discord.Message, text: str) -> Desk:
    """The desk for a message, whose author's language Discord does not tell: that of `text`.

    Where the words tell none, as in a bare `7B lora`, it is the server's own.
    """
    await opened(desk)
    own = None if message.guild is None else message.guild.preferred_locale.value
    language = told_language(text) or spoken_in(own or ENGLISH)
    return await _of_team(await _speaking(desk, language), owner_of_message(message))


async def _speaking(desk: Desk, language: str) -> Desk:
    """The desk of a language; the first time its file is read aside, and others are answered."""
    if desk.has_spoken(language):
        return desk.speaking(language)
    return await asyncio.get_running_loop().run_in_executor(None, desk.speaking, language)


async def _of_team(desk: Desk, owner: Owner) -> Desk:
    """The desk that knows the owner's cards, where there are some and they can be had soon."""
    team = None if desk.store is None else await desk.store.team_soon(owner)
    return desk if team is None else desk.of_team(team)
