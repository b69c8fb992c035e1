"""Some at a time, the newest first, and nobody whom Discord no longer waits for.

Where more is asked than can be answered, the order decides who is. With the oldest first,
everybody would wait until it is almost too late, and the last of a flood would hold up who
comes after it. With the newest first, who asks now is answered now, during a flood too.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic

log = logging.getLogger(__name__)

_OWN: ContextVar["Turn | None"] = ContextVar("turn", default=None)  # of the task that asks


@dataclass(slots=True, eq=False)
class Waiting:
    """Somebody: since when, for whose sake, and whether the turn came."""

    since: float
    of: object
    comes: asyncio.Future[bool]


@dataclass(slots=True)
class Turn:
    """One of them, until it is passed on."""

    turns: "Turns"
    held: bool = True

    def pass_on(self) -> None:
        """Let the next one have it; again does nothing."""
        if self.held:
            self.held = False
            self.turns.pass_on()


def let_others() -> None:
    """Pass on the turn of this task, where it has one: what is left of it may take long."""
    own = _OWN.get()
    if own is not None:
        own.pass_on()


@dataclass(slots=True)
class Turns:
    """`at_once` of them; who has waited for `longest_s` is sent away.

    Where several wait for the same thing's sake, as for one message, it is the oldest of them
    whose turn comes: between those the order counts.
    """

    at_once: int
    longest_s: float
    clock: Callable[[], float] = monotonic
    _taken: int = 0
    _waiting: deque[Waiting] = field(default_factory=deque)  # the newest last

    @asynccontextmanager
    async def turn(self, of: object = None) -> AsyncIterator[bool]:
        """A turn, when it comes; False where it would be too late. `of`: for whose sake."""
        if not await self._comes(of):
            yield False
            return
        turn = Turn(self)
        before = _OWN.set(turn)
        try:
            yield True
        finally:
            _OWN.reset(before)
            turn.pass_on()

    async def _comes(self, of: object) -> bool:
        if self._taken < self.at_once:
            self._taken += 1
            return True
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(self.clock(), of, future))
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.result():
                self.pass_on()  # it was given, and will not be used
            raise

    def pass_on(self) -> None:
        """Send away who waited for too long; the turn goes to the newest of the others."""
        too_late = 0
        while self._waiting and self.clock() - self._waiting[0].since >= self.longest_s:
            too_late += _tell(self._waiting.popleft(), comes=False)
        if too_late:
            log.warning("%d commands came to no turn while Discord waited for them", too_late)
        while self._waiting:
            if _tell(self._next(), comes=True):
                return
        self._taken -= 1

    def _next(self) -> Waiting:
        """The newest; or who waits longest for the sake of the same thing."""
        newest = self._waiting.pop()
        if newest.of is None:
            return newest
        oldest = next((one for one in self._waiting if one.of == newest.of), None)
        if oldest is None:
            return newest
        self._waiting.remove(oldest)
        self._waiting.append(newest)
        return oldest


def _tell(waiting: Waiting, *, comes: bool) -> bool:
    """Whether there still was somebody to tell."""
    if waiting.comes.done():  # cancelled
        return False
    waiting.comes.set_result(comes)
    return True
