"""Tables through the socket: they are answered, and meanwhile so is everybody else.

What takes long is announced first.
"""

import asyncio
from threading import Event

import pytest

from bot.ask import Desk
from bot.replies import Refused, Tabled, Unfinished
from tests.wire.our_bot import DESK, QUERY, VERDICT, ready
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_answers import said

pytestmark = pytest.mark.usefixtures("lenient")

LONGEST_S = 10  # that a table is held up at most; it goes on when all else was seen


@pytest.mark.parametrize("where", Where)
async def test_a_table_is_answered_in_every_context(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await (await standin.slash("vram fit", {"query": "4090"}, where=where)).finished()
    (embed,) = reply.embeds
    assert not reply.ephemeral
    assert embed["title"].startswith("RTX 4090 trains up to ")
    assert [field["name"].split(":")[0] for field in embed["fields"][:2]] == ["Training", "Running"]
    assert "`/vram fit rtx-4090`" in embed["fields"][-1]["value"]


async def test_options_of_fit(standin: StandIn) -> None:
    options: dict[str, str | int | bool | float] = {
        "query": "mine",
        "task": "train",
        "model": "8B",
        "method": "qlora",
        "seq": 4096,
        "strategy": "zero3",
        "gpus": "2x 4090",
    }
    async with ready(standin):
        reply = await (await standin.slash("vram fit", options)).finished()
    assert "`/vram fit train 8B qlora zero3 seq 4096, 2x rtx-4090`" in said(reply)


async def test_without_cards_it_asks_in_private(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram fit", {"query": "train"}, check=False)
    assert reply.ephemeral
    assert "Which cards?" in reply.content
    assert "`/vram fit train, 24GB`" in reply.content


async def test_what_is_typed_is_listed_and_not_worked_out(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram fit", {"query": "4090"}, "query")
    assert reply.choices[0] == {"name": "4090", "value": "4090"}


async def test_words_of_the_other_commands_reach_it(standin: StandIn) -> None:
    async with ready(standin):
        train = await standin.slash("vram train", {"query": "what can I train on a 4090?"})
        infer = await standin.slash("vram infer", {"query": "what models can I run on 12GB"})
        await train.finished()
        await infer.finished()
    assert "`/vram fit train, rtx-4090`" in said(train)
    assert "`/vram fit infer, 12GB`" in said(infer)


class Held(Desk):
    """A desk whose tables wait until they are let go."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.locale, desk.catalog)  # the same tables
        self.began, self.let_go = Event(), Event()

    def begin(self, text: str, options: object = None) -> object:  # type: ignore[override]
        found = super().begin(text, options)  # type: ignore[arg-type]
        if not isinstance(found, Unfinished):
            return found

        def finish() -> Tabled | Refused:
            self.began.set()
            assert self.let_go.wait(LONGEST_S)
            return found.finish()

        return Unfinished(finish)


async def test_others_are_answered_while_a_table_is_made(standin: StandIn) -> None:
    desk = Held(DESK)
    async with ready(standin, desk=desk):
        table = asyncio.create_task(standin.slash("vram fit", {"query": "4090 train"}))
        assert await asyncio.to_thread(desk.began.wait, LONGEST_S)
        plain = await standin.slash("vram train", QUERY)
        reply = await table
        announced = reply.thinking
        desk.let_go.set()
        await reply.finished()
    assert plain.embeds[0]["title"].startswith(VERDICT)
    assert announced
    assert reply.embeds[0]["title"].startswith("RTX 4090 trains up to ")
