"""Garbage is looked for, and each search looks at what came since the one before it."""

import asyncio
import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from bot import pauses
from bot.pauses import settle
from bot.tidying import tidy, tidy_hourly


class Thing:
    """What can be part of a circle."""

    def __init__(self) -> None:
        self.other: Thing | None = None


def circle() -> ref[Thing]:
    """Two things that hold each other alone."""
    one, two = Thing(), Thing()
    one.other, two.other = two, one
    return ref(one)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """This process looks for garbage as it did."""
    callbacks = [*gc.callbacks]
    yield
    gc.callbacks[:] = callbacks
    gc.unfreeze()


def test_what_a_search_has_left_is_not_looked_at_again() -> None:
    settle()
    kept = [Thing() for _ in range(1000)]
    gc.collect()
    left = {id(one) for one in gc.get_objects()}
    assert not left & {id(one) for one in kept}
    assert gc.isenabled()


def test_settling_twice_is_settling_once() -> None:
    settle()
    settle()
    assert sum(one is pauses._stay for one in gc.callbacks) == 1  # noqa: SLF001  (it is ours)


def test_garbage_that_comes_later_goes() -> None:
    settle()
    gone = circle()
    gc.collect()
    assert gone() is None


def test_what_became_garbage_while_it_stayed_goes_when_all_is_tidied() -> None:
    one, two = Thing(), Thing()
    one.other, two.other = two, one
    gone = ref(one)
    settle()
    del one, two
    gc.collect()
    assert gone() is not None
    tidy()
    assert gone() is None


async def test_all_is_tidied_when_nobody_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.tidying.EVERY_S", 0)
    monkeypatch.setattr("bot.tidying.QUIET_S", 0.001)
    asked, tidied = 0, asyncio.Event()

    def is_quiet() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    def now() -> None:
        assert asked == 4
        tidied.set()

    monkeypatch.setattr("bot.tidying.tidy", now)
    task = asyncio.create_task(tidy_hourly(is_quiet))
    await tidied.wait()
    task.cancel()
