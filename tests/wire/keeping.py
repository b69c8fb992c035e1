"""A bot on a stand-in that keeps things, in an SQLite file of the test's own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.ask import open_desk
from bot.store.chosen import store_in
from bot.store.faults import StoreFault
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store
from tests.store.opened import opened
from tests.wire.our_bot import Running, ready
from tests.wire.standin import Person, StandIn


@dataclass(frozen=True)
class Keeping:
    """`boss` may manage the guild, `member` may not; `guild` owns what is kept there."""

    running: Running
    store: Store
    guild: Owner
    boss: Person
    member: Person


@asynccontextmanager
async def keeping(standin: StandIn, folder: Path) -> AsyncIterator[Keeping]:
    """The bot, connected; what it keeps lies in `folder`."""
    own = store_in(folder)
    with suppress(StoreFault):
        await opened(own)
    try:
        async with ready(standin, desk=open_desk(store=own)) as running:
            yield Keeping(
                running,
                own,
                Owner(OwnerKind.GUILD, int(standin.guild_id)),
                standin.person("boss", manages=True),
                standin.person("member"),
            )
    finally:
        await own.database.close()
