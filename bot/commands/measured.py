"""`/vram measured`: a measured peak beside its estimate, kept, and how far off records are."""

from typing import Any

from discord import app_commands

from bot.ask import Desk
from bot.desks import desk_for
from bot.measuring.measuring import NAME, Recorder, measured
from bot.measuring.peaks import MOST_TYPED
from bot.owners import owner_of
from bot.saying import say
from bot.slash import Flag, Interaction, Query, fixed, listing_of_query
from estimator import Statistic

Peak = app_commands.Range[str, 1, MOST_TYPED]


def command(desk: Desk) -> app_commands.Command[Any, ..., None]:
    """The subcommand; without a `peak` it says how to measure one."""
    words = desk.locale.commands[NAME]

    @app_commands.command(name=NAME, description=words.description)
    @app_commands.describe(**words.options)
    @app_commands.choices(kind=fixed(list(Statistic)))
    @app_commands.autocomplete(query=listing_of_query(desk, NAME))
    async def measured_(
        interaction: Interaction,
        query: Query,
        peak: Peak | None = None,
        kind: str | None = None,
        private: Flag = None,
    ) -> None:
        own = await desk_for(desk, interaction)
        recorder = Recorder(owner_of(interaction), interaction.user.id)
        coming = measured(own, query, peak, kind or "", recorder)
        await say(interaction, own, coming, f"/vram {NAME}", private=bool(private))

    return measured_
