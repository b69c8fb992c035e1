"""What goes wrong, at random: connections, calls, and the process that draws.

No harm lasts; what it kept from working, and for how long, is written down as an outage.
"""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from tests.load.programs import Program
from tests.soak.ledger import Outages, Span
from tests.wire.faults import CALLBACK
from tests.wire.standin import StandIn

RESUMABLE = (1001, 4000, 4001, 4002, 4005, 4008)
STATUSES = (500, 502, 503, 504)
POSTS = "/channels/{channel}/messages"
PAUSES_S = 5.0  # on average, between two harms
OUTAGE_S = (0.2, 4.0)  # of a route, from and to
LATE_S = (0.3, 2.9)  # of one answer of Discord
LIMITED_S = (0.2, 0.8)  # that a 429 asks to wait
WITHIN_S = 120.0  # for a session that broke to be there again


@dataclass
class Harms:
    """Does them one after the other, until it is cancelled."""

    standin: StandIn
    program: Program
    seed: int
    outages: Outages
    done: Counter[str] = field(default_factory=Counter)
    not_back: int = 0  # connections that were not there again in time

    def __post_init__(self) -> None:
        self._chance = Random(self.seed)  # noqa: S311 - a choice, no secret

    async def go_on(self) -> None:
        """One at a time: a pause, a harm, and the wait until it is over."""
        every: dict[str, tuple[int, Callable[[], Awaitable[None]]]] = {
            "gateway dropped": (4, lambda: self._breaks(self.standin.drop)),
            "gateway closed": (4, lambda: self._breaks(self._close)),
            "told to reconnect": (2, lambda: self._breaks(self.standin.ask_reconnect)),
            "session invalid": (1, lambda: self._breaks(self._invalidate)),
            "unknown event": (2, self._unknown),
            "callback cut": (4, self._cut),
            "call out of order": (4, self._status),
            "callbacks out of order": (2, self._outage),
            "page for JSON": (2, self._page),
            "429": (3, self._limited),
            "late answer": (3, self._late),
            "picture worker killed": (2, self._kill),
        }
        names, weights = list(every), [weight for weight, _ in every.values()]
        while True:
            await asyncio.sleep(self._chance.expovariate(1 / PAUSES_S))
            name = self._chance.choices(names, weights)[0]
            await every[name][1]()
            self.done[name] += 1
            rest = self.standin.faults.rest
            rest[:] = [fault for fault in rest if fault.switch.left != 0]

    async def _breaks(self, harm: Callable[[], Awaitable[None]]) -> None:
        """A harm to the connection, and the wait until its session is on again."""
        begun = self._now()
        await harm()
        with suppress(TimeoutError):
            await self.standin.until(lambda: not self._ready(), 1.0, "the connection to break")
        try:
            await self.standin.ready(timeout=WITHIN_S)
        except TimeoutError:
            self.not_back += 1
        self.outages.of_gateway.append(Span(begun, self._now()))

    def _ready(self) -> bool:
        return any(one.ready for one in self.standin.connections)

    async def _close(self) -> None:
        await self.standin.close_gateway(self._chance.choice(RESUMABLE))

    async def _invalidate(self) -> None:
        await self.standin.invalidate(resumable=False)

    async def _unknown(self) -> None:
        self.standin.faults.unknown_dispatches.arm(1)

    async def _cut(self) -> None:
        self.standin.faults.cut(after=self._chance.random() < 1 / 2)

    async def _status(self) -> None:
        route = self._chance.choice((CALLBACK, POSTS, None))
        self.standin.faults.status(self._chance.choice(STATUSES), route=route)

    async def _page(self) -> None:
        self.standin.faults.html(self._chance.choice(STATUSES), route=CALLBACK)

    async def _limited(self) -> None:
        wait_s, everywhere = self._chance.uniform(*LIMITED_S), self._chance.random() < 1 / 3
        route = None if everywhere else self._chance.choice((CALLBACK, POSTS))
        self.standin.faults.rate_limit(wait_s, route=route, everywhere=everywhere)

    async def _late(self) -> None:
        after = self._chance.random() < 1 / 2
        self.standin.faults.delay(self._chance.uniform(*LATE_S), after=after, route=CALLBACK)

    async def _outage(self) -> None:
        """No callback gets through for a while."""
        begun = self._now()
        fault = self.standin.faults.status(503, route=CALLBACK, times=None)
        await asyncio.sleep(self._chance.uniform(*OUTAGE_S))
        fault.clear()
        self.outages.of_callbacks.append(Span(begun, self._now()))

    async def _kill(self) -> None:
        drawer = self.program.drawer
        if drawer is not None:
            with suppress(ProcessLookupError):
                os.kill(drawer, signal.SIGKILL)

    def _now(self) -> float:
        return self.standin.clock.now()
