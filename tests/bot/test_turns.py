"""Turns: how many at once, who comes next, and who is sent away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from bot.turns import Turns, let_others

LONGEST_S = 2.5


@dataclass
class Office:
    """Visitors who stay until they are told to go."""

    at_once: int
    now: float = 0.0
    served: list[int] = field(default_factory=list)
    sent_away: list[int] = field(default_factory=list)
    visits: dict[int, asyncio.Task[None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.turns = Turns(self.at_once, LONGEST_S, lambda: self.now)
        self.leaves: dict[int, asyncio.Event] = {}

    async def come(self, *numbers: int, of: object = None) -> None:
        for number in numbers:
            self.leaves[number] = asyncio.Event()
            self.visits[number] = asyncio.create_task(self._visit(number, of))
        await settled()

    async def leave(self, *numbers: int) -> None:
        for number in numbers:
            self.leaves[number].set()
        await settled()

    async def _visit(self, number: int, of: object) -> None:
        async with self.turns.turn(of) as in_time:
            if not in_time:
                self.sent_away.append(number)
                return
            self.served.append(number)
            await self.leaves[number].wait()


async def settled() -> None:
    """Let everyone do what they can do now."""
    for _ in range(5):
        await asyncio.sleep(0)


@asynccontextmanager
async def opened(at_once: int) -> AsyncIterator[Office]:
    """An office from which everybody has gone in the end, and that is free again."""
    office = Office(at_once)
    yield office
    for _ in range(len(office.visits)):
        await office.leave(*office.visits)
    await asyncio.gather(*office.visits.values(), return_exceptions=True)
    office.served.clear()
    await office.come(*range(100, 100 + at_once))
    assert len(office.served) == at_once
    await office.leave(*office.visits)


async def test_the_first_do_not_wait_and_then_the_newest_is_next() -> None:
    async with opened(2) as office:
        await office.come(1, 2, 3, 4, 5)
        assert office.served == [1, 2]
        await office.leave(1)
        assert office.served == [1, 2, 5]
        await office.come(6)
        await office.leave(2, 5)
        assert office.served == [1, 2, 5, 6, 4]
        assert office.sent_away == []


async def test_who_waited_for_too_long_is_sent_away_and_holds_nobody_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened(1) as office:
        await office.come(1, 2, 3)
        office.now = LONGEST_S
        await office.come(4, 5)
        await office.leave(1)
        assert office.sent_away == [2, 3]
        assert office.served == [1, 5]
        assert caplog.messages == ["2 commands came to no turn while Discord waited for them"]


async def test_after_a_flood_nobody_waits() -> None:
    async with opened(1) as office:
        await office.come(*range(1, 50))
        office.now = LONGEST_S
        await office.leave(1)
        await office.come(60)
        assert office.served == [1, 60]


async def test_a_turn_of_who_has_gone_is_not_lost() -> None:
    async with opened(1) as office:
        await office.come(1, 2, 3)
        office.visits[3].cancel()
        await settled()
        await office.leave(1)
        assert office.served == [1, 2]


async def test_a_turn_that_is_given_to_who_is_going_is_passed_on() -> None:
    async with opened(1) as office:
        await office.come(1, 2, 3)
        office.leaves[1].set()
        await asyncio.sleep(0)  # the first leaves and gives its turn to the last
        office.visits[3].cancel()
        await settled()
        assert office.served == [1, 2]


async def test_a_visit_that_fails_gives_its_turn_back() -> None:
    async with opened(1) as office:
        await office.come(1, 2)
        office.visits[1].cancel()
        await settled()
        assert office.served == [1, 2]


async def test_those_who_wait_for_the_same_come_in_their_order() -> None:
    """As presses on one message do, among others; the newest thing is still first."""
    async with opened(1) as office:
        await office.come(1)
        await office.come(2, 3, 4, of="a message")
        await office.come(5)
        await office.come(6, 7, of="another")
        for number in (1, 6, 7, 5, 2, 3):
            await office.leave(number)
        assert office.served == [1, 6, 7, 5, 2, 3, 4]


async def test_who_takes_long_lets_others_and_gives_no_turn_back_twice() -> None:
    turns, served = Turns(1, LONGEST_S), []

    async def visit(number: int, leaves: asyncio.Event) -> None:
        async with turns.turn():
            served.append(number)
            if number == 1:
                let_others()
                let_others()
            await leaves.wait()

    leaves = [asyncio.Event() for _ in range(3)]
    visits = [asyncio.create_task(visit(number, leaves[number - 1])) for number in (1, 2, 3)]
    await settled()
    assert served == [1, 2]
    leaves[0].set()
    await settled()
    assert served == [1, 2]
    leaves[1].set()
    await settled()
    assert served == [1, 2, 3]
    leaves[2].set()
    await asyncio.gather(*visits)
