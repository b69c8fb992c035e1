"""How often a session is begun anew, and how long to wait after one has failed.

Discord allows 1,000 IDENTIFYs a day over all shards and resets the token of who needs
more; one may follow another after 5 seconds. What earlier processes did counts too.
Source: https://discord.com/developers/docs/events/gateway#identifying
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic

from bot.starts import Starts

GAP_S = 5.0  # between two IDENTIFYs
HOUR_S = 3600.0
BURST = 10  # IDENTIFYs that may go at once before they are spread over the hour
FIRST_WAIT_S = 1.0
STEADY_S = 300.0  # a life this long ends a row of failures

Sleep = Callable[[float], Awaitable[None]]
Clock = Callable[[], float]


class SpentError(Exception):
    """No IDENTIFY may go now; `wait_s` until the next one may."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"no IDENTIFY may go for {wait_s:.0f} s")
        self.wait_s = wait_s


@dataclass(slots=True)
class Pace:
    """When the next IDENTIFY may go, over all clients that one process makes.

    A leaky bucket: `burst` at once, `gap_s` apart, and in the long run `an_hour` an hour.
    """

    an_hour: int
    gap_s: float = GAP_S
    burst: int = BURST
    clock: Clock = monotonic
    sleep: Sleep = asyncio.sleep
    starts: Starts | None = None  # of earlier processes too
    _recalled: bool = False
    _last: float = float("-inf")
    _paid: float = float("-inf")  # until when those that went have used up the hour's share
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self, *, patience_s: float = 0) -> None:
        """Count one IDENTIFY when it may go; raises SpentError for a wait beyond `patience_s`.

        The gap between two is always waited for.
        """
        async with self._turns:
            await self.check(patience_s=patience_s)
            await self.sleep(self.wait_s())
            self._count(self.clock())
            if self.starts is not None:
                await self.starts.note()

    async def check(self, *, patience_s: float = 0) -> None:
        """Raises SpentError where the next would have to wait for longer."""
        if self.starts is not None and not self._recalled:
            self._recalled = True
            ages_s, now = await self.starts.ages(), self.clock()
            for age_s in ages_s:
                self._count(now - age_s)
        wait_s = self.wait_s()
        if wait_s > max(self.gap_s, patience_s):
            raise SpentError(wait_s)

    def _count(self, moment: float) -> None:
        """One goes, or went, at this moment."""
        self._last = moment
        self._paid = max(self._paid, moment) + HOUR_S / self.an_hour

    def wait_s(self) -> float:
        """Seconds until the next one may go."""
        now = self.clock()
        share_s = HOUR_S / self.an_hour
        ahead_s = (self.burst - 1) * share_s
        return max(0.0, self._last + self.gap_s - now, self._paid - ahead_s - now)


@dataclass(slots=True)
class Backoff:
    """Growing waits between lives that ended badly, with jitter, up to `longest_s`."""

    longest_s: float
    first_s: float = FIRST_WAIT_S
    _failures: int = 0

    def failed(self, lived_s: float) -> float:
        """Seconds to wait after a life of `lived_s` seconds: half of the step, and up to all."""
        self._failures = 1 if lived_s >= STEADY_S else self._failures + 1
        step_s = min(self.longest_s, self.first_s * 2.0 ** min(self._failures - 1, 30))
        return step_s * random.uniform(0.5, 1.0)  # noqa: S311  (jitter, no secret)
