"""The form for exact values, over real sockets: filled in well, with nonsense, with too much."""

from typing import Any

import pytest

from tests.wire.our_bot import QUERY, ready
from tests.wire.standin import Reply, StandIn
from tests.wire.under import EXACT, FORM, line_of, stored, texts

pytestmark = pytest.mark.usefixtures("unhurried")

FORM_SHOWN, UPDATE, MESSAGE = 9, 7, 4


async def opened(standin: StandIn, command: str, query: str) -> tuple[Reply, Reply]:
    """An answer, and the form that was opened under it."""
    reply = await (await standin.slash(command, {"query": query})).finished()
    form = await standin.press(EXACT, reply)
    assert form.type == FORM_SHOWN
    return reply, form


@pytest.mark.parametrize(
    ("command", "query", "holds"),
    [
        (
            "vram train",
            "7B adam lora 2x4090",
            {"batch": "1", "seq": "2048", "rank": "16", "gpus": "2x rtx-4090", "words": None},
        ),
        ("vram train", "7B full", {"batch": "1", "seq": "2048", "gpus": None, "words": None}),
        ("vram infer", "8B", {"users": "1", "context": "8192", "gpus": None, "words": None}),
        ("vram compare", "lora vs qlora 7B", {"words": None}),
        ("vram fit", "4090", {"words": None}),
    ],
)
async def test_the_form_shows_what_holds_now(
    standin: StandIn, command: str, query: str, holds: dict[str, Any]
) -> None:
    async with ready(standin):
        _, form = await opened(standin, command, query)
    assert texts(form) == holds


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ({"batch": "3"}, "train 7B lora adamw bs 3"),
        ({"batch": "3", "seq": "3000"}, "train 7B lora adamw bs 3 seq 3000"),
        ({"seq": "4k"}, "train 7B lora adamw seq 4096"),
        ({"rank": "12", "gpus": "2x 3090"}, "train 7B lora adamw r=12, 2x rtx-3090"),
        ({"words": "with liger and an 8 bit adam"}, "train 7B lora adamw_8bit liger"),
        ({"batch": "5", "words": "qlora"}, "train 7B qlora adamw bs 5"),
        ({"batch": "", "words": "qlora"}, "train 7B qlora adamw"),
    ],
)
async def test_what_is_typed_changes_the_answer(
    standin: StandIn, typed: dict[str, str], line: str
) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
        sent = await standin.submit(FORM, typed)
    assert sent.type == UPDATE
    assert line_of(reply) == line


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"batch": "foo"}, "**Batch on each card**: `bs` needs a number"),
        ({"batch": "0"}, "not `0`"),
        ({"batch": "-3"}, "cannot be `-3`"),
        ({"batch": "2.5"}, "not `2.5`"),
        ({"batch": "9" * 40}, "cannot be"),
        ({"seq": "💥"}, "**Tokens in a sequence**"),
        ({"gpus": "frob 4099"}, "**Cards**"),
        ({"words": "frobnicate it"}, "**Anything else, in words**"),
        ({"words": "@everyone `rm -rf`"}, "**Anything else, in words**"),
        ({"batch": "foo", "seq": "bar"}, "**Tokens in a sequence**"),
        ({"rank": "8", "words": "full"}, "rank"),
    ],
)
async def test_nonsense_is_answered_with_what_is_wrong_and_kept(
    standin: StandIn, typed: dict[str, str], words: str
) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
        before = dict(stored(reply))
        wrong = await standin.submit(FORM, typed)
        assert wrong.type == MESSAGE
        assert wrong.ephemeral
        assert words in wrong.embeds[0]["description"]
        assert stored(reply) == before
        again = await standin.press(EXACT, wrong)
    kept = {name: value.replace("`", "'") for name, value in typed.items()}
    assert {name: texts(again)[name] for name in typed} == kept


async def test_what_was_wrong_is_corrected_where_it_was_said(standin: StandIn) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
        wrong = await standin.submit(FORM, {"batch": "foo", "seq": "4096"})
        form = await standin.press(EXACT, wrong)
        assert texts(form)["batch"] == "foo"
        right = await standin.submit(FORM, {"batch": "4", "seq": "4096"})
    assert right.type == UPDATE
    assert line_of(wrong) == "train 7B lora adamw bs 4 seq 4096"
    assert line_of(reply) == "train 7B lora adamw"


@pytest.mark.parametrize("name", ["batch", "gpus", "words"])
@pytest.mark.parametrize("text", ["x" * 4000, "`" * 4000, "bs 4 " * 800, "💥" * 2000])
async def test_4000_characters_are_answered(standin: StandIn, name: str, text: str) -> None:
    """More than the form takes: what Discord's client would not send, another one may."""
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
        before = dict(stored(reply))
        sent = await standin.submit(FORM, {name: text}, check=False)
        assert sent.ephemeral
        assert stored(reply) == before
        again = await standin.press(EXACT, sent)
    assert texts(again)[name]


async def test_every_text_with_4000_characters_is_answered(standin: StandIn) -> None:
    typed = dict.fromkeys(("batch", "seq", "rank", "gpus", "words"), "🦜" * 4000)
    async with ready(standin):
        await opened(standin, "vram train", "7B adam lora")
        sent = await standin.submit(FORM, typed, check=False)
        again = await standin.press(EXACT, sent)
    assert sent.ephemeral
    assert all(texts(again)[name] for name in typed)


async def test_a_form_in_which_nothing_was_changed_says_so(standin: StandIn) -> None:
    async with ready(standin):
        await opened(standin, "vram train", "7B adam lora")
        sent = await standin.submit(FORM, {})
    assert sent.ephemeral
    assert "the answer has already" in sent.content


async def test_a_form_of_another_person_gives_them_a_copy(standin: StandIn) -> None:
    bob = standin.person("bob")
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        before = dict(stored(reply))
        await standin.press(EXACT, reply, by=bob)
        sent = await standin.submit(FORM, {"batch": "4"}, by=bob)
    assert sent.ephemeral
    assert line_of(sent) == "train 7B lora adamw bs 4"
    assert stored(reply) == before


async def test_a_form_shown_by_another_process_is_answered(standin: StandIn) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
    async with ready(standin):
        sent = await standin.submit(FORM, {"batch": "4"})
    assert sent.type == UPDATE
    assert line_of(reply) == "train 7B lora adamw bs 4"


@pytest.mark.parametrize(
    ("command", "query", "words", "lines"),
    [
        ("vram compare", "lora vs qlora 7B", "bs 4", ["7B qlora bs 4", "7B lora bs 4"]),
        ("vram fit", "4090", "ctx 32k", ["fit infer ctx 32768, rtx-4090"]),
    ],
)
async def test_words_change_a_comparison_and_a_table_in_place(
    standin: StandIn, command: str, query: str, words: str, lines: list[str]
) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, command, query)
        sent = await standin.submit(FORM, {"words": words})
        await reply.until(lambda: lines[0] in str(stored(reply)["embeds"]), 5)
    assert sent.type in (UPDATE, 6)
    said = stored(reply)["embeds"][-1]["fields"][-1]["value"]
    assert all(line in said for line in lines)


async def test_words_that_ask_for_something_else_are_answered_beside(standin: StandIn) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
        before = dict(stored(reply))
        sent = await standin.submit(FORM, {"words": "vs qlora"})
    assert sent.ephemeral
    assert "train 7B qlora" in str(sent.embeds)
    assert stored(reply) == before


@pytest.mark.parametrize("damage", ["components", "message"])
async def test_a_form_that_comes_back_broken_is_answered(standin: StandIn, damage: str) -> None:
    async with ready(standin):
        reply, _ = await opened(standin, "vram train", "7B adam lora")
        exchange = standin.people().submit(FORM, {"batch": "4"}, reply.stored)
        if damage == "components":
            exchange.interaction["data"]["components"] = []
        else:
            del exchange.interaction["message"]
        sent = await standin.ask(exchange)
    assert sent.ephemeral
    assert line_of(reply) == "train 7B lora adamw"
