"""What is kept of a server that the bot is no longer in, erased.

Discord says so as it happens, to who is connected. Who was not, or could not write then, finds
the server missing later: twice, an hour apart, so that no outage of Discord's erases anything.

A process that has only some of the shards hears of their servers alone, so it misses no others.
"""

import asyncio
import logging
from collections.abc import Callable, Collection

from bot.store.faults import StoreFault
from bot.store.owner import Owner, OwnerKind
from bot.store.store import Store

log = logging.getLogger(__name__)

EVERY_S = 3_600.0


class Leaving:
    """Erases what servers left behind."""

    def __init__(self, store: Store, ours: Callable[[int], bool]) -> None:
        """`ours`: whether a server's shard is one of this process's."""
        self._store = store
        self._ours = ours
        self._missed: frozenset[int] = frozenset()

    async def left(self, guild_id: int) -> None:
        """The bot was removed from a server."""
        try:
            await self._store.forget(Owner(OwnerKind.GUILD, guild_id))
        except StoreFault as fault:
            log.warning("what is kept of a server that was left stays for now: %s", fault.key)

    async def look(self, there: Collection[int]) -> None:
        """`there`: our servers that the bot is in; erase what is of none, also the last time."""
        try:
            kept = await self._store.guilds()
        except StoreFault as fault:
            log.warning("the servers that something is kept of are not known: %s", fault.key)
            return
        missed = frozenset(one for one in kept - frozenset(there) if self._ours(one))
        for guild_id in missed & self._missed:
            await self.left(guild_id)
        self._missed = missed

    async def look_hourly(self, there: Callable[[], Collection[int] | None]) -> None:
        """Never ends. `there` gives None while that is not known."""
        while True:
            found = there()
            if found is not None:
                await self.look(found)
            await asyncio.sleep(EVERY_S)
