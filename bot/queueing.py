"""Who is asked when a shard may begin a session, where several processes share one token.

- The store: any number of processes at one PostgreSQL server, or of one machine at one SQLite
  file. It counts the hour too, also over restarts.
- A service: `GET <address>?shard=<id>` is answered with 200 as soon as that shard may go, as
  https://github.com/twilight-rs/gateway-queue does. It may take its time.

One that is down is tried again for some seconds. Then the shard goes alone: a queue keeps
processes out of each other's way, which saves tries, and a bot that waits for it is silent.
Discord refuses who comes too near another, which is tried again; and each process keeps to its
part of the hour by itself.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from aiohttp import ClientError, ClientSession, ClientTimeout
from yarl import URL

from bot.config import Settings
from bot.pace import Pace, Part, Queue, SpentError
from bot.sections import IN_STORE, LOCAL
from bot.store.database import Database
from bot.store.faults import StoreFault
from bot.store.identifies import Asked, take_turn
from bot.store.store import Store

log = logging.getLogger(__name__)

T = TypeVar("T")

OK = 200
PAUSES_S = (0.0, 0.5, 1.0, 2.0)  # before each try
CONNECT_S = 2.0  # for a service to take the connection
APART = 1.06  # of the gap: who has its turn may be a little late
MOST_WAITS = 3  # for a service that takes connections and answers none, until it counts as down


class QueueDown(Exception):
    """The text says in what way."""


class FarError(SpentError, TimeoutError):
    """The turn is too far off for one connection; as one that timed out, the shard comes again."""


class StoreQueue:
    """Turns that are written down in the store."""

    counts_hours = True

    def __init__(self, database: Database) -> None:
        self._database = database

    async def turn(self, pace: Pace, shard_id: int, *, patience_s: float) -> bool:
        """Wait for a turn; see `bot.pace.Queue`."""
        part, rules = pace.part or Part(), pace.together
        apart = replace(rules, gap_s=APART * rules.gap_s)
        asked = Asked(part.application_id, shard_id % part.concurrency, patience_s)
        wait_s = await _tried(
            lambda: self._take(partial(take_turn, asked=asked, rules=apart)), pace
        )
        if wait_s is None:
            return False
        if wait_s > patience_s:
            raise FarError(wait_s)
        await pace.sleep(wait_s)
        return True

    async def _take(self, work: Callable[..., float]) -> float:
        try:
            return await self._database.run(work)
        except StoreFault as fault:
            raise QueueDown(f"the store: {fault.key}") from None


class ServiceQueue:
    """Turns that a service gives."""

    counts_hours = False

    def __init__(self, address: str) -> None:
        self._address = URL(address)
        self._waits = 0  # without an answer, one after another

    async def turn(self, pace: Pace, shard_id: int, *, patience_s: float) -> bool:
        """Wait for a turn; see `bot.pace.Queue`."""
        return await _tried(lambda: self._ask(pace, shard_id, patience_s), pace) is not None

    async def _ask(self, pace: Pace, shard_id: int, patience_s: float) -> bool:
        timeout = ClientTimeout(total=patience_s or None, sock_connect=CONNECT_S)
        address = self._address.with_query(shard=shard_id)
        try:
            async with (
                ClientSession(timeout=timeout) as session,
                session.get(address, allow_redirects=False) as response,
            ):
                self._waits = 0
                if response.status == OK:
                    return True
                raise QueueDown(f"it answers {response.status}")
        except ClientError as error:
            raise QueueDown(type(error).__name__) from None
        except TimeoutError:  # it is there, and others come first; or it hangs
            self._waits += 1
            if self._waits >= MOST_WAITS:
                raise QueueDown("it answers nothing") from None
            raise FarError(pace.gap_s) from None


def queue_of(settings: Settings, store: Store | None) -> Queue | None:
    """The queue that the settings name; None where this process goes by itself."""
    match settings.discord.identify_queue:
        case str(said) if said == LOCAL:
            return None
        case str(said) if said == IN_STORE:
            return None if store is None else StoreQueue(store.database)
        case address:
            return ServiceQueue(address)


async def _tried(ask: Callable[[], Awaitable[T]], pace: Pace) -> T | None:
    """What it says; None where it is down, which the log then says once."""
    why = ""
    for pause_s in PAUSES_S:
        await pace.sleep(pause_s)
        try:
            return await ask()
        except QueueDown as down:
            why = str(down)
    log.warning("the queue that says when shards begin is down (%s): this one goes alone", why)
    return None
