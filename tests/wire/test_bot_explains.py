"""Questions that ask why, through the socket: an embed for all to see."""

import pytest

from tests.wire.our_bot import ready
from tests.wire.standin import StandIn, Where
from tests.wire.test_bot_answers import said

pytestmark = pytest.mark.usefixtures("unhurried")

WHY = "why did zero3 not shard my qlora base model?"


@pytest.mark.parametrize("where", Where)
async def test_why_is_explained_in_every_context(standin: StandIn, where: Where) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", {"query": WHY}, where=where)
    (embed,) = reply.embeds
    assert not reply.ephemeral
    assert embed["title"] == "ZeRO-3 and FSDP over a 4-bit base"
    assert "`bnb_4bit_quant_storage`" in embed["description"]
    assert "`/vram train 8B qlora zero3, 4x rtx-4090`" in said(reply)


async def test_an_estimate_stays_one(standin: StandIn) -> None:
    query = {"query": "why does a 7B lora seq 8192 take more than full?"}
    async with ready(standin):
        reply = await standin.slash("vram train", query)
    (embed,) = reply.embeds
    assert "GiB" in embed["title"]
    assert "LoRA saves gradients and optimizer states" in said(reply)


async def test_while_it_is_typed_the_topic_is_listed(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.autocomplete("vram train", {"query": WHY}, "query")
    assert reply.choices[0] == {"name": "ZeRO-3 and FSDP over a 4-bit base", "value": WHY}
