"""What a test looks at: where the stand-in is, how it is set, and what it saw."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.wire.calling import Caller
from tests.wire.clock import Clock, guild_id_of_shard
from tests.wire.connection import Connection
from tests.wire.faults import Faults
from tests.wire.gateway import Gateway
from tests.wire.people import Json
from tests.wire.recorded import Identify, Request, Resume
from tests.wire.rest import BASE
from tests.wire.world import Settings, World

PATIENCE_S = 60.0  # for what comes at once, unless this machine is busy


class Observed:
    """Everything that is only looked at, or set before a bot comes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._gateway = Gateway(world)
        self.uncalled = ""  # why the last call over HTTP failed
        world.announce = self._gateway.dispatch

    @property
    def caller(self) -> Caller:
        """Discord as it calls over HTTP, once it was given an address."""
        return self.world.caller

    @property
    def api_base(self) -> str:
        return self.world.origin + BASE

    @property
    def gateway_url(self) -> str:
        return self.world.gateway_url

    @property
    def token(self) -> str:
        """The one token that is accepted."""
        return self.world.bot.token

    @property
    def application_id(self) -> str:
        return self.world.bot.id

    @property
    def settings(self) -> Settings:
        return self.world.settings

    @property
    def faults(self) -> Faults:
        return self.world.faults

    @property
    def clock(self) -> Clock:
        """Its `skip` lets three seconds or fifteen minutes pass at once."""
        return self.world.clock

    @property
    def guild_id(self) -> str:
        return self.world.places.guild_id

    def guild_of_shard(self, shard_id: int, shard_count: int) -> str:
        """A new guild that this shard hears of; the bot is a member."""
        guild_id = guild_id_of_shard(shard_id, shard_count)
        self.world.guilds.append(guild_id)
        return guild_id

    @property
    def requests(self) -> list[Request]:
        return self.world.requests

    def requests_to(self, route: str, method: str | None = None) -> list[Request]:
        """The calls of one route, by its template."""
        return [
            each for each in self.requests if each.route == route and method in (None, each.method)
        ]

    @property
    def invalid_requests(self) -> int:
        """Those that count towards a ban: 10,000 in ten minutes."""
        return sum(each.status in (401, 403, 429) for each in self.requests)

    @property
    def identifies(self) -> list[Identify]:
        return self.world.identifies

    @property
    def resumes(self) -> list[Resume]:
        return self.world.resumes

    @property
    def connections(self) -> list[Connection]:
        return self._gateway.connections

    @property
    def violations(self) -> list[str]:
        """Every limit and shape that a payload broke, and every rule of the gateway."""
        return self.world.violations.sentences

    def expect_violations(self) -> list[str]:
        """The violations; the test means them, so they do not fail it at its end."""
        self.world.violations.expected = True
        return self.violations

    @property
    def commands(self) -> list[Json]:
        """The global commands, as Discord has them."""
        return self.world.commands.of()

    @commands.setter
    def commands(self, bodies: Sequence[Mapping[str, Any]]) -> None:
        self.world.commands.preset(bodies)

    async def until(
        self,
        holds: Callable[[], bool],
        timeout: float = PATIENCE_S,  # noqa: ASYNC109
        what: str = "something to hold",
    ) -> None:
        """Wait until something holds of the calls, sessions or sockets."""
        await self.world.changed.until(holds, timeout, what)

    async def ready(self, sessions: int = 1, timeout: float = PATIENCE_S) -> None:  # noqa: ASYNC109
        """Wait until so many sessions are ready or resumed."""
        await self.until(
            lambda: len(self._gateway.live) >= sessions, timeout, f"{sessions} ready session(s)"
        )
