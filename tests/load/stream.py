"""People who go on asking while processes come and go, and what became of each thing they asked.

They are spread over all servers, and so over all shards. Presses are on copies of answers that any
of the processes gave, in any server.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random

from tests.load.asking import arrivals
from tests.load.crowd import AUTOCOMPLETE, COMMAND, PRESS, Crowd
from tests.load.figures import percentile
from tests.wire.callbacks import Exchange, State
from tests.wire.clock import shard_of
from tests.wire.connection import Connection
from tests.wire.forgetting import forget
from tests.wire.people import Json
from tests.wire.standin import INTERACTION, StandIn

LEFT_S = 1.0  # of its time, with which a question has to come to a process
SETTLED_S = 4.0  # for another process to answer what is answered, or for an edit
LOOK_S = 0.1
STRETCH_S = 60.0
KINDS = {COMMAND: 5, PRESS: 4, AUTOCOMPLETE: 3}  # so many of each
ANSWERS = 200  # the last ones, that are pressed


@dataclass(frozen=True)
class Asked:
    """One thing that was asked, while `phase` was."""

    phase: str
    shard: int
    exchange: Exchange


@dataclass
class Outcomes:
    """Of one phase. `unheard`: came to no process while there was a second to answer it."""

    asked: int = 0
    answered: int = 0
    lost: int = 0
    unheard: int = 0
    twice: int = 0  # somebody saw two answers
    refused: int = 0  # callbacks that Discord did not take, since it had one
    latencies: list[float] = field(default_factory=list)  # seconds, of those that were answered

    def at(self, share: float) -> float:
        return percentile(self.latencies, share)


class Stream:
    """`phase` may be changed while it goes on."""

    def __init__(self, standin: StandIn, shards: int, rate: float, seed: int = 1) -> None:
        self.phase = ""
        self.phases: dict[str, Outcomes] = {}
        self.answered: list[tuple[int, float]] = []  # shards, and when, in the stand-in's time
        self._standin, self._shards, self._rate, self._seed = standin, shards, rate, seed
        self._answer_s = standin.settings.answer_within_s
        self._crowd = Crowd(standin, seed)
        self._chance = Random(seed)  # noqa: S311 - a choice, no secret
        self._reached: dict[str, float] = {}  # the last time that it was written to a process
        self._waiting: deque[Asked] = deque()
        self._sending: set[asyncio.Task[int]] = set()

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """Within, people ask; at the end, all that they asked is over."""
        with self._noting():
            task = asyncio.create_task(self._ask())
            try:
                yield
            finally:
                if task.done():
                    task.result()  # it never ends by itself
                task.cancel()
            while self._waiting:
                await asyncio.sleep(LOOK_S)
                self._count()

    def first_answer(self, shard: int, since: float) -> float:
        """When a shard's first answer came after a moment, in the stand-in's time."""
        later = [at for one, at in self.answered if one == shard and at >= since]
        return min(later, default=float("inf"))

    async def _ask(self) -> None:
        clock = self._standin.clock
        for stretch in count():
            begun = clock.now()
            for due in arrivals(self._rate, STRETCH_S, self._seed + stretch):
                await asyncio.sleep(max(0.0, begun + due - clock.now()))
                self._one()
                self._count()

    def _one(self) -> None:
        """Ask one thing; who is slow to take it holds up nobody else."""
        kind = self._chance.choices(tuple(KINDS), tuple(KINDS.values()))[0]
        if kind == PRESS and not self._crowd.answers:
            kind = COMMAND
        _, exchange = self._crowd.one(kind)
        shard = shard_of(exchange.interaction["guild_id"], self._shards)
        self._waiting.append(Asked(self.phase, shard, exchange))
        sending = asyncio.create_task(self._standin.dispatch(INTERACTION, exchange.interaction))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    def _count(self) -> None:
        """Count what nothing becomes of any more, and let go of it."""
        over: list[Exchange] = []
        while self._waiting and self._is_over(self._waiting[0].exchange):
            one = self._waiting.popleft()
            self._counted(one)
            over.append(one.exchange)
        forget(self._standin, over)

    def _is_over(self, exchange: Exchange) -> bool:
        age_s = self._standin.clock.now() - exchange.born
        whole = exchange.status is not None and exchange.state is not State.THINKING
        return age_s > SETTLED_S + (0 if whole else self._answer_s)

    def _counted(self, one: Asked) -> None:
        exchange, found = one.exchange, self.phases.setdefault(one.phase, Outcomes())
        found.asked += 1
        found.refused += len(exchange.refusals)
        found.twice += (exchange.original is not None) + len(exchange.followups) > 1
        reached = self._reached.pop(exchange.id, float("inf"))
        if exchange.after_s is not None and exchange.state is not State.THINKING:
            found.answered += 1
            found.latencies.append(exchange.after_s)
            self.answered.append((one.shard, exchange.born + exchange.after_s))
            if exchange.original is not None:
                self._crowd.learn(exchange.original)
                del self._crowd.answers[:-ANSWERS]
        elif reached - exchange.born <= self._answer_s - LEFT_S:
            found.lost += 1
        else:
            found.unheard += 1

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Within, it is noted when something was written to a socket that a process reads."""
        send, reached, clock = Connection.send, self._reached, self._standin.clock

        async def noted(self: Connection, *frames: Json) -> None:
            await send(self, *frames)
            if not (self.ended or self.dropped or self.closed_by_us is not None):
                for frame in frames:
                    if frame["t"] == INTERACTION:
                        reached[frame["d"]["id"]] = clock.now()

        Connection.send = noted  # type: ignore[method-assign]
        try:
            yield
        finally:
            Connection.send = send  # type: ignore[method-assign]
