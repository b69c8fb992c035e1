"""Which answers are lost, and which could not be given.

An answer is lost if its event reached a live process, and the route of its callback took requests
for a second or more of the three that Discord waits. An event reaches a process when its session
has a socket, and else when that session goes on; one of a session that ended never does.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.soak.doing import Doing
from tests.wire.callbacks import Exchange

WAITS_S = 3.0  # Discord, for a callback
ENOUGH_S = 1.0  # of these, for the route of callbacks to take requests
IN_FLIGHT_S = 0.1  # before a connection broke: what was sent may have been on its way
FINISHED_S = 30.0  # after which an answer that was announced, and one to a message, is there


@dataclass(frozen=True)
class Span:
    """From when to when, in the stand-in's time."""

    begun: float
    ended: float

    def overlap(self, begun: float, ended: float) -> float:
        return max(0.0, min(self.ended, ended) - max(self.begun, begun))


@dataclass
class Outages:
    """When the callback route took nothing, and when sessions had no socket."""

    of_callbacks: list[Span] = field(default_factory=list)
    of_gateway: list[Span] = field(default_factory=list)

    def reached_at(self, sent: float) -> float:
        """When an event that was sent then was with the process."""
        for span in self.of_gateway:
            if span.begun - IN_FLIGHT_S <= sent < span.ended:
                return span.ended
        return sent

    def takes_s(self, begun: float, ended: float) -> float:
        """For how long of that time callbacks are taken."""
        down = sum(span.overlap(begun, ended) for span in self.of_callbacks)
        return max(0.0, ended - begun) - down


@dataclass
class Ledger:
    """All that was asked. `heard`: it reached a session that was there."""

    outages: Outages = field(default_factory=Outages)
    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    impossible: Counter[str] = field(default_factory=Counter)  # nobody could have answered
    begun: float = 0.0  # in the stand-in's time
    latest: list[str] = field(default_factory=list)  # of those that were lost, what and when

    def settle(self, doing: Doing, sent: float, *, heard: bool, replied: bool) -> None:
        """Write down what became of one, when nothing more can. `replied`: to a message."""
        self.asked[doing.kind] += 1
        done = replied if doing.exchange is None else _is_answered(doing.exchange)
        if done:
            self.answered[doing.kind] += 1
        elif not heard or not self.could_be(doing, sent):
            self.impossible[doing.kind] += 1
        else:
            self.lost[doing.kind] += 1
            self.latest.append(
                f"{doing.kind} after {sent - self.begun:.1f} s: {_why(doing.exchange)}"
            )

    def could_be(self, doing: Doing, sent: float) -> bool:
        """Whether an answer was possible, as is said above."""
        reached, end = self.outages.reached_at(sent), sent + WAITS_S
        if doing.exchange is None:
            return reached < sent + FINISHED_S
        return self.outages.takes_s(reached, end) >= ENOUGH_S

    def total(self, counts: Counter[str]) -> int:
        return sum(counts.values())


def _is_answered(exchange: Exchange) -> bool:
    """Whether there is an answer, and not only the word that there will be one."""
    waits_on = exchange.original is not None and exchange.original.loading
    return exchange.after_s is not None and not waits_on


def _why(exchange: Exchange | None) -> str:
    if exchange is None:
        return "no reply"
    if exchange.after_s is not None:
        return "announced, and never given"
    return "; ".join(exchange.refusals) or "no callback"


def kinds(ledger: Ledger) -> Iterable[str]:
    """A row for each kind of what was done."""
    yield f"{'':16}{'asked':>8}{'answered':>10}{'lost':>6}{'impossible':>12}"
    for kind, asked in sorted(ledger.asked.items()):
        yield (
            f"{kind:16}{asked:8}{ledger.answered[kind]:10}"
            f"{ledger.lost[kind]:6}{ledger.impossible[kind]:12}"
        )
