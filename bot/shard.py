"""One connection to Discord, which goes on with its session wherever that can be.

discord.py alone gives a session up where one connect fails, sleeps up to 17 minutes, makes the
other shards wait meanwhile, and says RESUME for ever to who refuses it. Here a shard comes back
by itself: at once, then again and again; at another address where one is dead; and with a
session of its own where the old one is refused. What no other try can mend ends the client at
once, also before HELLO.

Rests on what discord.py keeps to itself, so `tests/bot/test_shard.py` looks that it is there.
"""

import asyncio
import logging
import random
from asyncio import sleep
from collections.abc import Callable, Collection
from typing import Any

import aiohttp
from aiohttp import WSCloseCode
from discord.errors import ConnectionClosed
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import AutoShardedClient, EventItem, EventType, Shard
from yarl import URL

from bot.sockets import SteadySocket
from bot.store.sessions import Left

log = logging.getLogger(__name__)

AGAIN_S = 0.5  # between two tries at first, for so many of them; then twice that, and again
QUICK_TRIES = 12  # some five seconds: a network that was away for a moment is back
LONGEST_S = 8.0  # between two tries; a client that is away for long is replaced anyway
REFUSALS = 2  # RESUMEs that brought no session, after which a new one is asked for
OPEN_S = 10.0  # for a connect that goes on with a session: a silent peer is left
BEGIN_S = 30.0  # for READY or RESUMED after the socket is open; Discord says it in a few

FAILS = (OSError, aiohttp.ClientError, TimeoutError, ReconnectWebSocket)  # and may not next time
OURS = (EventType.resume, EventType.identify, EventType.reconnect)  # the rest ends the client


def wait_s(tries: int) -> float:
    """Seconds before a try, when so many have failed: half of the step, and up to all."""
    if tries == 0:
        return 0.0
    step_s = min(LONGEST_S, AGAIN_S * 2.0 ** min(max(0, tries - QUICK_TRIES), 30))
    return step_s * random.uniform(0.5, 1.0)  # noqa: S311  (jitter, no secret)


class SteadyClient(AutoShardedClient):
    """Its shards come back by themselves; who inherits knows which are in a session."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  (discord.py's own)
        super().__init__(**settings)
        self.identifying = asyncio.Lock()  # one shard after another
        self.inherited: dict[int, Left] = {}  # sessions of the process before
        self._ending = False  # no shard begins any more

    def in_session(self, shard_id: int) -> bool:
        """Whether Discord has said READY or RESUMED to it, and the socket stands."""
        raise NotImplementedError

    async def leave_shards(self, code: int) -> list[Left]:
        """Close all sockets with this code; the sessions that were on them, or were inherited."""
        self._ending = True
        there: Collection[SteadyShard] = vars(self)["_AutoShardedClient__shards"].values()
        found = await asyncio.gather(*(one.leave(code) for one in there))
        unused, self.inherited = self.inherited, {}
        return [*unused.values(), *(one for one in found if one is not None)]

    async def launch_shard(self, gateway: URL, shard_id: int, *, initial: bool = False) -> None:
        """Connect for the first time, however often that takes, or go on with what is inherited.

        Raises what ends a client: discord.py would try again where that is in vain.
        """
        ws, tries, left = None, 0, self.inherited.pop(shard_id, None)
        while ws is None:
            if self._ending:
                return
            connecting = SteadySocket.from_client(
                self,
                initial=initial,
                gateway=gateway if left is None or tries else URL(left.url),
                shard_id=shard_id,
                session=None if left is None else left.id,
                sequence=None if left is None else left.seq,
                resume=left is not None,
            )
            try:
                ws = await asyncio.wait_for(connecting, self.shard_connect_timeout)
            except FAILS as error:
                log.warning("shard %d: no connection (%s)", shard_id, type(error).__name__)
                tries += 1
                await sleep(wait_s(tries))
        if self._ending:  # since a moment ago: nobody else knows of this socket
            await ws.close()
            return
        inside = vars(self)
        shard = SteadyShard(ws, self, inside["_AutoShardedClient__queue"].put_nowait)
        inside["_AutoShardedClient__shards"][shard_id] = shard
        shard.launch()


class SteadyShard(Shard):
    """Comes back by itself; only what ends the client goes to discord.py's queue."""

    def __init__(
        self,
        ws: DiscordWebSocket,
        client: SteadyClient,
        queue_put: Callable[[EventItem], None],
    ) -> None:
        super().__init__(ws, client, self._take)
        self._ends = queue_put
        self._steady = client
        self._tries = 0  # since there was a session
        self._refusals = 0
        self._opened = True  # whether the last try came as far as an open socket
        self._coming: asyncio.Task[None] | None = None

    def launch(self) -> None:
        """Listen to the socket, and leave it where no session comes of it.

        A connect that came through just when it was given up is of no use to anybody.
        """
        if self._client.is_closed():
            self._leaving = self._client.loop.create_task(self.ws.close(code=WSCloseCode.OK))
            return
        self._opened = True
        super().launch()
        self._client.loop.call_later(BEGIN_S, self._look, self.ws)

    async def close(self) -> None:
        """End, also in the middle of a try."""
        if self._coming is not None:
            self._coming.cancel()
        await super().close()

    async def leave(self, code: int) -> Left | None:
        """End, and hear nothing more; the session as it was then, or None without one.

        What has come and was not read yet counts as not heard: Discord sends it again.
        """
        if self._coming is not None:
            self._coming.cancel()
        self._cancel_task()
        ws = self.ws
        await ws.close(code=code)
        if ws.session_id is None or ws.sequence is None:
            return None
        return Left(self.id, ws.session_id, ws.sequence, str(ws.gateway))

    def _take(self, item: EventItem) -> None:
        """What discord.py has its client do about this shard; not always its next step."""
        if item.type in OURS:
            resume = item.type != EventType.identify
            self._coming = self._client.loop.create_task(self._again(resume=resume))
        else:
            self._ends(item)

    async def _again(self, *, resume: bool) -> None:
        """One more try; what becomes of it comes back to `_take`, or is a session."""
        if self._steady.in_session(self.id):
            self._tries = self._refusals = 0
        elif self._opened:
            self._refusals += 1
        tries, self._tries = self._tries, self._tries + 1
        self._opened = False
        await sleep(wait_s(tries))
        if self._client.is_closed():
            return
        if self._refusals >= REFUSALS or not resume:
            self.ws.session_id = None
        if self.ws.session_id is not None:
            await self._resume()
        else:
            self._refusals = 0
            async with self._steady.identifying:  # each may wait long for its turn
                await self.reidentify(ReconnectWebSocket(self.id, resume=False))

    async def _resume(self) -> None:
        async with asyncio.timeout(None) as limit:
            limit.reschedule(self._client.loop.time() + OPEN_S)
            await self.reidentify(ReconnectWebSocket(self.id, resume=True))
        if limit.expired():  # discord.py ends without a word where it is cancelled
            await self._handle_disconnect(TimeoutError("no HELLO"))

    async def _handle_disconnect(self, e: Exception) -> None:
        """A connect failed: the address may be dead, the session need not be."""
        if isinstance(e, ConnectionClosed) or not self._reconnect:
            await super()._handle_disconnect(e)
        elif not self._client.is_closed():
            self.ws.gateway = DiscordWebSocket.DEFAULT_GATEWAY
            self._take(EventItem(EventType.resume, self, e))

    def _look(self, ws: DiscordWebSocket) -> None:
        """Leave a socket that is open, and on which no session has begun."""
        if self.ws is ws and ws.open and not self._steady.in_session(self.id):
            self._leaving = self._client.loop.create_task(ws.close(code=4000))
