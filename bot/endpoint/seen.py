"""Interactions that came already: each is answered once, however often it is delivered."""

from collections.abc import Callable
from time import monotonic

from bot.endpoint.signed import LONGEST_S

# A signature holds from one age to the other, so for twice as long in all.
KEPT_S = 2 * LONGEST_S
# 166 a second for all that time. Above it the oldest go first; of those Discord itself refuses
# a second answer.
MOST = 100_000


class Seen:
    """Remembers ids, for as long as their calls could be repeated."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}  # the oldest first

    def is_new(self, number: str) -> bool:
        """Whether it came for the first time; from now on it has come."""
        now = self._clock()
        while self._since and now - self._since[oldest := next(iter(self._since))] >= KEPT_S:
            del self._since[oldest]
        if number in self._since:
            return False
        if len(self._since) >= MOST:
            del self._since[next(iter(self._since))]
        self._since[number] = now
        return True

    def forget(self, number: str) -> None:
        """Nobody took it: it may come again."""
        self._since.pop(number, None)
