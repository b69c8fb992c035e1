"""What became of all that was asked, and how long it took."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median

from estimator import THOUSAND


def percentile(values: Sequence[float], share: float) -> float:
    """The least value that so large a share of them does not exceed; not a number without any."""
    if not values:
        return float("nan")
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def growth(values: Sequence[float]) -> float:
    """By what share the last quarter of them is above the first, each by its median."""
    quarter = max(1, len(values) // 4)
    first = median(values[:quarter])
    return median(values[-quarter:]) / first - 1 if first else 0.0


@dataclass
class Tally:
    """Of one kind of question. `latencies`: seconds from an event to its callback, whole.

    What is not answered has waited for ever.
    """

    asked: int = 0
    answered: int = 0
    announced: int = 0  # of these, with what only says that an answer will come
    refused: int = 0  # callbacks that Discord did not take
    latencies: list[float] = field(default_factory=list)

    @property
    def unanswered(self) -> int:
        return self.asked - self.answered

    def ms(self, share: float) -> float:
        return percentile(self.latencies, share) * THOUSAND

    def add(self, other: "Tally") -> None:
        """Count another one in."""
        self.asked += other.asked
        self.answered += other.answered
        self.announced += other.announced
        self.refused += other.refused
        self.latencies += other.latencies


@dataclass
class Figures:
    """Of one stretch of time: its tallies by kind, and who was how busy."""

    rate: float  # questions a second that were to be asked
    seconds: float = 0.0  # that it took to ask them
    tallies: dict[str, Tally] = field(default_factory=dict)
    lateness: list[float] = field(default_factory=list)  # seconds by which events left too late
    busy: float = 0.0  # share of its core that the stand-in used, which also asks
    busy_bot: float = 0.0
    starved: float = 0.0  # share of the time for which the program wanted a core, and had none
    rss: int = 0  # bytes, at the end
    rss_drawer: int = 0

    def of(self, kind: str) -> Tally:
        return self.tallies.setdefault(kind, Tally())

    @property
    def all(self) -> Tally:
        total = Tally()
        for tally in self.tallies.values():
            total.add(tally)
        return total

    @property
    def a_second(self) -> float:
        """Answers."""
        return self.all.answered / self.seconds if self.seconds else 0.0

    @property
    def processor_ms(self) -> float:
        """Milliseconds of a processor for an answer, of the bot's process."""
        return self.busy_bot * self.seconds * THOUSAND / max(1, self.all.answered)
