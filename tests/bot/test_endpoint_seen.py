"""Interactions that came already, and for how long, and how many, that is known."""

from bot.endpoint.seen import KEPT_S, MOST, Seen
from bot.endpoint.signed import LONGEST_S


class Clock:
    """Seconds that a test lets pass."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_an_id_is_known_for_as_long_as_its_call_could_be_repeated() -> None:
    clock = Clock()
    seen = Seen(clock)
    assert seen.is_new("1")
    clock.now = 2 * LONGEST_S - 1
    assert not seen.is_new("1")
    clock.now = KEPT_S
    assert seen.is_new("1")
    assert not seen.is_new("1")


def test_what_nobody_took_may_come_again() -> None:
    seen = Seen()
    assert seen.is_new("1")
    seen.forget("1")
    assert seen.is_new("1")


def test_of_too_many_the_oldest_are_forgotten() -> None:
    seen = Seen(Clock())
    assert all(seen.is_new(str(number)) for number in range(MOST + 1))
    assert not seen.is_new(str(MOST))
    assert not seen.is_new("1")
    assert seen.is_new("0")
