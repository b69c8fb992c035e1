"""The client's connections: where to, with which shards, and whether they hear Discord."""

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

import discord
import yarl
from aiohttp import WSCloseCode
from discord.gateway import DiscordWebSocket

from bot.gateway import ask_gateway, resuming_at, stay_at
from bot.handover import Handover
from bot.hearing import INTENTS
from bot.membership import known_again, servers_of
from bot.ops.metrics import DROPS, IDENTIFIES, RESUMES
from bot.ops.requests import counting
from bot.ops.sharding import shard_of
from bot.ops.shards import ShardState, close_code, shard_states
from bot.pace import Pace, Part, SpentError
from bot.sections import DiscordSettings
from bot.shard import SteadyClient
from bot.store.sessions import Whose

log = logging.getLogger(__name__)

IN_HOOK_S = 50  # discord.py gives a connect a minute
SILENT_S = 60  # without a word on a socket, which has one each 41 s; then it is left
LEFT_OPEN = 4000  # as any code but 1000 and 1001, a goodbye after which a session can go on
MOST_DROPS, DROPS_S = 10, 60  # connections of a shard that may break, in so many seconds


class ConnectedClient(SteadyClient):
    """Needs no privileged intent, pings nobody, and keeps no messages or members."""

    def __init__(
        self, settings: DiscordSettings, pace: Pace, handover: Handover | None = None
    ) -> None:
        """`handover`: of sessions, from process to process; None where each begins its own."""
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
        self._handover = handover
        self._in_session: set[int] = set()
        self._unready: set[int] = set()  # shards that go on with a session whose READY another had
        self._begin = self._connection.parsers["READY"]
        self._drops: deque[float] = deque()  # when connections broke, in the last while
        self.sessions = 0  # that were begun or gone on with

    @property
    def asks_for_shards(self) -> bool:
        """Whether Discord says how many shards there are, anew for each client."""
        return self._settings.shard_count == "auto"

    async def _find_gateway(self) -> None:
        """Ask Discord for the number of shards and the address, where settings leave them open."""
        shards, own = self.shard_count, self._settings.gateway_url
        wait_s = 0.0
        if shards is None or own is None:
            told = await ask_gateway(self.http, shards=shards, address=own)
            wait_s = told.wait_s(self._pace.an_hour)
            shards, address, concurrency = told.shards, told.address, told.concurrency
        else:
            address, concurrency = yarl.URL(own), 1
        self.shard_count = shards
        own_shards, application_id = self._own_shards, self.application_id or 0
        self._pace.part = Part(len(own_shards), shards, concurrency, application_id)
        await self._inherit(address)
        if len(self.inherited) < len(own_shards):  # the others have to begin
            if wait_s:
                raise SpentError(wait_s)
            await self._pace.check(own_shards[0], patience_s=IN_HOOK_S)
        DiscordWebSocket.DEFAULT_GATEWAY = address

    async def _inherit(self, gateway: yarl.URL) -> None:
        """Take over the sessions that the process before left, and the servers that they know."""
        if self._handover is None:
            return
        taken = await self._handover.take(self._whose, self._own_shards)
        self.inherited = {
            shard_id: replace(left, url=str(resuming_at(left.url, gateway)))
            for shard_id, left in taken.items()
        }
        self._unready = {*taken}
        known_again(self._connection, (one for left in taken.values() for one in left.guilds))

    async def leave(self) -> None:
        """Before an end: hear nothing more, and leave the sessions to who comes next."""
        self._in_session.clear()
        if self._handover is None:
            await self.leave_shards(WSCloseCode.OK)
            return
        left = await self.leave_shards(LEFT_OPEN)
        servers = servers_of(self.guilds, self.shard_count or 1)
        await self._handover.leave(
            self._whose, [replace(one, guilds=servers.get(one.shard_id, ())) for one in left]
        )

    @property
    def _whose(self) -> Whose:
        return Whose(self.application_id or 0, self.shard_count or 1, self.intents.value)

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
        self._unready.discard(shard_id)
        self._in_session.add(shard_id)
        self.sessions += 1

    async def on_shard_resumed(self, shard_id: int) -> None:
        RESUMES.add()
        if shard_id in self._unready and self.user is not None:
            # What READY brings is known by now; discord.py is ready once each shard had one.
            own = self.user._to_minimal_user_json()  # noqa: SLF001
            self._begin({"shard": [shard_id, self.shard_count], "user": own, "guilds": []})
        else:
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
