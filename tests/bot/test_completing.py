"""What takes long goes on aside of the event loop: others are answered meanwhile, and in time."""

import asyncio
import threading

from bot.ask import Answered, Replied, open_desk
from bot.asking import completed, completed_beside
from bot.completing import MOST_WAITING, Completing

LINE = "train 7B full 4090"
DESK = open_desk()
PLAIN = DESK.ask(LINE)


class Slow:
    """Completes an answer once it may go on."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()

    def __call__(self) -> Answered:
        self.may_go_on.wait(30)
        return completed(DESK, PLAIN)


def is_advised(made: tuple[Answered, bool]) -> bool:
    found, whole = made
    return whole and isinstance(found, Replied) and found.advice is not None


async def test_the_loop_goes_on_meanwhile() -> None:
    slow = Slow()
    task = asyncio.create_task(Completing().run(slow, PLAIN))
    await asyncio.sleep(0)  # which would never come back if it were worked out here
    assert not task.done()
    slow.may_go_on.set()
    assert is_advised(await task)


async def test_who_comes_when_many_wait_is_answered_without_it() -> None:
    slow, completing = Slow(), Completing()
    tasks = [asyncio.create_task(completing.run(slow, PLAIN)) for _ in range(MOST_WAITING)]
    await asyncio.sleep(0)
    assert await completing.run(slow, PLAIN) == (PLAIN, False)
    slow.may_go_on.set()
    assert all(map(is_advised, await asyncio.gather(*tasks)))
    assert is_advised(await completing.run(slow, PLAIN))


async def test_a_refusal_is_left_as_it_is() -> None:
    refused = DESK.ask("train frobnicate")
    assert await completed_beside(DESK, refused) == (refused, True)
