"""Telling Discord that an answer will come, and remembering that it was told.

discord.py remembers what it heard back. Where the connection broke before that, Discord knows of
it all the same, and takes nothing any more but what follows an announcement.
"""

from typing import Any

import discord

from bot.delivery import Outcome, deliver

Interaction = discord.Interaction[Any]
ANNOUNCED = "announced"  # in the extras of an interaction


async def announce(interaction: Interaction, what: str, **how: bool) -> bool:
    """Tell it, `how` as discord.py says it; whether Discord knows of it now."""
    defer = interaction.response.defer
    outcome = await deliver(lambda: defer(**how), f"{what}, announced")
    if outcome in (Outcome.THROUGH, Outcome.ACKNOWLEDGED):
        interaction.extras[ANNOUNCED] = True
    return is_announced(interaction)


def is_announced(interaction: Interaction) -> bool:
    """Whether something was answered, so that what follows is a message of its own, or an edit."""
    return ANNOUNCED in interaction.extras or interaction.response.is_done()
