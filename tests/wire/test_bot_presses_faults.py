"""Presses that fail, or that find something else than they left: said, and nothing is kept."""

import asyncio
import json

import pytest

from bot.ask import Answered
from bot.pressing.asking import Question, whole
from tests.wire.our_bot import QUERY, ready
from tests.wire.people import Json
from tests.wire.standin import StandIn
from tests.wire.under import COPY, MATHS, SELECT, SIZE, ids, line_of

pytestmark = pytest.mark.usefixtures("unhurried")

ACKNOWLEDGED, UPDATE = 6, 7


async def test_a_line_that_cannot_say_it_all_has_no_lists_and_says_so(standin: StandIn) -> None:
    """Of a pasted config.json of no known model the line has no name."""
    shape = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4160,
        "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 31,
        "num_key_value_heads": 32, "vocab_size": 32000, "head_dim": 128,
    }  # fmt: skip
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": f"lora {json.dumps(shape)}"})
        assert ids(reply) == [COPY]
        copy = await standin.press(COPY, reply)
    assert "copy it, and change it by hand" in reply.embeds[0]["footer"]["text"]
    assert copy.ephemeral
    assert copy.components == []


async def test_a_fault_in_a_press_is_said_with_a_number(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        monkeypatch.setattr("bot.pressing.replacing.shown", failing)
        pressed = await standin.press(SIZE, reply, SELECT, ["bs 4"])
    assert pressed.ephemeral
    assert "I failed at this" in pressed.content
    assert pressed.content.split("`")[1] in caplog.text


async def test_a_fault_after_it_was_announced_is_said_too(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: object, **__: object) -> None:
        await asyncio.sleep(0.2)
        raise ZeroDivisionError

    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 0.01)
        monkeypatch.setattr("bot.pressing.in_place.whole", failing)
        pressed = await standin.press(SIZE, reply, SELECT, ["bs 4"])
        await pressed.until(lambda: bool(pressed.followups))
    assert pressed.type == ACKNOWLEDGED
    assert "I failed at this" in pressed.followups[0]["content"]
    assert line_of(reply) == "train 7B lora adamw"


async def test_an_announcement_that_was_not_heard_back_is_followed_by_the_answer(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord knows of it, and takes nothing but an edit then; discord.py does not."""

    async def slowly(question: Question) -> Answered:
        await asyncio.sleep(0.5)
        return await whole(question)

    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 0.01)
        monkeypatch.setattr("bot.pressing.in_place.whole", slowly)
        standin.faults.cut(after=True)
        pressed = await standin.press(SIZE, reply, SELECT, ["bs 4"])
        await pressed.until(lambda: line_of(reply) == "train 7B lora adamw bs 4", 30)
    assert pressed.type == ACKNOWLEDGED


async def test_nothing_is_kept_between_an_answer_and_a_press(standin: StandIn) -> None:
    async with ready(standin) as running:
        reply = await standin.slash("vram train", QUERY)
        await standin.press(SIZE, reply, SELECT, ["bs 4"])
        await standin.press("v1:exact", reply)
        await standin.press(MATHS, reply)
        store = running.client._connection._view_store  # noqa: SLF001
        assert store._views == {}  # noqa: SLF001
        assert store._modals == {}  # noqa: SLF001
        assert store._synced_message_views == {}  # noqa: SLF001


async def test_a_poll_without_an_end_that_was_replied_to_ends_nothing(standin: StandIn) -> None:
    poll: Json = {"question": {"text": "?"}, "answers": [], "expiry": None, "layout_type": 1}
    async with ready(standin):
        answer = await standin.answer_to(await standin.write("@bot train 7B adam lora"))
        answer.stored["referenced_message"] = {
            **answer.stored["referenced_message"],
            "poll": {**poll, "allow_multiselect": False},
        }
        pressed = await standin.press(SIZE, answer, SELECT, ["bs 4"])
    assert pressed.type == UPDATE
