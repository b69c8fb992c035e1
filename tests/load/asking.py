"""Questions at a steady rate, whatever becomes of the answers, and what became of them.

A question is sent when it is due, also where the ones before it wait. Its latency runs from when
it was sent, or from when it was due where that was later than a timer's grain: so a bot that
stops reading is not spared what would have been asked meanwhile.
"""

import asyncio
import gc
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import process_time

from tests.load.crowd import Crowd
from tests.load.figures import Figures
from tests.load.processes import processor_s, rss, waited_s
from tests.load.programs import Program
from tests.wire.callbacks import THINK, UPDATE_LATER, Exchange
from tests.wire.forgetting import forget
from tests.wire.standin import INTERACTION, StandIn

GRAIN_S = 0.002  # selectors wait whole milliseconds
MARGIN_S = 0.5  # above what Discord waits, after which nothing is awaited
QUIET_S, QUIET_SHARE, QUIET_WITHIN_S = 0.3, 0.05, 60.0  # without work, of a core, at the latest
LOOK_EVERY = 256  # questions, after which what is over is counted


@dataclass
class Asked:
    """A question that was sent. `due` and `left` in the stand-in's time."""

    kind: str
    exchange: Exchange
    due: float
    left: float


@dataclass
class Asking:
    """A crowd that asks one program."""

    standin: StandIn
    crowd: Crowd
    program: Program
    waiting: deque[Asked] = field(default_factory=deque)

    async def at(
        self,
        rate: float,
        seconds: float,
        scenario: str,
        *,
        watched: Callable[[], None] | None = None,
    ) -> Figures:
        """Ask so many a second for so long, as they come in by chance; then wait for the rest."""
        await self.quiet()  # what an earlier rate left behind is not this one's
        figures = Figures(rate)
        clock = self.standin.clock
        pid = self.program.pid
        own, its, waited = process_time(), processor_s(pid), waited_s(pid)
        gc.freeze()  # what is there is not looked through again while the clock runs
        begun = clock.now()
        for number, due in enumerate(arrivals(rate, seconds, self.crowd.seed)):
            kind, exchange = self.crowd.one(scenario)
            await asyncio.sleep(max(0.0, begun + due - clock.now()))
            left = clock.now()
            await self.standin.dispatch(INTERACTION, exchange.interaction)
            figures.lateness.append(left - begun - due)
            self.waiting.append(Asked(kind, exchange, begun + due, left))
            if number % LOOK_EVERY == 0:
                self._count(figures, clock.now() - self._longest_s)
                if watched is not None:
                    watched()
        figures.seconds = clock.now() - begun
        figures.busy = (process_time() - own) / figures.seconds
        figures.busy_bot = (processor_s(pid) - its) / figures.seconds
        figures.starved = (waited_s(pid) - waited) / figures.seconds
        await self._rest()
        self._count(figures, clock.now())
        self.measure(figures)
        return figures

    def measure(self, figures: Figures) -> None:
        """How much memory the program holds now."""
        figures.rss = rss(self.program.pid)
        drawer = self.program.drawer
        figures.rss_drawer = 0 if drawer is None else rss(drawer)

    async def quiet(self) -> float:
        """Wait until the program does nothing any more; how many seconds that took."""
        begun = self.standin.clock.now()
        while self.standin.clock.now() < begun + QUIET_WITHIN_S:
            used = processor_s(self.program.pid)
            await asyncio.sleep(QUIET_S)
            if processor_s(self.program.pid) - used < QUIET_SHARE * QUIET_S:
                break
        return self.standin.clock.now() - begun

    @property
    def _longest_s(self) -> float:
        return self.standin.settings.answer_within_s + MARGIN_S

    async def _rest(self) -> None:
        """Wait until all are answered, or too late."""
        end = self.standin.clock.now() + self._longest_s
        while self.standin.clock.now() < end:
            if all(each.exchange.status is not None for each in self.waiting):
                return
            await asyncio.sleep(0.02)

    def _count(self, figures: Figures, until: float) -> None:
        """Count those that were sent before, and forget them."""
        over: list[Exchange] = []
        while self.waiting and self.waiting[0].left <= until:
            one = self.waiting.popleft()
            _counted(figures, one)
            over.append(one.exchange)
        forget(self.standin, over)


def _counted(figures: Figures, one: Asked) -> None:
    tally, exchange = figures.of(one.kind), one.exchange
    tally.asked += 1
    tally.refused += len(exchange.refusals)
    if exchange.after_s is None:
        tally.latencies.append(inf)  # longer than anybody waits
        return
    tally.answered += 1
    tally.announced += exchange.callback_type in (THINK, UPDATE_LATER)
    waited_s = one.left - one.due
    tally.latencies.append(exchange.after_s + (waited_s if waited_s > GRAIN_S else 0.0))


def arrivals(rate: float, seconds: float, seed: int) -> Iterator[float]:
    """When each question is due, in seconds from the start: by chance, `rate` a second on average.

    As people come: independent of each other, so the pauses between them are exponential.
    """
    chance, at = Random(seed), 0.0  # noqa: S311 - a choice, no secret
    while (at := at + chance.expovariate(rate)) < seconds:
        yield at
