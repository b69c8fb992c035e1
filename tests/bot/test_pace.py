"""IDENTIFYs keep their distance and their number an hour; waits grow, with jitter."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.pace import Backoff, Pace, Part, SpentError


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


def paced(*, an_hour: int = 40, gap_s: float = 5, burst: int = 10) -> tuple[Pace, Hours]:
    hours = Hours()
    return Pace(an_hour, gap_s, burst, hours.clock, hours.sleep), hours


async def patiently(pace: Pace, hours: Hours) -> None:
    """Take a turn, however often it must be waited for."""
    while True:
        try:
            return await pace.turn()
        except SpentError as spent:
            hours.now += spent.wait_s


@given(
    st.floats(0, 10),
    st.integers(1, 60),
    st.integers(1, 20),
    st.lists(st.floats(0, 500), min_size=1, max_size=150),
)
async def test_never_too_near_and_never_too_many(
    gap_s: float, an_hour: int, burst: int, between: list[float]
) -> None:
    pace, hours = paced(an_hour=an_hour, gap_s=gap_s, burst=burst)
    gone: list[float] = []
    for wait_s in between:
        hours.now += wait_s
        await patiently(pace, hours)
        gone.append(hours.now)
    assert all(second - first >= gap_s - 1e-6 for first, second in pairwise(gone))
    for place, first in enumerate(gone):
        inside = sum(first <= moment < first + 3600 - 1e-6 for moment in gone[place:])
        assert inside <= an_hour + burst + 1


async def test_the_first_one_does_not_wait() -> None:
    pace, hours = paced()
    await pace.turn()
    hours.now += 60
    await pace.turn()
    assert not any(hours.slept)


async def test_those_who_come_together_go_one_after_another() -> None:
    pace, hours = paced()
    await asyncio.gather(*(pace.turn() for _ in range(4)))
    assert hours.now == 15


async def test_shards_of_other_buckets_do_not_wait() -> None:
    pace, hours = paced()
    pace.part = Part(own=16, count=16, concurrency=16)
    await asyncio.gather(*(pace.turn(shard) for shard in range(16)))
    assert hours.now == 0
    await pace.turn(16)
    assert hours.now == 5


@given(st.integers(1, 100), st.integers(1, 50), st.integers(1, 41))
def test_processes_by_themselves_keep_to_one_hour(own: int, others: int, an_hour: int) -> None:
    """Each to its part of it; all shards of it, and again, may go at once."""
    sizes = (own, others)
    rules = []
    for size in sizes:
        pace, _ = paced(an_hour=an_hour)
        pace.part = Part(own=size, count=sum(sizes))
        rules.append(pace.alone)
    assert sum(1 / one.share_s for one in rules) <= an_hour / 3600 + 1e-9
    assert all(one.burst >= 2 * size for one, size in zip(rules, sizes, strict=True))
    assert sum(one.burst for one in rules) <= max(10 + len(sizes), 2 * sum(sizes) + len(sizes))


@dataclass
class Told:
    """A queue that says how often it was asked."""

    counts_hours: bool
    there: bool = True
    asked: list[int] = field(default_factory=list)

    async def turn(self, _pace: Pace, shard_id: int, *, patience_s: float) -> bool:
        del patience_s
        self.asked.append(shard_id)
        return self.there


@pytest.mark.parametrize("counts_hours", [False, True])
async def test_a_queue_is_asked_and_who_counts_hours_is_believed(counts_hours: bool) -> None:
    pace, hours = paced(burst=1)
    pace.queue = told = Told(counts_hours)
    await pace.turn(3)
    hours.now += 10
    if counts_hours:
        await pace.turn(4)
        assert told.asked == [3, 4]
    else:
        with pytest.raises(SpentError):
            await pace.turn(4)
        assert told.asked == [3]


async def test_where_it_is_down_this_process_counts_and_keeps_apart_from_others() -> None:
    pace, hours = paced(an_hour=60)
    pace.queue, pace.part = Told(counts_hours=True, there=False), Part(own=1, count=2)
    for _ in range(5):
        await pace.turn()
        assert 0 <= hours.slept.pop() <= 5  # at random, so that two do not meet again and again
    with pytest.raises(SpentError):
        await pace.turn()


async def test_a_bad_quarter_of_an_hour_does_not_cost_the_hour() -> None:
    pace, hours = paced()
    waits: list[float] = []
    while hours.now < 900:
        before = hours.now
        await patiently(pace, hours)
        waits.append(hours.now - before)
    assert max(waits) <= 90
    assert len(waits) > 10


async def test_where_the_hour_is_used_up_a_client_is_told() -> None:
    pace, _ = paced(burst=1)
    await pace.turn()
    with pytest.raises(SpentError) as spent:
        await pace.turn()
    assert spent.value.wait_s == pytest.approx(90)


@given(st.lists(st.floats(0, 200), min_size=1, max_size=40))
def test_waits_grow_to_the_longest_and_no_further(lives: list[float]) -> None:
    backoff = Backoff(longest_s=60, first_s=1)
    waits = [backoff.failed(lived) for lived in lives]
    for place, wait_s in enumerate(waits):
        step = min(60, 2**place)
        assert step / 2 <= wait_s <= step


def test_a_steady_life_ends_a_row_of_failures() -> None:
    backoff = Backoff(longest_s=60, first_s=1)
    for _ in range(10):
        backoff.failed(0)
    assert backoff.failed(1) >= 30
    assert backoff.failed(3600) <= 1
    assert backoff.failed(0) <= 2
