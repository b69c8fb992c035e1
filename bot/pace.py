"""How often a session is begun anew, and how long to wait after one has failed.

Discord allows 1,000 IDENTIFYs a day over all shards and resets the token of who needs
more; one may follow another after 5 seconds.
Source: https://discord.com/developers/docs/events/gateway#identifying
"""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic

GAP_S = 5.0  # between two IDENTIFYs
HOUR_S = 3600.0
AN_HOUR = 40  # IDENTIFYs; 960 a day
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
STEADY_S = 300.0  # a life this long ends a row of failures

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]


@dataclass(slots=True)
class Pace:
    """When the next IDENTIFY may go, over all clients that one process makes.

    `gap_s` between two of them; at most `an_hour` in an hour.
    """

    gap_s: float = GAP_S
    an_hour: int = AN_HOUR
    clock: Clock = monotonic
    sleep: Sleep = asyncio.sleep
    _gone: deque[float] = field(default_factory=deque)
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self) -> None:
        """Wait until one more IDENTIFY may go, and count it."""
        async with self._turns:
            while (wait_s := self.wait_s()) > 0:
                await self.sleep(wait_s)
            self._gone.append(self.clock())

    def wait_s(self) -> float:
        """Seconds until the next one may go."""
        now = self.clock()
        while self._gone and now - self._gone[0] >= HOUR_S:
            self._gone.popleft()
        if not self._gone:
            return 0.0
        wait_s = self._gone[-1] + self.gap_s - now
        if len(self._gone) >= self.an_hour:
            wait_s = max(wait_s, self._gone[0] + HOUR_S - now)
        return max(0.0, wait_s)


@dataclass(slots=True)
class Backoff:
    """Growing waits between lives that ended badly, with jitter, up to `longest_s`."""

    first_s: float = FIRST_WAIT_S
    longest_s: float = LONGEST_WAIT_S
    _failures: int = 0

    def failed(self, lived_s: float) -> float:
        """Seconds to wait after a life of `lived_s` seconds: half of the step, and up to all."""
        self._failures = 1 if lived_s >= STEADY_S else self._failures + 1
        step_s = min(self.longest_s, self.first_s * 2.0 ** min(self._failures - 1, 30))
        return step_s * random.uniform(0.5, 1.0)  # noqa: S311  (jitter, no secret)
