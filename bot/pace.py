"""How often a session is begun anew, and how long to wait after one has failed.

Discord allows 1,000 IDENTIFYs a day over all shards and resets the token of who needs more. In
each bucket, the shards that are equal modulo `max_concurrency`, one may follow another after 5
seconds. What earlier processes did counts too, and so do other processes: each keeps to its part
of the hour, or a queue that all share says when one may go, see `bot.queueing`.
Source: https://discord.com/developers/docs/events/gateway#identifying
"""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from math import ceil
from time import monotonic
from typing import Protocol

from bot.starts import Starts

GAP_S = 5.0  # between two IDENTIFYs
HOUR_S = 3600.0
ROUNDED_S = 1e-6  # by so much a gap may look longer than it is, as a sum of floats
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


@dataclass(frozen=True, slots=True)
class Part:
    """`own` of all `count` shards are this process's, in `concurrency` buckets."""

    own: int = 1
    count: int = 1
    concurrency: int = 1
    application_id: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """A leaky bucket: `burst` at once, `gap_s` apart, and one each `share_s` in the long run."""

    gap_s: float
    share_s: float
    burst: int

    def wait_s(self, now: float, last: float, paid: float) -> float:
        """Seconds until the next; `paid`: until when those that went used up the hour's share."""
        return max(0.0, last + self.gap_s - now, paid - (self.burst - 1) * self.share_s - now)

    def after(self, moment: float, paid: float) -> float:
        """`paid`, once one more goes at this moment."""
        return max(paid, moment) + self.share_s


class Queue(Protocol):
    """Who says when an IDENTIFY may go; `counts_hours`: also of all that go in an hour."""

    counts_hours: bool

    async def turn(self, pace: "Pace", shard_id: int, *, patience_s: float) -> bool:
        """Return when it may go; False where nobody says. Raises SpentError for a long wait."""


@dataclass(slots=True)
class Pace:
    """When the next IDENTIFY may go, over all clients that one process makes.

    `an_hour`: over all processes.
    """

    an_hour: int
    gap_s: float = GAP_S
    burst: int = BURST
    clock: Clock = monotonic
    sleep: Sleep = asyncio.sleep
    starts: Starts | None = None  # of earlier processes too
    queue: Queue | None = None  # None: this process for itself
    part: Part | None = None  # None before Discord was asked
    _recalled: bool = False
    _down: bool = False  # whether the queue gave no turn, the last time
    _before: float = float("-inf")  # when an earlier process began a session
    _last: dict[int, float] = field(default_factory=dict)  # by bucket
    _paid: float = float("-inf")  # until when those that went have used up the hour's share
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def turn(self, shard_id: int = 0, *, patience_s: float = 0) -> None:
        """Count one IDENTIFY when it may go; raises SpentError for a wait beyond `patience_s`.

        The gap between two of a bucket is always waited for.
        """
        async with self._turns:
            queue = self.queue
            if queue is not None and queue.counts_hours:
                self._down = not await queue.turn(self, shard_id, patience_s=patience_s)
            if self._by_itself:
                await self.check(shard_id, patience_s=patience_s)
                await self.sleep(self.wait_s(shard_id))
                if not await self._told(shard_id, patience_s) and self._beside_others:
                    # they may begin at this very moment, and again after the same time
                    await self.sleep(random.uniform(0, self.gap_s))  # noqa: S311  (no secret)
            self._count(self.clock(), self._bucket(shard_id))
            if self.starts is not None:
                await self.starts.note()

    async def check(self, shard_id: int = 0, *, patience_s: float = 0) -> None:
        """Raises SpentError where the next would have to wait for longer."""
        if self.starts is not None and not self._recalled:
            self._recalled = True
            ages_s, now = await self.starts.ages(), self.clock()
            for age_s in ages_s:
                self._before = max(self._before, now - age_s)
                self._paid = self.alone.after(now - age_s, self._paid)
        wait_s = self.wait_s(shard_id)
        if wait_s > max(self.gap_s, patience_s) + ROUNDED_S:
            raise SpentError(wait_s)

    async def _told(self, shard_id: int, patience_s: float) -> bool:
        """Whether a queue said that it may go; one that counts hours was asked before."""
        queue = self.queue
        if queue is None or queue.counts_hours:
            return False
        return await queue.turn(self, shard_id, patience_s=patience_s)

    @property
    def _by_itself(self) -> bool:
        """Whether nobody else counts the hour."""
        return self.queue is None or not self.queue.counts_hours or self._down

    @property
    def _beside_others(self) -> bool:
        return self.part is not None and self.part.own < self.part.count

    def _count(self, moment: float, bucket: int) -> None:
        """One goes at this moment."""
        self._last[bucket] = moment
        self._paid = self.alone.after(moment, self._paid)

    def _bucket(self, shard_id: int) -> int:
        return shard_id % (self.part or Part()).concurrency

    @property
    def alone(self) -> Rules:
        """This process's part of the hour: all of its shards, and again, may go at once."""
        part = self.part
        if part is None:
            return Rules(self.gap_s, HOUR_S / self.an_hour, self.burst)
        share_s = HOUR_S / self.an_hour * part.count / part.own
        at_once = max(ceil(self.burst * part.own / part.count), 2 * part.own)
        return Rules(self.gap_s, share_s, at_once)

    @property
    def together(self) -> Rules:
        """All processes' hour."""
        count = (self.part or Part()).count
        return Rules(self.gap_s, HOUR_S / self.an_hour, max(self.burst, 2 * count))

    def wait_s(self, shard_id: int = 0) -> float:
        """Seconds until the next one may go, as far as this process knows."""
        last = max(self._last.get(self._bucket(shard_id), self._before), self._before)
        paid = self._paid if self._by_itself else float("-inf")
        return self.alone.wait_s(self.clock(), last, paid)


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
