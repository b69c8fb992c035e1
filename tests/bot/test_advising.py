"""Advice aside of the event loop: others are answered meanwhile, and in time."""

import asyncio
import threading
from dataclasses import replace

from bot.advising import MOST_WAITING, Advising
from bot.ask import Answered, Desk, Replied, open_desk
from bot.locale import load_locale
from estimator import load_catalog

LINE = "train 7B full 4090"
DESK = open_desk()


class Slow(Desk):
    """A desk whose advice waits until it may go on."""

    def __init__(self) -> None:
        super().__init__(load_locale(), load_catalog())
        self.may_go_on = threading.Event()

    def advised(self, found: Answered) -> Answered:
        self.may_go_on.wait(30)
        return super().advised(found)


async def test_the_loop_goes_on_while_advice_is_looked_for() -> None:
    slow, advising = Slow(), Advising()
    task = asyncio.create_task(advising(slow, slow.ask(LINE)))
    await asyncio.sleep(0)  # which would never come back if advice were looked for here
    assert not task.done()
    slow.may_go_on.set()
    found = await task
    assert isinstance(found, Replied)
    assert found.advice is not None


async def test_who_comes_when_many_wait_is_answered_without_it() -> None:
    slow, advising = Slow(), Advising()
    plain = slow.ask(LINE)
    tasks = [asyncio.create_task(advising(slow, plain)) for _ in range(MOST_WAITING)]
    await asyncio.sleep(0)
    assert await advising(slow, plain) is plain
    slow.may_go_on.set()
    for found in await asyncio.gather(*tasks):
        assert isinstance(found, Replied)
        assert found.advice is not None
    after = await advising(slow, plain)
    assert isinstance(after, Replied)
    assert after.advice is not None


async def test_a_refusal_is_left_as_it_is() -> None:
    refused = DESK.ask("train frobnicate")
    assert await Advising()(DESK, refused) is refused
    assert not hasattr(refused, "advice")
    assert replace(refused) == refused
