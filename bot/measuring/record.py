"""What is kept of a peak that was measured, and what many of them come to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from estimator import Statistic, Task


@dataclass(frozen=True, slots=True)
class Record:
    """A measured peak beside its estimate. `line`: the canonical one, never what was typed.

    `version`: of the program that estimated; `kept_at`: seconds since 1970.
    """

    line: str
    task: Task
    statistic: Statistic
    measured_bytes: int
    estimated_bytes: int
    low_bytes: int
    high_bytes: int
    version: str
    kept_at: int

    @property
    def difference(self) -> float:
        """What was measured over what was estimated, less one: 0.03 is 3 % more than estimated."""
        return self.measured_bytes / self.estimated_bytes - 1

    @property
    def inside(self) -> bool:
        """Whether it lies in the range."""
        return self.low_bytes <= self.measured_bytes <= self.high_bytes


@dataclass(frozen=True, slots=True)
class Standing:
    """How far off the estimates of some records were.

    `off`: the median of differences without their signs; `by_task`: the same of each task.
    """

    count: int
    inside: int
    off: float
    by_task: Mapping[Task, float]


def standing_of(records: Sequence[Record]) -> Standing | None:
    """None where there are none."""
    if not records:
        return None
    by_task: dict[Task, list[float]] = defaultdict(list)
    for one in records:
        by_task[one.task].append(abs(one.difference))
    return Standing(
        count=len(records),
        inside=sum(one.inside for one in records),
        off=median(abs(one.difference) for one in records),
        by_task={task: median(by_task[task]) for task in Task if task in by_task},
    )
