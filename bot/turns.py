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
from dataclasses import dataclass, field
from time import monotonic

log = logging.getLogger(__name__)

Waiting = tuple[float, asyncio.Future[bool]]  # since when, and whether its turn came


@dataclass(slots=True)
class Turns:
    """`at_once` of them; who has waited for `longest_s` is sent away."""

    at_once: int
    longest_s: float
    clock: Callable[[], float] = monotonic
    _taken: int = 0
    _waiting: deque[Waiting] = field(default_factory=deque)  # the newest last

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """A turn, when it comes; False where it would be too late."""
        if not await self._comes():
            yield False
            return
        try:
            yield True
        finally:
            self._pass_on()

    async def _comes(self) -> bool:
        if self._taken < self.at_once:
            self._taken += 1
            return True
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((self.clock(), future))
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.result():
                self._pass_on()  # it was given, and will not be used
            raise

    def _pass_on(self) -> None:
        """Send away who waited for too long; the turn goes to the newest of the others."""
        too_late = 0
        while self._waiting and self.clock() - self._waiting[0][0] >= self.longest_s:
            too_late += _tell(self._waiting.popleft(), comes=False)
        if too_late:
            log.warning("%d commands came to no turn while Discord waited for them", too_late)
        while self._waiting:
            if _tell(self._waiting.pop(), comes=True):
                return
        self._taken -= 1


def _tell(waiting: Waiting, *, comes: bool) -> bool:
    """Whether there still was somebody to tell."""
    _, future = waiting
    if future.done():  # cancelled
        return False
    future.set_result(comes)
    return True
