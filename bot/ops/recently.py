"""The last hour, minute by minute, and the last incidents: what `/vram status` says of them."""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import time

from bot.ops.metrics import ANSWER_BUCKETS

MINUTE_S = 60
MINUTES = 60
MOST_INCIDENTS = 5


@dataclass(slots=True)
class _Minute:
    number: int  # since 1970
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: Counter[float] = field(default_factory=Counter)  # by the upper end of their bucket


@dataclass(frozen=True, slots=True)
class Incident:
    """A mistake of this program: `id` stands in the log, `what` is the error's type."""

    id: str
    at: float
    what: str


class Recently:
    """What was, and how fast. `at`: seconds since 1970, given by tests alone."""

    def __init__(self) -> None:
        self._minutes: deque[_Minute] = deque(maxlen=MINUTES)
        self.incidents: deque[Incident] = deque(maxlen=MOST_INCIDENTS)

    def outcome(self, outcome: str, at: float | None = None) -> None:
        """Something that was asked came to an end."""
        self._minute(at).outcomes[outcome] += 1

    def answer(self, seconds: float, at: float | None = None) -> None:
        """An answer took so long."""
        end = next((bound for bound in ANSWER_BUCKETS if seconds <= bound), float("inf"))
        self._minute(at).seconds[end] += 1

    def incident(self, number: str, error: BaseException) -> None:
        """A mistake was told to somebody with that number."""
        cause = getattr(error, "original", error)  # discord.py wraps what a command raises
        self.incidents.append(Incident(number, time(), type(cause).__name__))

    def outcomes(self, at: float | None = None) -> Counter[str]:
        """How much came to which end in the last hour."""
        return sum((minute.outcomes for minute in self._of_the_hour(at)), Counter())

    def within(self, share: float, at: float | None = None) -> float | None:
        """Seconds within which that share of the last hour's answers came; None without any.

        It is the upper end of a bucket, and infinite above the last of them.
        """
        counts: Counter[float] = sum((one.seconds for one in self._of_the_hour(at)), Counter())
        wanted, seen = share * counts.total(), 0
        for bound in sorted(counts):
            seen += counts[bound]
            if seen >= wanted:
                return bound
        return None

    def _minute(self, at: float | None) -> _Minute:
        number = int(time() if at is None else at) // MINUTE_S
        if not self._minutes or self._minutes[-1].number != number:
            self._minutes.append(_Minute(number))
        return self._minutes[-1]

    def _of_the_hour(self, at: float | None) -> Iterator[_Minute]:
        now = int(time() if at is None else at) // MINUTE_S
        return (minute for minute in self._minutes if now - minute.number < MINUTES)


RECENTLY = Recently()
