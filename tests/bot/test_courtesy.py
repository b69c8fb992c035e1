"""How much one person may ask by messages, and all of them together."""

import pytest

from bot.courtesy import MOST_KNOWN, Courtesy, Spread


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_some_at_once_and_then_one_for_each_span(clock: Clock) -> None:
    courtesy = Courtesy(at_once=3, every_s=4, clock=clock)
    assert [courtesy.take(1) for _ in range(5)] == [True, True, True, False, False]
    clock.now += 4
    assert [courtesy.take(1) for _ in range(2)] == [True, False]
    clock.now += 12
    assert [courtesy.take(1) for _ in range(4)] == [True, True, True, False]


def test_one_person_takes_nothing_from_another(clock: Clock) -> None:
    courtesy = Courtesy(at_once=1, every_s=4, clock=clock)
    assert courtesy.take(1)
    assert not courtesy.take(1)
    assert courtesy.take(2)


def test_to_look_uses_nothing_up(clock: Clock) -> None:
    courtesy = Courtesy(at_once=1, every_s=60, clock=clock)
    assert not courtesy.rests(7)
    assert courtesy.take(7)
    assert courtesy.rests(7)
    clock.now += 61
    assert not courtesy.rests(7)


def test_who_has_paid_is_forgotten(clock: Clock) -> None:
    courtesy = Courtesy(at_once=5, every_s=4, clock=clock)
    for who in range(100):
        courtesy.take(who)
    clock.now += 4
    courtesy.take(1000)
    assert list(courtesy._paid) == [1000]  # noqa: SLF001 - what is kept is the point


def test_a_flood_of_people_fills_no_memory(clock: Clock) -> None:
    courtesy = Courtesy(clock=clock)
    for who in range(MOST_KNOWN + 10):
        assert courtesy.take(who)
    assert len(courtesy._paid) <= MOST_KNOWN  # noqa: SLF001 - likewise


def test_answers_are_spread_over_time(clock: Clock) -> None:
    spread = Spread(at_once=10, every_s=0.1, clock=clock)
    waits = [spread.wait_s() for _ in range(30)]
    assert waits[:10] == [0.0] * 10
    assert waits[-1] == pytest.approx(2.0)
    clock.now += 10
    assert spread.wait_s() == 0.0
