"""`/vram infer`: the memory of running a model."""

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

TASK = "infer"
CACHES = ("fp16", "bf16", "fp8", "int8", "Q8_0", "Q4_0")


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; its options win over the words of `query`."""
    words = desk.locale.commands[TASK]

    @app_commands.command(name=TASK, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.choices(kv=fixed(CACHES), engine=fixed(desk.engines))
    @app_commands.autocomplete(
        query=listing_of_query(desk, TASK),
        model=listing_of(desk, Named.MODEL),
        precision=listing_of(desk, Named.FORMAT),
        gpus=listing_of(desk, Named.CARD),
    )
    async def infer(  # noqa: PLR0917  (Discord shows them in this order)
        interaction: Interaction,
        query: Query,
        model: Words | None = None,
        precision: Words | None = None,
        context: Count | None = None,
        users: Count | None = None,
        gpus: Words | None = None,
        kv: str | None = None,
        engine: str | None = None,
        private: Flag = None,
    ) -> None:
        given = {
            "model": model,
            "precision": precision,
            "context": context,
            "users": users,
            "gpus": gpus,
            "kv": kv,
            "engine": engine,
            "private": private,
        }
        await reply(interaction, desk, TASK, query, given)

    return infer
