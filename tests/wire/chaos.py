"""REST out of order at random, while people ask: how many answers are lost. Seeded.

    .venv/bin/python -m tests.wire.chaos --minutes 5 --seed 7

The real client is on a stand-in in the same process. An answer counts as lost if its event reached
the bot and the callback route took calls for a second and more of the three that follow. A second
in which this machine held everybody up counts for nobody.
"""

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic

from tests.wire.callbacks import Exchange, State
from tests.wire.faults import CALLBACK, Cut, Delay, Harm, Html, Status, TooMany
from tests.wire.messages import Message
from tests.wire.our_bot import QUERY, ready
from tests.wire.standin import BUTTON, Person, StandIn
from tests.wire.under import COPY, SELECT, SIZE, ids

WAITS_S, TOOK_S = 3.0, 1.0  # Discord for an answer; and the route calls, at least, of that
LOOK_S, HELD_UP_S = 0.02, 0.1  # how often the machine is looked at; what it is held up by
EVERY_S = 0.25  # somebody asks, on average
OUT_S, WELL_S = (0.2, 2.2), (0.3, 2.5)  # how long it is out of order, and how long it is not
REST_S = 75.0  # in which what was announced or written is answered in the end
HARMS: tuple[Harm, ...] = (
    *(Status(status) for status in (500, 502, 503, 504)),
    Cut(after=False),
    Cut(after=True),
    TooMany(0.4, via=True, everywhere=False),
    TooMany(0.4, via=True, everywhere=True),
    TooMany(0.4, via=False, everywhere=False),
    TooMany(60, via=False, everywhere=False),
    Html(200),
    Html(502),
    Delay(60, after=False),
    Delay(60, after=True),
)
Spans = list[tuple[float, float]]


@dataclass
class Tally:
    """What was asked, by kind; what became of it."""

    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = (
            f"{kind}: {self.answered[kind]} of {many} answered, "
            f"{self.excused[kind]} had no second of the three"
            for kind, many in sorted(self.asked.items())
        )
        return "\n".join([*kinds, *self.lost, f"lost: {len(self.lost)}"])


@dataclass
class Chaos:
    """One run; `shut` are the spans in which the callback route took no calls."""

    standin: StandIn
    chance: random.Random
    tally: Tally = field(default_factory=Tally)
    shut: Spans = field(default_factory=list)
    shown: list[Message] = field(default_factory=list)

    async def run(self, seconds: float) -> Tally:
        """Ask for so long, and count when all is over."""
        end = monotonic() + seconds
        looking = asyncio.create_task(self._look())
        striking = asyncio.create_task(self._strike(end))
        asking: list[asyncio.Task[None]] = []
        number = 0
        while monotonic() < end:
            number += 1
            asking.append(asyncio.create_task(self._ask(number)))
            await asyncio.sleep(self.chance.uniform(0, 2 * EVERY_S))
        await striking
        await asyncio.gather(*asking)
        looking.cancel()
        return self.tally

    async def _look(self) -> None:
        """Note when everybody was held up, as by another program on this machine."""
        while True:
            before = monotonic()
            await asyncio.sleep(LOOK_S)
            if monotonic() - before > HELD_UP_S:
                self.shut.append((before, monotonic()))

    async def _strike(self, end: float) -> None:
        """One fault after the other, of the callback route or of all."""
        while monotonic() < end:
            await asyncio.sleep(self.chance.uniform(*WELL_S))
            route = self.chance.choice((CALLBACK, CALLBACK, None))
            begun = monotonic()
            fault = self.standin.faults.arm(self.chance.choice(HARMS), route=route, times=None)
            await asyncio.sleep(self.chance.uniform(*OUT_S))
            fault.clear()
            self.shut.append((begun, monotonic()))

    async def _ask(self, number: int) -> None:
        if self.chance.random() < 0.2:
            await self._mention(number)
            return
        kind, exchange = self._exchange(number)
        self.tally.asked[kind] += 1
        born = monotonic()
        await self.standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        try:
            await exchange.changed.until(lambda: _is_answered(exchange), 2 * WAITS_S, "an answer")
            if exchange.state is State.THINKING:
                await exchange.changed.until(
                    lambda: exchange.state is not State.THINKING, REST_S, "the answer"
                )
        except TimeoutError:
            took_s = WAITS_S - self._shut_s(born, born + WAITS_S)
            if _is_answered(exchange) or took_s >= TOOK_S:
                self.tally.lost.append(
                    f"LOST {kind} {number}: the route took calls for {took_s:.2f} s"
                )
            else:
                self.tally.excused[kind] += 1
        else:
            self.tally.answered[kind] += 1
            if exchange.original is not None and exchange.type == 2:
                self.shown.append(exchange.original)

    async def _mention(self, number: int) -> None:
        kind = "a mention"
        self.tally.asked[kind] += 1
        person = Person(f"person {number}")
        asked = await self.standin.write("@bot 7B lora", by=person)
        try:
            await self.standin.answer_to(asked, REST_S)
        except TimeoutError:
            self.tally.lost.append(f"LOST {kind} {number}")
        else:
            self.tally.answered[kind] += 1

    def _exchange(self, number: int) -> tuple[str, Exchange]:
        people = self.standin.people(Person(f"person {number}"))
        under = [one for one in self.shown if {COPY, SIZE} <= set(ids(one))]
        kinds = ["a command", "help", "a list", *(["a copy", "a change"] if under else [])]
        match kind := self.chance.choice(kinds):
            case "a command":
                return kind, people.slash("vram train", QUERY)
            case "a list":
                return kind, people.autocomplete("vram train", {"query": "7B"}, "query")
            case "a copy":
                return kind, people.press(COPY, self.chance.choice(under), BUTTON, None)
            case "a change":
                return kind, people.press(SIZE, self.chance.choice(under), SELECT, ["bs 4"])
            case _:
                return kind, people.slash("vram help", {})

    def _shut_s(self, begin: float, end: float) -> float:
        """For how long of a span it took no calls."""
        return sum(b - a for a, b in _merged(self.shut, begin, end))


def _merged(spans: Spans, begin: float, end: float) -> Iterator[tuple[float, float]]:
    """Those within one span, with none counted twice."""
    at = begin
    for a, b in sorted(spans):
        low, high = max(a, at), min(b, end)
        if high > low:
            yield low, high
            at = high


def _is_answered(exchange: Exchange) -> bool:
    return exchange.state is not State.NEW


async def chaos(seconds: float, seed: int) -> Tally:
    """Let it strike for so long."""
    async with StandIn() as standin, ready(standin):
        chance = random.Random(seed)  # noqa: S311  (no secret)
        return await Chaos(standin, chance).run(seconds)


def main() -> int:
    """The command; 1 where an answer was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tally = asyncio.run(chaos(60 * asked.minutes, asked.seed))
    print(tally)
    return 1 if tally.lost else 0


if __name__ == "__main__":
    sys.exit(main())
