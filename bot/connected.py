"""The client's connections: where to, with which shards, and whether they hear Discord."""

import logging
from collections import deque
from collections.abc import Sequence
from time import monotonic

import discord
import yarl
from discord.gateway import DiscordWebSocket

from bot.gateway import ask_gateway, stay_at
from bot.hearing import INTENTS
from bot.ops.metrics import DROPS, IDENTIFIES, RESUMES
from bot.ops.requests import counting
from bot.ops.sharding import shard_of
from bot.ops.shards import ShardState, close_code, shard_states
from bot.pace import Pace, Part, SpentError
from bot.sections import DiscordSettings
from bot.shard import SteadyClient

log = logging.getLogger(__name__)

IN_HOOK_S = 50  # discord.py gives a connect a minute
SILENT_S = 60  # without a word on a socket, which has one each 41 s; then it is left
MOST_DROPS, DROPS_S = 10, 60  # connections of a shard that may break, in so many seconds


class ConnectedClient(SteadyClient):
    """Needs no privileged intent, pings nobody, and keeps no messages or members."""

    def __init__(self, settings: DiscordSettings, pace: Pace) -> None:
        super().__init__(
            intents=INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            shard_count=None if settings.shard_count == "auto" else settings.shard_count,
            max_messages=None,
            guild_ready_timeout=0,
            heartbeat_timeout=SILENT_S,
            http_trace=counting(),
        )
        self.shard_ids = None if settings.shard_ids is None else [*settings.shard_ids]
        if settings.gateway_url is not None:
            stay_at(self.http, yarl.URL(settings.gateway_url))
        self._settings = settings
        self._pace = pace
        self._in_session: set[int] = set()
        self._drops: deque[float] = deque()  # when connections broke, in the last while
        self.sessions = 0  # that were begun or gone on with

    @property
    def asks_for_shards(self) -> bool:
        """Whether Discord says how many shards there are, anew for each client."""
        return self._settings.shard_count == "auto"

    async def _find_gateway(self) -> None:
        """Ask Discord for the number of shards and the address, where settings leave them open."""
        shards, own = self.shard_count, self._settings.gateway_url
        if shards is None or own is None:
            told = await ask_gateway(self.http, shards=shards, address=own)
            if wait_s := told.wait_s(self._pace.an_hour):
                raise SpentError(wait_s)
            shards, address, concurrency = told.shards, told.address, told.concurrency
        else:
            address, concurrency = yarl.URL(own), 1
        self.shard_count = shards
        own_shards, application_id = self._own_shards, self.application_id or 0
        self._pace.part = Part(len(own_shards), shards, concurrency, application_id)
        await self._pace.check(own_shards[0], patience_s=IN_HOOK_S)
        DiscordWebSocket.DEFAULT_GATEWAY = address

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """IDENTIFYs are few a day: each waits for its turn.

        Where that is too long for one connection, this client ends; or the shard comes again, where
        it is only others' turn.
        """
        del initial
        await self._pace.turn(shard_id or 0, patience_s=IN_HOOK_S)
        IDENTIFIES.add()

    @property
    def hears_discord(self) -> bool:
        """Whether every shard has a session whose heartbeats are acknowledged.

        An open socket alone may be refused again, or have nobody behind it.
        """
        states = self.shard_states()
        return bool(states) and all(state.is_ready for state in states)

    def shard_states(self) -> list[ShardState]:
        """How each shard is."""
        return shard_states(self.shards, self._in_session)

    def in_session(self, shard_id: int) -> bool:
        return shard_id in self._in_session

    async def on_shard_connect(self, shard_id: int) -> None:
        self._in_session.add(shard_id)
        self.sessions += 1

    async def on_shard_resumed(self, shard_id: int) -> None:
        RESUMES.add()
        await self.on_shard_connect(shard_id)

    async def on_shard_disconnect(self, shard_id: int) -> None:
        """discord.py resumes without a wait; a client that breaks all the time is left."""
        if shard_id not in self._in_session:
            return
        self._in_session.discard(shard_id)
        DROPS.add(close_code(self.shards.get(shard_id)))
        now = monotonic()
        self._drops.append(now)
        while now - self._drops[0] > DROPS_S:
            self._drops.popleft()
        if len(self._drops) > MOST_DROPS * len(self.shards):
            log.error("%d connections broke in %d s: a new client waits first", MOST_DROPS, DROPS_S)
            await self.close()

    @property
    def _own_shards(self) -> Sequence[int]:
        """This process's; the others' servers are never heard of here."""
        return self.shard_ids or range(self.shard_count or 1)

    def _is_ours(self, guild_id: int) -> bool:
        return shard_of(guild_id, self.shard_count or 1) in self._own_shards
