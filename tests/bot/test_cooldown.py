"""How much one person and one server may ask: counted cheaply, and within bounds."""

import logging

import pytest

from bot.cooldown import LISTS, TOLD_AT_ONCE, WRITTEN_AT_ONCE, Asker, Cooldowns, Kind
from bot.courtesy import AT_ONCE, MOST_KNOWN
from bot.sections import LimitSettings


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def usual(clock: Clock) -> Cooldowns:
    limits = LimitSettings()
    return Cooldowns(limits.person_a_minute, limits.server_a_minute, clock)


def taken(cooldowns: Cooldowns, kind: Kind, askers: list[Asker]) -> int:
    """How many of them are answered, one after the other."""
    return sum(cooldowns.rest(kind, asker) is None for asker in askers)


def test_a_person_has_half_a_minutes_at_once_and_then_one_a_second(clock: Clock) -> None:
    cooldowns, ana = usual(clock), Asker(1, 7)
    assert taken(cooldowns, Kind.ASKED, [ana] * 100) == 30
    clock.now += 10
    assert taken(cooldowns, Kind.ASKED, [ana] * 100) == 10
    assert taken(cooldowns, Kind.LISTED, [ana] * 1000) == 30 * LISTS


def test_a_press_a_second_goes_on_for_ever(clock: Clock) -> None:
    cooldowns = usual(clock)
    for _ in range(600):
        clock.now += 1
        assert cooldowns.rest(Kind.ASKED, Asker(1, 7)) is None


def test_three_hundred_a_second_of_many_people_and_servers_are_answered(clock: Clock) -> None:
    cooldowns = usual(clock)
    for second in range(20):
        clock.now += 1
        askers = [Asker(1 + (300 * second + n) % 900, 1 + n % 4) for n in range(300)]
        assert taken(cooldowns, Kind.ASKED, askers) == 300


def test_a_server_leaves_two_thirds_of_a_process(clock: Clock) -> None:
    cooldowns = usual(clock)
    taken(cooldowns, Kind.ASKED, [Asker(n, 7) for n in range(1, 5000)])
    clock.now += 1
    assert taken(cooldowns, Kind.ASKED, [Asker(n, 7) for n in range(5000, 6000)]) == 100
    assert taken(cooldowns, Kind.ASKED, [Asker(1, 8)]) == 1


def test_what_a_person_is_refused_costs_the_server_nothing(clock: Clock) -> None:
    cooldowns = Cooldowns(60, 240, clock)  # of a server 40 at once
    assert taken(cooldowns, Kind.ASKED, [Asker(1, 7)] * 500) == 30
    assert taken(cooldowns, Kind.ASKED, [Asker(2, 7)] * 500) == 10


def test_messages_have_limits_of_their_own_that_stay_on(clock: Clock) -> None:
    cooldowns = Cooldowns(0, 0, clock)
    assert taken(cooldowns, Kind.WRITTEN, [Asker(1, 7)] * 20) == AT_ONCE
    others = [Asker(n, 7) for n in range(2, 200)]
    assert taken(cooldowns, Kind.WRITTEN, others) == WRITTEN_AT_ONCE - AT_ONCE
    assert taken(cooldowns, Kind.ASKED, [Asker(1, 7)] * 500) == 500


def test_the_wait_is_told_and_not_each_time(clock: Clock) -> None:
    cooldowns = Cooldowns(2, 0, clock)
    assert cooldowns.rest(Kind.ASKED, Asker(1)) is None
    found = [cooldowns.rest(Kind.ASKED, Asker(1)) for _ in range(5)]
    assert [rest.wait_s for rest in found if rest] == [pytest.approx(30)] * 5
    assert [rest.told for rest in found if rest] == [True] * TOLD_AT_ONCE + [False] * 2


def test_other_numbers_hold_from_now_on(clock: Clock) -> None:
    cooldowns = Cooldowns(2, 0, clock)
    taken(cooldowns, Kind.ASKED, [Asker(1)] * 3)
    cooldowns.allow(0, 0)
    assert taken(cooldowns, Kind.ASKED, [Asker(1)] * 100) == 100


def test_people_and_servers_without_end_fill_no_memory(clock: Clock) -> None:
    cooldowns = usual(clock)
    for number in range(1, MOST_KNOWN + 500):
        cooldowns.rest(Kind.ASKED, Asker(number, number))
    kept = cooldowns._shares[Kind.ASKED]  # noqa: SLF001 - what is kept is the point
    assert kept.person is not None
    assert kept.server is not None
    assert len(kept.person._paid) == len(kept.server._paid) == MOST_KNOWN  # noqa: SLF001


def test_the_operator_hears_how_many_at_most_once_a_minute(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    cooldowns = Cooldowns(2, 0, clock)
    with caplog.at_level(logging.WARNING, "bot.cooldown"):
        taken(cooldowns, Kind.ASKED, [Asker(n) for n in range(1, 50) for _ in range(3)])
        clock.now += 61
        taken(cooldowns, Kind.ASKED, [Asker(1)] * 3)
    counts = [record.args[0] for record in caplog.records if isinstance(record.args, tuple)]
    assert counts == [1, 49 * 2]
