"""`/vram oom`: why memory ran out, from the message that says so, and what to do."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.slash import Flag, Interaction, Query, reply
from bot.surface.limits import MOST_PASTED

NAME = "oom"
Pasted = app_commands.Range[str, 1, MOST_PASTED]


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; `settings` say what ran, and win over words around the message."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    async def oom(
        interaction: Interaction,
        query: Pasted,
        settings: Query | None = None,
        private: Flag = None,
    ) -> None:
        given = {"settings": settings, "private": private}
        await reply(interaction, desk, NAME, query, given)

    return oom
