"""How Discord misbehaves: small named faults, armed for the next N times or until cleared."""

from collections.abc import Iterator
from dataclasses import dataclass, field

CALLBACK = "/interactions/{id}/{token}/callback"


@dataclass
class Switch:
    """One fault of the gateway. `value` is a close code, where the fault has one."""

    left: int | None = 0  # None: until cleared
    fired: int = 0
    value: int | None = None

    def arm(self, times: int | None = None, value: int | None = None) -> None:
        """From now on, for so many times; None is until cleared."""
        self.left = times
        self.value = value

    def clear(self) -> None:
        self.left = 0

    def take(self) -> bool:
        """Whether it strikes now; counts down."""
        if self.left == 0:
            return False
        if self.left is not None:
            self.left -= 1
        self.fired += 1
        return True


@dataclass(frozen=True)
class Status:
    """Answered with a status, as in an outage."""

    status: int
    code: int = 0
    message: str = ""


@dataclass(frozen=True)
class TooMany:
    """429. Without `via` the client takes it for a ban by Cloudflare."""

    retry_after_s: float
    via: bool
    everywhere: bool


@dataclass(frozen=True)
class Html:
    """A page where JSON is due."""

    status: int


@dataclass(frozen=True)
class Cut:
    """The connection is reset: before the call is processed, or after it, before the answer."""

    after: bool


@dataclass(frozen=True)
class Delay:
    """The call waits before it is processed, or its answer waits after it."""

    seconds: float
    after: bool


@dataclass(frozen=True)
class Spent:
    """The answer says that its bucket is used up."""

    reset_after_s: float


Harm = Status | TooMany | Html | Cut | Delay | Spent


@dataclass
class RestFault:
    """A harm to calls of one route, or of all.

    `about`: an id or a token in the path, of the one interaction or message that is meant.
    """

    harm: Harm
    route: str | None
    switch: Switch
    about: str | None = None
    method: str | None = None

    def clear(self) -> None:
        self.switch.clear()

    @property
    def fired(self) -> int:
        return self.switch.fired


@dataclass
class Faults:
    """Every way to misbehave. Those of the gateway are switches; those of REST are armed by call.

    `route` is a template such as `/users/@me`; None is every route. Where a connection is reset
    under a GET, aiohttp's client tries once more by itself: a bot notices the second time.
    """

    refuse_connect: Switch = field(default_factory=Switch)  # reset before the handshake
    gateway_unavailable: Switch = field(default_factory=Switch)  # 503 in place of the handshake
    close_before_hello: Switch = field(default_factory=Switch)  # with `value` as the code
    reconnect_before_hello: Switch = field(default_factory=Switch)
    dead_resume: Switch = field(default_factory=Switch)  # the resume address resets connections
    lose_session: Switch = field(default_factory=Switch)  # on RESUME
    never_ready: Switch = field(default_factory=Switch)  # IDENTIFY is heard and not answered
    never_ack: Switch = field(default_factory=Switch)
    silent: Switch = field(default_factory=Switch)  # nothing is sent any more
    null_resumed: Switch = field(default_factory=Switch)  # RESUMED with null, which kills clients
    unknown_dispatches: Switch = field(default_factory=Switch)  # one before each real one
    rest: list[RestFault] = field(default_factory=list)

    def status(self, status: int, *, route: str | None = None, times: int | None = 1) -> RestFault:
        return self._arm(Status(status), route, times)

    def rate_limit(
        self,
        retry_after_s: float,
        *,
        route: str | None = None,
        times: int | None = 1,
        via: bool = True,
        everywhere: bool = False,
    ) -> RestFault:
        """429; `everywhere` is the global limit."""
        return self._arm(TooMany(retry_after_s, via, everywhere), route, times)

    def html(
        self, status: int = 502, *, route: str | None = None, times: int | None = 1
    ) -> RestFault:
        return self._arm(Html(status), route, times)

    def cut(
        self, *, after: bool = False, route: str | None = CALLBACK, times: int | None = 1
    ) -> RestFault:
        """Reset the connection; `after` it was processed, so that a retry finds it answered."""
        return self._arm(Cut(after), route, times)

    def delay(
        self,
        seconds: float,
        *,
        after: bool = False,
        route: str | None = None,
        times: int | None = 1,
    ) -> RestFault:
        return self._arm(Delay(seconds, after), route, times)

    def spend_bucket(
        self, reset_after_s: float, *, route: str | None = None, times: int | None = 1
    ) -> RestFault:
        """The client should wait by itself before the next call."""
        return self._arm(Spent(reset_after_s), route, times)

    def refuse_callback(self, code: int, *, times: int | None = 1) -> RestFault:
        """10062 or 40060, whatever the interaction's state."""
        status, message = {
            10062: (404, "Unknown interaction"),
            40060: (400, "Interaction has already been acknowledged."),
        }[code]
        return self._arm(Status(status, code, message), CALLBACK, times)

    def arm(
        self,
        harm: Harm,
        *,
        route: str | None = None,
        method: str | None = None,
        times: int | None = 1,
        about: str | None = None,
    ) -> RestFault:
        """Any harm; see RestFault."""
        fault = self._arm(harm, route, times)
        fault.about, fault.method = about, method
        return fault

    def striking(self, route: str | None, method: str, path: str) -> Iterator[Harm]:
        """The harms that hit this call."""
        for fault in self.rest:
            meant = fault.route in (None, route) and fault.method in (None, method)
            if meant and (fault.about or "") in path and fault.switch.take():
                yield fault.harm

    def clear(self) -> None:
        """Behave again."""
        for fault in self.rest:
            fault.clear()
        for switch in vars(self).values():
            if isinstance(switch, Switch):
                switch.clear()

    def _arm(self, harm: Harm, route: str | None, times: int | None) -> RestFault:
        fault = RestFault(harm, route, Switch())
        fault.switch.arm(times)
        self.rest.append(fault)
        return fault
