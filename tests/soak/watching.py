"""What the bot's process holds, over time, and whether it grows."""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression

from estimator.units import MB
from tests.load.figures import growth
from tests.load.processes import open_files, rss, threads, waited_s
from tests.load.programs import Program
from tests.soak.inside import ASKED

MOST_GROWTH = 0.03  # from the first quarter of the time to the last
SPARE = 5  # files, threads and tasks more than that: they come and go by ones
TOLD_WITHIN_S = 1.0
HOUR_S = 3600


@dataclass(frozen=True)
class Look:
    """At one time, in seconds. Memory in bytes."""

    at: float
    rss: int
    rss_drawer: int
    files: int
    threads: int
    tasks: int
    waited_s: float = 0.0  # for a core, since the process began

    def __str__(self) -> str:
        return (
            f"RSS {self.rss / MB:.0f} + {self.rss_drawer / MB:.0f} MB, {self.files} files, "
            f"{self.threads} threads, {self.tasks} tasks"
        )


async def look(program: Program, told: Path, at: float) -> Look:
    """How it is now. `told`: the file in which the process tells its tasks."""
    _gone(told)
    os.kill(program.pid, ASKED)
    tasks = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(TOLD_WITHIN_S):
            while not tasks:
                await asyncio.sleep(0.02)
                tasks = _number_in(told)
    drawer, drawn = program.drawer, 0
    if drawer is not None:
        with suppress(OSError):  # it may end at any time
            drawn = rss(drawer)
    pid = program.pid
    return Look(at, rss(pid), drawn, open_files(pid), threads(pid), tasks, waited_s(pid))


def _gone(file: Path) -> None:
    file.unlink(missing_ok=True)


def _number_in(file: Path) -> int:
    try:
        return int(file.read_text(encoding="ascii") or 0)
    except FileNotFoundError:
        return 0


def grown(looks: Sequence[Look]) -> list[str]:
    """What grew by more than it may, in words."""
    kinds: dict[str, tuple[Callable[[Look], int], int]] = {
        "RSS": (lambda one: one.rss, 0),
        "files": (lambda one: one.files, SPARE),
        "threads": (lambda one: one.threads, SPARE),
        "tasks": (lambda one: one.tasks, SPARE),
    }
    found = []
    for name, (of, spare) in kinds.items():
        values = [of(one) for one in looks]
        more = growth(values)
        if more > MOST_GROWTH and more * min(values) > spare:
            found.append(f"{name} grew by {more:.1%}")
    return found


def starved(looks: Sequence[Look]) -> float:
    """The share of the time for which the process wanted a core that others had."""
    if len(looks) < 2:
        return 0.0
    return (looks[-1].waited_s - looks[0].waited_s) / (looks[-1].at - looks[0].at)


def slope_mb_an_hour(looks: Sequence[Look]) -> float:
    """How much memory it gains, by a straight line through all that was seen."""
    if len(looks) < 2:
        return 0.0
    line = linear_regression([one.at for one in looks], [one.rss / MB for one in looks])
    return line.slope * HOUR_S
