"""The tables that are printed, and what is to be reached."""

from dataclasses import dataclass

from estimator import THOUSAND
from estimator.units import MB
from tests.load.figures import Figures, Tally, percentile

NEAR = 0.8  # of its core; a stand-in that is busier is slow itself, and its figures are too high
HEAD = (
    f"{'':22}{'asked':>8}{'answered':>9}{'p50 ms':>8}{'p95 ms':>8}{'p99 ms':>8}"
    f"{'cpu ms':>8}{'busy':>6}{'starved':>8}{'RSS':>8}{'stand-in':>10}{'late p99':>9}"
)
MEANING = (
    "p50 … p99: from the event to its callback, whole. cpu: of the program's process, an answer.\n"
    "busy: share of a core that the program used, and that the stand-in used, which also asks;\n"
    "starved: share of the time for which the program wanted a core that others had: where that\n"
    "is more than little, all times are those of a machine that is busy with something else;\n"
    "late: by how much the stand-in sent an event after it was due, in ms."
)


@dataclass(frozen=True)
class Target:
    """Something to be reached: a figure that may be so large, or must be."""

    name: str
    value: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def reached(self) -> bool:
        if self.at_least:
            return self.value >= self.limit
        return self.value <= self.limit

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "reached" if self.reached else "MISSED"
        wanted = f"{sign} {self.limit:g} {self.unit}"
        return f"{self.name:54}{self.value:10.2f} {self.unit:9}{wanted:>16}  {verdict}"


def row(name: str, figures: Figures, tally: Tally | None = None) -> str:
    """One row of the table; `tally`: of one kind of what was asked."""
    own = figures.all if tally is None else tally
    late = percentile(figures.lateness, 0.99) * THOUSAND
    mark = " !" if figures.busy > NEAR else ""
    return (
        f"{name:22}{own.asked:8}{own.answered:9}"
        f"{own.ms(0.5):8.1f}{own.ms(0.95):8.1f}{own.ms(0.99):8.1f}{figures.processor_ms:8.2f}"
        f"{figures.busy_bot:6.0%}{figures.starved:8.0%}{mb(figures.rss):>8}{figures.busy:10.0%}{late:9.1f}{mark}"
    )


def mb(amount: int) -> str:
    """Bytes as they are said of a process."""
    return f"{amount / MB:.0f} MB"


def summary(targets: list[Target]) -> str:
    """The last line."""
    reached = sum(target.reached for target in targets)
    missed = ", ".join(target.name for target in targets if not target.reached)
    return f"overall: {reached} of {len(targets)} reached" + (
        f"; missed: {missed}" if missed else ""
    )
