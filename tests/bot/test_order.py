"""Presses on one message: each on top of the one before it, and nothing for longer than needed."""

import asyncio

import pytest

from bot.pressing.order import KEPT_S, Order

FIRST, SECOND, OTHER = ("train 7B lora",), ("train 7B lora bs 4",), ("train 13B full",)


async def test_a_press_on_what_is_no_longer_so_counts_on_what_is() -> None:
    async with Order().at(1) as place:
        assert place.base(FIRST) == FIRST
        place.moves_to(SECOND)
        assert place.base(FIRST) == SECOND
        assert place.base(SECOND) == SECOND


async def test_what_another_process_made_of_it_counts() -> None:
    async with Order().at(1) as place:
        place.base(FIRST)
        place.moves_to(SECOND)
        assert place.base(OTHER) == OTHER
        assert place.base(FIRST) == FIRST


async def test_messages_know_nothing_of_each_other() -> None:
    order = Order()
    async with order.at(1) as one, order.at(2) as other:
        one.base(FIRST)
        one.moves_to(SECOND)
        assert other.base(FIRST) == FIRST


async def test_a_place_is_kept_for_a_while_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("bot.pressing.order.monotonic", lambda: now)
    order = Order()
    async with order.at(1) as before:
        pass
    now = KEPT_S
    async with order.at(1) as same:
        assert same is before
    now = 3 * KEPT_S
    async with order.at(2):
        assert len(order) == 1
    async with order.at(1) as fresh:
        assert fresh is not before


async def test_a_place_that_is_used_is_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("bot.pressing.order.monotonic", lambda: now)
    order = Order()
    async with order.at(1) as before:
        now = 10 * KEPT_S
        async with order.at(1) as same:
            assert same is before


async def test_turns_come_in_the_order_of_their_presses() -> None:
    order, taken = Order(), []

    async def press(number: int) -> None:
        async with order.at(1) as place, place.lock:
            await asyncio.sleep(0)
            taken.append(number)

    await asyncio.gather(*(press(number) for number in range(9)))
    assert taken == [*range(9)]
