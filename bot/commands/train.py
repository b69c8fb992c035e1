"""`/vram train`: the memory of a training run."""

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
from estimator import Checkpointing

TASK = "train"
PRECISIONS = ("bf16", "fp16", "fp32", "pure bf16", "nf4", "nf4 double quant", "fp4", "int8", "fp8")


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; its options win over the words of `query`."""
    words = desk.locale.commands[TASK]

    @app_commands.command(name=TASK, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.choices(
        method=fixed(METHODS),
        precision=fixed(PRECISIONS),
        checkpointing=fixed(list(Checkpointing)),
        strategy=fixed(STRATEGIES),
    )
    @app_commands.autocomplete(
        query=listing_of_query(desk, TASK),
        model=listing_of(desk, Named.MODEL),
        optimizer=listing_of(desk, Named.OPTIMIZER),
        gpus=listing_of(desk, Named.CARD),
    )
    async def train(  # noqa: PLR0917  (Discord shows them in this order)
        interaction: Interaction,
        query: Query,
        model: Words | None = None,
        method: str | None = None,
        optimizer: Words | None = None,
        precision: str | None = None,
        batch: Count | None = None,
        seq: Count | None = None,
        gpus: Words | None = None,
        rank: Count | None = None,
        checkpointing: str | None = None,
        strategy: str | None = None,
        private: Flag = None,
    ) -> None:
        given = {
            "model": model,
            "method": method,
            "optimizer": optimizer,
            "precision": precision,
            "batch": batch,
            "seq": seq,
            "gpus": gpus,
            "rank": rank,
            "checkpointing": checkpointing,
            "strategy": strategy,
            "private": private,
        }
        await reply(interaction, desk, TASK, query, given)

    return train
