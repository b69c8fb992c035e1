"""Out-of-memory messages through the socket: pasted short, long, anywhere, and none at all."""

import pytest

from tests.golden.messages import FULL, LOGITS, WINDOW
from tests.wire.our_bot import ready
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_answers import said

pytestmark = pytest.mark.usefixtures("unhurried")

SETTINGS = "Qwen2.5-7B lora bs 2 seq 2048 no checkpointing"
LONG = f"{'step 1: loss 2.31, tokens 4,096 ' * 200}"[: 6000 - len(FULL)] + FULL


@pytest.mark.parametrize("where", Where)
async def test_a_message_is_explained_in_every_context(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await (await standin.slash("vram oom", {"query": FULL}, where=where)).finished()
    (embed,) = reply.embeds
    assert not reply.ephemeral
    assert embed["title"] == (
        "The card is full: 2.32 GiB more was wanted, and 1.18 GiB of 23.69 GiB was free"
    )
    headings = [field["name"] for field in embed["fields"]]
    assert headings == ["What the card held, GiB", "What to do"]


async def test_settings_bring_the_estimators_steps(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram oom", {"query": FULL, "settings": SETTINGS})
        await reply.finished()
    words = said(reply)
    assert "logits in fp32, 4,096 tokens × 152,064 words" in words
    assert "1. **Liger loss + gradient checkpointing**" in words
    assert "`/vram train Qwen/Qwen2.5-7B lora grad ckpt liger bs 2 seq 2048, rtx-3090`" in words


async def test_the_longest_paste_is_explained(standin: StandIn) -> None:
    assert len(LONG) == 6000
    async with ready(standin):
        reply = await (await standin.slash("vram oom", {"query": LONG})).finished()
    assert reply.embeds[0]["title"].startswith("The card is full: 2.32 GiB")


@pytest.mark.parametrize("text", ["asdf " * 1200, "🦙", "train 7B lora", "\u202e@everyone <@1>"])
async def test_what_is_no_message_is_answered_in_private(standin: StandIn, text: str) -> None:
    async with ready(standin):
        reply = await standin.slash("vram oom", {"query": text}, check=False)
    assert reply.ephemeral
    assert "I find no out-of-memory message in this." in reply.content
    assert "@everyone" not in reply.content


async def test_a_message_behind_another_command_is_explained_too(standin: StandIn) -> None:
    async with ready(standin):
        train = await (await standin.slash("vram train", {"query": FULL})).finished()
        infer = await (await standin.slash("vram infer", {"query": WINDOW})).finished()
    assert train.embeds[0]["title"].startswith("The card is full: 2.32 GiB")
    assert infer.embeds[0]["title"].startswith("The cache is too small for the window")


async def test_a_traceback_without_sizes_says_what_to_paste(standin: StandIn) -> None:
    async with ready(standin):
        reply = await (await standin.slash("vram oom", {"query": LOGITS})).finished()
    assert "“Tried to allocate”" in said(reply)
    assert "`use_liger_kernel=True`" in said(reply)


async def test_a_pasted_message_is_no_list_while_it_is_typed(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram train", {"query": FULL[:1000]}, "query")
    assert all(len(choice["value"]) <= 100 for choice in reply.choices)
