"""Measured peaks through the socket: compared, kept, listed, taken back; the button, the form."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.ask import Desk, open_desk
from bot.store.address import in_file
from bot.store.database import Database
from bot.store.store import Store
from tests.store.opened import opened
from tests.wire.measuring import ANNOUNCED, ASKED, VERDICT, count, said, typed
from tests.wire.our_bot import QUERY, ready
from tests.wire.people import Json
from tests.wire.standin import StandIn, Where
from tests.wire.under import COPY, MEASURED, ids, line_of, stored, texts

pytestmark = pytest.mark.usefixtures("unhurried")

PEAK, PEAKED = "v1:peak", "v1:peaked"
FORM_SHOWN, MESSAGE = 9, 4
PASTED = "allocated 15.21 GiB, reserved 15.90 GiB, device 16.71 GiB"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The file of the bot's store."""
    return tmp_path / "store" / "kept.sqlite3"


@pytest.fixture
async def desk(kept: Path) -> AsyncIterator[Desk]:
    """A desk that keeps things there."""
    kept.parent.mkdir()
    store = await opened(Store(Database(in_file(kept))))
    yield open_desk(store=store)
    await store.database.close()


@pytest.mark.parametrize("where", Where)
async def test_a_peak_is_compared_and_kept_in_every_context(
    standin: StandIn, desk: Desk, where: Where
) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, ASKED, where=where)
        assert not reply.ephemeral
        assert reply.embeds[0]["title"] == VERDICT
        assert line_of(reply) == "train 7B lora adamw"
        assert "This is the first that is kept here." in said(reply)
        assert await count(standin, where=where) == "Measured so far: 1"


async def test_one_can_be_kept_to_oneself(standin: StandIn, desk: Desk) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, {**ASKED, "private": True})
    assert reply.ephemeral
    assert reply.embeds[0]["title"] == VERDICT


async def test_a_team_sees_all_of_its_records_and_each_takes_back_their_own(
    standin: StandIn, desk: Desk
) -> None:
    alice, bob = standin.person("alice"), standin.person("bob")
    async with ready(standin, desk=desk):
        await typed(standin, ASKED, by=alice)
        second = await typed(standin, {"query": "8B q4_k_m 3090", "peak": "6 GiB"}, by=bob)
        assert "2 are kept here." in said(second)
        listed = await typed(standin, {"query": "list"}, by=bob)
        assert not listed.ephemeral
        assert "`train 7B lora adamw`: 15.90 GiB measured" in said(listed)
        assert "`infer 8B Q4_K_M, rtx-3090`: 6.00 GiB measured" in said(listed)
        assert await count(standin, where=Where.BOT_DM) == "Measured so far: 0"
        gone = await typed(standin, {"query": "forget last"}, by=bob)
        assert gone.ephemeral
        assert gone.content == "Removed: `infer 8B Q4_K_M, rtx-3090`, 6.00 GiB device."
        again = await typed(standin, {"query": "forget last"}, by=bob)
        assert "nothing here" in again.content
        assert await count(standin) == "Measured so far: 1"


async def test_records_outlive_a_restart(standin: StandIn, desk: Desk, kept: Path) -> None:
    async with ready(standin, desk=desk):
        await typed(standin, ASKED)
    store = await opened(Store(Database(in_file(kept))))
    async with ready(standin, desk=open_desk(store=store)):
        assert await count(standin) == "Measured so far: 1"
    await store.database.close()


async def test_without_a_peak_it_says_what_to_measure(standin: StandIn, desk: Desk) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, {"query": "7B adam lora, rtx-4090"})
        assert "gpu.max_memory_allocated()" in said(reply)
        assert "Rent a short run of an hour first" in said(reply)
        assert ids(reply) == [PEAK]
        assert await count(standin) == "Measured so far: 0"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"query": "7B lora", "peak": "lots"}, "I find no amount of memory in that."),
        ({"query": "7B lora", "peak": "-3 GiB"}, "less than nothing"),
        ({"query": "7B lora", "peak": "1e30 GiB"}, "more than any card has"),
        ({"query": "7B lora, rtx-4090", "peak": "30 GiB"}, "more than NVIDIA GeForce RTX 4090 has"),
        ({"query": "7B lora", "peak": "@everyone 💥"}, "I find no amount of memory in that."),
        ({"query": "frobnicate", "peak": "3 GiB"}, "I do not know `frobnicate`"),
        ({"query": "7B lora vs qlora", "peak": "3 GiB"}, "A peak belongs to one run"),
        ({"query": "8B vllm", "peak": "3 GiB"}, "vLLM takes a share of the card"),
    ],
)
async def test_bad_input_is_answered_in_private_and_keeps_nothing(
    standin: StandIn, desk: Desk, options: Json, sentence: str
) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, options)
        assert reply.ephemeral
        assert sentence in reply.content
        assert "`/vram " in reply.content
        assert "@everyone" not in reply.content
        assert await count(standin) == "Measured so far: 0"


@pytest.mark.parametrize("command", ["vram train", "vram infer"])
async def test_the_button_under_an_answer_says_what_to_measure(
    standin: StandIn, desk: Desk, command: str
) -> None:
    async with ready(standin, desk=desk):
        answer = await (await standin.slash(command, {"query": "8B, rtx-4090"})).finished()
        before = dict(stored(answer))
        assert [one for one in ids(answer) if one in (MEASURED, COPY)] == [MEASURED, COPY]
        reply = await standin.press(MEASURED, answer)
    assert reply.type == MESSAGE
    assert reply.ephemeral
    assert line_of(reply) == line_of(answer)
    assert stored(answer) == before


async def test_the_form_records_a_peak(standin: StandIn, desk: Desk) -> None:
    async with ready(standin, desk=desk):
        answer = await (await standin.slash("vram train", QUERY)).finished()
        reply = await standin.press(MEASURED, answer)
        form = await standin.press(PEAK, reply)
        assert form.type == FORM_SHOWN
        assert texts(form) == {"peak": None, "kind": "allocated"}
        compared = await standin.submit(PEAKED, {"peak": PASTED, "kind": "allocated"})
        assert compared.ephemeral
        assert compared.embeds[0]["title"] == "0.7% less than estimated, inside the range"
        assert "Of these, `allocated` is kept." in said(compared)
        assert await count(standin) == "Measured so far: 1"


async def test_the_form_of_a_server_begins_with_what_the_card_shows(
    standin: StandIn, desk: Desk
) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, {"query": "8B vllm, rtx-4090"})
        form = await standin.press(PEAK, reply)
    assert texts(form) == {"peak": None, "kind": "device"}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"peak": "foo"}, "I find no amount of memory in that."),
        ({"peak": ""}, "I find no amount of memory in that."),
        ({"peak": "15.9 GiB", "kind": "foo"}, "`foo` is none of the figures"),
        ({"peak": "`" * 4000, "kind": "💥" * 2000}, "is none of the figures"),
        ({"peak": "9" * 4000}, "I find no amount of memory in that."),
    ],
)
async def test_nonsense_in_the_form_is_kept_to_be_corrected(
    standin: StandIn, desk: Desk, values: dict[str, object], sentence: str
) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, {"query": "7B adam lora"})
        await standin.press(PEAK, reply)
        wrong = await standin.submit(PEAKED, values, check=False)
        assert wrong.ephemeral
        assert sentence in said(wrong)
        form = await standin.press(PEAK, wrong)
        assert form.type == FORM_SHOWN
        right = await standin.submit(PEAKED, {"peak": "15.9 GiB", "kind": "allocated"})
        assert right.embeds[0]["title"] == VERDICT


async def test_a_form_shown_by_another_process_is_answered(standin: StandIn, desk: Desk) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, {"query": "7B adam lora"})
        await standin.press(PEAK, reply)
    async with ready(standin, desk=desk):
        sent = await standin.submit(PEAKED, {"peak": "15.9 GiB", "kind": "allocated"})
    assert sent.embeds[0]["title"] == VERDICT


async def test_a_form_that_comes_back_without_its_message_is_answered(
    standin: StandIn, desk: Desk
) -> None:
    async with ready(standin, desk=desk):
        reply = await typed(standin, {"query": "7B adam lora"})
        await standin.press(PEAK, reply)
        exchange = standin.people().submit(PEAKED, {"peak": "15.9 GiB"}, reply.stored)
        del exchange.interaction["message"]
        sent = await standin.ask(exchange)
    assert sent.ephemeral
    assert "Ask again" in sent.content


async def test_what_takes_a_while_is_announced(
    standin: StandIn, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 0)
    async with ready(standin, desk=desk):
        reply = await typed(standin, ASKED)
        assert reply.type == ANNOUNCED
        assert not reply.ephemeral
        assert reply.embeds[0]["title"] == VERDICT
        hidden = await typed(standin, {**ASKED, "private": True})
        assert hidden.ephemeral
        assert hidden.embeds[0]["title"] == VERDICT
