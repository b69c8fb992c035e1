"""`/vram fit`: what the cards that are there can train and run, as tables."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.reading.suggest import Named
from bot.slash import (
    METHODS,
    STRATEGIES,
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

NAME = "fit"


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; its options win over the words of `query`."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.choices(
        task=fixed(list(Task)),
        method=fixed(METHODS),
        strategy=fixed(STRATEGIES),
        engine=fixed(desk.engines),
    )
    @app_commands.autocomplete(
        query=listing_of_query(desk, NAME),
        model=listing_of(desk, Named.MODEL),
        precision=listing_of(desk, Named.FORMAT),
        gpus=listing_of(desk, Named.CARD),
    )
    async def fit(  # noqa: PLR0917  (Discord shows them in this order)
        interaction: Interaction,
        query: Query,
        task: str | None = None,
        model: Words | None = None,
        method: str | None = None,
        precision: Words | None = None,
        batch: Count | None = None,
        seq: Count | None = None,
        context: Count | None = None,
        users: Count | None = None,
        strategy: str | None = None,
        engine: str | None = None,
        gpus: Words | None = None,
        private: Flag = None,
    ) -> None:
        given = {
            "task": task,
            "model": model,
            "method": method,
            "precision": precision,
            "batch": batch,
            "seq": seq,
            "context": context,
            "users": users,
            "strategy": strategy,
            "engine": engine,
            "gpus": gpus,
            "private": private,
        }
        await reply(interaction, desk, NAME, query, given)

    return fit
