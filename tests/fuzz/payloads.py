"""`python -m tests.fuzz.payloads --minutes N`: damaged interactions and events, over sockets.

The whole bot is connected to a stand-in for Discord. What it is sent is what Discord sends, with
some of it missing, doubled or something else. Each interaction of which it is still known where
to answer has to be answered, the bot has to stay the same one, in one session, and nothing may
be told as a fault of its own.
"""

import argparse
import asyncio
import logging
import sys
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random
from time import monotonic

from tests.fuzz.damage import Json, damaged
from tests.wire.callbacks import Exchange
from tests.wire.messages import parts_of
from tests.wire.our_bot import QUERY, ready
from tests.wire.places import Where
from tests.wire.standin import StandIn
from tests.wire.writing import Writing

SHOWN = 1500  # characters of what broke something
BUTTON, SELECT = 2, 3  # types of components
ANSWER_S = 30  # for one answer, however slow this machine is
OURS = ("/bot/", "/estimator/")
PARSED = "bot.surviving"  # says what it could not parse, and answers that it could not
EVENTS = ("MESSAGE_CREATE", "GUILD_CREATE", "GUILD_DELETE", "MESSAGE_UPDATE", "CHANNEL_UPDATE")
OOM = "CUDA out of memory. Tried to allocate 2.00 GiB"

Make = Callable[[], Exchange]


class Incidents(logging.Handler):
    """What the bot told as its own fault, by where it came from."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: Counter[str] = Counter()
        self.sent: Json = {}  # last

    def add(self, why: str) -> None:
        """Count it; the first time, show what was sent."""
        self.found[why] += 1
        if self.found[why] == 1:
            print(f"{why}: {str(self.sent)[:SHOWN]!a}")

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == PARSED or record.exc_info is None:
            return
        error = record.exc_info[1]
        while error is not None and error.__cause__ is not None:
            error = error.__cause__
        frames = traceback.extract_tb(error.__traceback__ if error else None)
        if not frames or not any(part in frames[-1].filename for part in OURS):
            return  # discord.py could not read it; whoever asked is told that it failed
        place = f"{frames[-1].filename}:{frames[-1].name}"
        self.add(f"{type(error).__name__} in {place}")


@asynccontextmanager
async def connected(incidents: Incidents) -> AsyncIterator[StandIn]:
    """The bot on a stand-in of its own; what it tells as its fault goes to `incidents`."""
    logging.getLogger().addHandler(incidents)
    try:
        async with StandIn(answer_within_s=ANSWER_S) as standin, ready(standin) as running:
            standin.expect_violations()
            client = running.client
            yield standin
            if running.client is not client or len(standin.identifies) > 1:
                incidents.add("the client did not stay")
    finally:
        logging.getLogger().removeHandler(incidents)


async def makers(standin: StandIn) -> list[Make]:
    """One of each kind of interaction, as Discord sends it."""
    answer = await standin.slash("vram train", QUERY)
    await answer.finished(timeout=ANSWER_S)
    button = next(each for each in parts_of(answer.message) if each["type"] == BUTTON)
    chosen = next(each for each in parts_of(answer.message) if each["type"] == SELECT)
    people = standin.people()
    written = people.message(OOM, standin.someone.user())
    return [
        lambda: people.slash("vram train", QUERY),
        lambda: people.slash("vram infer", {"query": "8B q4_k_m", "private": True}),
        lambda: people.slash("vram explain", {"topic": "lora"}),
        lambda: people.autocomplete("vram train", QUERY, "query"),
        lambda: people.press(button["custom_id"], answer.stored, BUTTON, None),
        lambda: people.press(
            chosen["custom_id"], answer.stored, SELECT, [chosen["options"][0]["value"]]
        ),
        lambda: people.context_menu("Explain this OOM", written),
    ]


async def tried(first: int, more: Callable[[int], bool]) -> tuple[int, Counter[str]]:
    """How many payloads were sent, and how often each way to fail was met.

    `first`: the seed; `more`: whether to go on after so many.
    """
    incidents, random, count = Incidents(), Random(first), 0  # noqa: S311  (no secret)
    async with connected(incidents) as standin:
        made = await makers(standin)
        while more(count):
            exchange = random.choice(made)()
            payload = damaged(exchange.interaction, random)
            incidents.sent = payload
            await standin.dispatch("INTERACTION_CREATE", payload)
            if not await _answered(exchange):
                incidents.add(f"no answer to an interaction of type {exchange.type}")
            event, whole = random.choice(EVENTS), message_event(standin)
            incidents.sent = damaged(whole, random)
            await standin.send_frame({"op": 0, "t": event, "s": None, "d": incidents.sent})
            count += 2
    return count, incidents.found


async def _answered(exchange: Exchange) -> bool:
    """Whether a callback was taken in time."""
    try:
        await exchange.changed.until(lambda: exchange.status is not None, ANSWER_S, "a callback")
    except TimeoutError:
        return False
    return True


def message_event(standin: StandIn) -> Json:
    """A message as Discord tells of it; of what else it can be told there is enough in it."""
    writing = Writing(standin.world, standin.someone, Where.GUILD, None)
    return writing.event(writing.message(f"<@{standin.world.bot.id}> train 7B", to=None))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many payloads were sent, and each way in which one failed; 1 if one did."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.payloads", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.getLogger("bot").setLevel(logging.ERROR)
    end = monotonic() + 60 * options.minutes
    count, failed = asyncio.run(tried(options.seed, lambda _count: monotonic() < end))
    print(f"payloads: {count} inputs, {len(failed)} ways to fail")
    for why, often in failed.most_common():
        print(f"{often}x {why}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
