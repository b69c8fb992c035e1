"""IDENTIFYs keep their distance and their number an hour; waits grow, with jitter."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.pace import Backoff, Pace


@dataclass
class Hours:
    """A clock that only sleeping moves."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def paced(gap_s: float, an_hour: int) -> tuple[Pace, Hours]:
    hours = Hours()
    return Pace(gap_s, an_hour, hours.clock, hours.sleep), hours


@given(st.floats(0, 10), st.integers(1, 60), st.lists(st.floats(0, 500), min_size=1, max_size=150))
async def test_never_too_near_and_never_too_many(
    gap_s: float, an_hour: int, between: list[float]
) -> None:
    pace, hours = paced(gap_s, an_hour)
    gone: list[float] = []
    for wait_s in between:
        hours.now += wait_s
        await pace.turn()
        gone.append(hours.now)
    assert all(second - first >= gap_s - 1e-6 for first, second in pairwise(gone))
    for place, first in enumerate(gone):
        assert sum(first <= moment < first + 3600 - 1e-6 for moment in gone[place:]) <= an_hour


async def test_the_first_one_does_not_wait() -> None:
    pace, hours = paced(5, 50)
    await pace.turn()
    assert hours.slept == []
    hours.now += 60
    await pace.turn()
    assert hours.slept == []


async def test_those_who_come_together_go_one_after_another() -> None:
    pace, hours = paced(5, 50)
    await asyncio.gather(*(pace.turn() for _ in range(4)))
    assert hours.now == 15


@given(st.lists(st.floats(0, 200), min_size=1, max_size=40))
def test_waits_grow_to_the_longest_and_no_further(lives: list[float]) -> None:
    backoff = Backoff(first_s=1, longest_s=60)
    waits = [backoff.failed(lived) for lived in lives]
    for place, wait_s in enumerate(waits):
        step = min(60, 2**place)
        assert step / 2 <= wait_s <= step


def test_a_steady_life_ends_a_row_of_failures() -> None:
    backoff = Backoff(first_s=1, longest_s=60)
    for _ in range(10):
        backoff.failed(0)
    assert backoff.failed(1) >= 30
    assert backoff.failed(3600) <= 1
    assert backoff.failed(0) <= 2
