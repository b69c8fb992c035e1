"""What is measured of a program: its start, the highest rate, a flood, a long run."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.load.asking import Asking
from tests.load.crowd import COMMAND, PICTURE, Crowd
from tests.load.figures import Figures
from tests.load.processes import rss
from tests.load.programs import Program
from tests.wire.forgetting import forget
from tests.wire.messages import Message
from tests.wire.people import Json
from tests.wire.standin import StandIn

PATIENCE_S = 120  # for a start, and for the first answers, however slow this machine is
SETTLE_S = 3.0  # after READY: the process that draws is started then
WARM = 120  # questions, in all languages, before anything is timed
PRESSED = 100  # answers whose buttons are pressed
STEP = 1.25  # from one rate to the next
FIRST_RATE = 20.0  # a second
HOLDS_MS, HOLDS_SHARE = 50, 0.999  # of p99, and of what is answered
FLOOD = 40.0  # pictures a second, more than can be drawn
SLICES = 20  # of a long run, after each of which memory is looked at

Start = Callable[[StandIn, Path, int | None], AbstractAsyncContextManager[Program]]


@dataclass
class Started:
    """Seconds from the start of a process, and bytes."""

    ready_s: float
    answered_s: float = 0.0
    rss: int = 0
    rss_drawer: int = 0


@dataclass
class Held:
    """Rates that were tried, in order, and the highest that held."""

    tried: list[Figures] = field(default_factory=list)
    best: Figures | None = None


async def started(start: Start, folder: Path, core: int | None, times: int) -> list[Started]:
    """Start it several times on one stand-in: the first time it also registers its commands."""
    found = []
    async with StandIn() as standin:
        crowd = Crowd(standin)
        for number in range(times):
            async with start(standin, folder / f"start{number}", core) as program:
                await standin.ready(timeout=PATIENCE_S)
                one = Started(standin.clock.now() - program.begun)
                standin.settings.answer_within_s = PATIENCE_S
                reply = await standin.ask(crowd.command())
                await reply.finished(PATIENCE_S)
                one.answered_s = standin.clock.now() - program.begun
                await asyncio.sleep(SETTLE_S)
                one.rss = rss(program.pid)
                drawer = program.drawer
                one.rss_drawer = 0 if drawer is None else rss(drawer)
            found.append(one)
    return found


@asynccontextmanager
async def warm(
    start: Start,
    folder: Path,
    core: int | None,
    answers: list[Json],
    questions: int = WARM,
    *,
    seed: int = 1,
    distinct: int = 0,
) -> AsyncIterator[Asking]:
    """A program that has answered so many questions; `answers` is filled, where it is empty."""
    async with StandIn() as standin:
        crowd = Crowd(standin, seed, distinct, answers)
        async with start(standin, folder, core) as program:
            await standin.ready(timeout=PATIENCE_S)
            within_s, standin.settings.answer_within_s = (
                standin.settings.answer_within_s,
                PATIENCE_S,
            )
            empty = not answers
            for exchange in crowd.several(questions):
                reply = await standin.ask(exchange, PATIENCE_S)
                await reply.finished(PATIENCE_S)
                if empty and len(answers) < PRESSED and isinstance(reply.stored, Message):
                    crowd.learn(reply.stored)
                forget(standin, [exchange])
            standin.settings.answer_within_s = within_s
            yield Asking(standin, crowd, program)


async def highest(asking: Asking, scenario: str, seconds: float) -> Held:
    """Raise the rate until it does not hold; then try once between the last two."""
    held, rate = Held(), FIRST_RATE
    while await _tried(asking, scenario, rate, seconds, held):
        rate *= STEP
    if held.best is not None:
        await _tried(asking, scenario, (held.best.rate + rate) / 2, seconds, held)
    return held


async def _tried(asking: Asking, scenario: str, rate: float, seconds: float, held: Held) -> bool:
    figures = await asking.at(rate, seconds, scenario)
    held.tried.append(figures)
    if not holds(figures):
        return False
    held.best = figures
    return True


def holds(figures: Figures) -> bool:
    """Whether all are answered in time at this rate."""
    total = figures.all
    return total.answered >= HOLDS_SHARE * total.asked and total.ms(0.99) <= HOLDS_MS


async def flood(asking: Asking, rate: float, seconds: float) -> Figures:
    """Plain questions at a rate, while more pictures are wanted than can be drawn."""
    pictures = Asking(asking.standin, asking.crowd, asking.program)
    both = await asyncio.gather(
        asking.at(rate, seconds, COMMAND), pictures.at(FLOOD, seconds, PICTURE)
    )
    plain, drawn = both
    plain.tallies |= drawn.tallies
    return plain


async def long(asking: Asking, rate: float, scenario: str, interactions: int) -> list[Figures]:
    """So many interactions, in slices, each with what memory there was at its end."""
    seconds = interactions / rate / SLICES
    return [await asking.at(rate, seconds, scenario) for _ in range(SLICES)]
