"""`/vram compare`: several runs side by side, and what differs between them."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.reading.suggest import Named
from bot.slash import (
    Count,
    Flag,
    Interaction,
    Query,
    Words,
    fixed,
    listing_of,
    listing_of_query,
    reply,
)
from estimator import Task

NAME = "compare"


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; its options hold for all that is compared, and win over `query`."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.choices(task=fixed(list(Task)))
    @app_commands.autocomplete(
        query=listing_of_query(desk, NAME),
        model=listing_of(desk, Named.MODEL),
        gpus=listing_of(desk, Named.CARD),
    )
    async def compare(  # noqa: PLR0917  (Discord shows them in this order)
        interaction: Interaction,
        query: Query,
        task: str | None = None,
        model: Words | None = None,
        batch: Count | None = None,
        seq: Count | None = None,
        context: Count | None = None,
        users: Count | None = None,
        gpus: Words | None = None,
        private: Flag = None,
    ) -> None:
        given = {
            "task": task,
            "model": model,
            "batch": batch,
            "seq": seq,
            "context": context,
            "users": users,
            "gpus": gpus,
            "private": private,
        }
        await reply(interaction, desk, NAME, query, given)

    return compare
