"""Leaky buckets: of one person a few questions at once, then one every few seconds.

The numbers here are those of messages; `bot.cooldown` says those of commands. Of each person
only is kept until when what was asked is paid for, and that for seconds. All messages together
stay below the 50 calls a second that Discord takes of one bot.
Source: https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

AT_ONCE = 5  # questions of one person, before they are spread
EVERY_S = 4.0
POSTS_AT_ONCE = 10  # answers in channels, before they are spread
POST_EVERY_S = 1 / 25
ROUNDING_S = 1e-6  # what sums of fractions are off
MOST_KNOWN = 10_000  # people of whom something is kept at one time


@dataclass(slots=True)
class Courtesy:
    """A leaky bucket for each of them; with `at_once` 1, whoever it is about rests `every_s`."""

    at_once: int = AT_ONCE
    every_s: float = EVERY_S
    clock: Callable[[], float] = monotonic
    # By id: when all of it is paid; who took last is last.
    _paid: OrderedDict[int, float] = field(default_factory=OrderedDict)

    def take(self, who: int) -> bool:
        """Whether there is one more for `who`, which is then used."""
        if self.rests(who):
            return False
        now = self.clock()
        self._paid[who] = max(self._paid.get(who, now), now) + self.every_s
        self._paid.move_to_end(who)
        self._forget(now)
        return True

    def wait_s(self, who: int) -> float:
        """Seconds until there is one more for `who`, 0 where there is; uses nothing."""
        now = self.clock()
        wait_s = self._paid.get(who, now) - now - (self.at_once - 1) * self.every_s
        return wait_s if wait_s > ROUNDING_S else 0.0

    def rests(self, who: int) -> bool:
        """Whether there is none for `who` just now; uses nothing."""
        return self.wait_s(who) > 0

    def _forget(self, now: float) -> None:
        """Let go of who has paid, as far as they took longest ago; in a flood, also of others."""
        while self._paid:
            who, paid = next(iter(self._paid.items()))
            if paid > now and len(self._paid) <= MOST_KNOWN:
                return
            del self._paid[who]


@dataclass(slots=True)
class Spread:
    """When the next answer may be posted, over all people and channels."""

    at_once: int = POSTS_AT_ONCE
    every_s: float = POST_EVERY_S
    clock: Callable[[], float] = monotonic
    _paid: float = float("-inf")

    def wait_s(self) -> float:
        """Seconds to wait before one more, which is then counted."""
        now = self.clock()
        self._paid = max(self._paid, now) + self.every_s
        return max(0.0, self._paid - now - self.at_once * self.every_s)
