"""Models that the Hub has to be asked about, over both sockets: Discord's and the Hub's."""

from collections.abc import AsyncIterator

import pytest

from bot.ask import Desk
from bot.hub.hub import Hub
from tests.hub.desk import desk_of
from tests.hub.families import LLAMA, LLAMA_COUNT
from tests.hub.standin import SHA, HubStandIn, Wrong, drops, says
from tests.wire.our_bot import ready
from tests.wire.painters import drawing
from tests.wire.standin import Reply, StandIn, Where

pytestmark = pytest.mark.usefixtures("unhurried")

LATER, AT_ONCE = 5, 4
NAME = "some/thing-8b"
QUERY = {"query": f"{NAME} adam lora"}


@pytest.fixture
async def hub() -> AsyncIterator[HubStandIn]:
    async with HubStandIn() as standin:
        standin.add(NAME, LLAMA, counts={"BF16": LLAMA_COUNT})
        yield standin


@pytest.fixture
async def desk(hub: HubStandIn) -> AsyncIterator[Desk]:
    """A desk that asks the stand-in."""
    asking = Hub(base=hub.base, patience_s=60)
    yield desk_of(asking)
    await asking.close()


def line_of(reply: Reply) -> str:
    return str(reply.embeds[0]["fields"][-1]["value"])


async def test_what_is_known_is_answered_at_once(
    standin: StandIn, hub: HubStandIn, desk: Desk
) -> None:
    async with ready(standin, desk=desk):
        reply = await standin.slash("vram train", {"query": "7B adam lora"})
    assert reply.type == AT_ONCE
    assert hub.asked == []


@pytest.mark.parametrize("where", Where)
async def test_what_is_looked_up_is_announced_then_shown(
    standin: StandIn, hub: HubStandIn, desk: Desk, where: Where
) -> None:
    async with ready(standin, desk=desk):
        reply = await (await standin.slash("vram train", QUERY, where=where)).finished()
        again = await standin.slash("vram infer", {"query": NAME}, where=where)
    assert reply.type == LATER
    assert not reply.ephemeral
    assert len(reply.edits) == 1
    assert line_of(reply) == f"`/vram train {NAME} lora adamw`"
    assert SHA[:7] in str(reply.embeds[0])
    assert again.type == AT_ONCE  # it is remembered
    assert len(hub.asked) == 2


WRONG: dict[str, tuple[Wrong, str]] = {
    "missing": (says(404), "shows no `some/thing-8b`"),
    "gated": (says(403), "is gated"),
    "down": (drops, "cannot reach the Hugging Face Hub"),
    "out of order": (says(503), "trouble of its own"),
    "senseless": (says(200, b"<html>"), "makes no sense"),
}


@pytest.mark.parametrize("kind", WRONG)
async def test_an_error_after_all_is_for_who_asked_alone(
    standin: StandIn, hub: HubStandIn, desk: Desk, kind: str
) -> None:
    hub.wrong["/api/models"], words = WRONG[kind]
    async with ready(standin, desk=desk):
        reply = await standin.slash("vram train", QUERY)
        await standin.until(lambda: bool(reply.stored and reply.stored.deleted))
        again = await standin.slash("vram train", QUERY)
    (alone,) = reply.followups
    assert reply.type == LATER
    assert alone["flags"] & 64
    assert words in alone["content"]
    assert "Type: `/vram train " in alone["content"]
    assert again.type == AT_ONCE
    assert again.ephemeral
    assert words in again.content


async def test_where_the_name_tells_a_shape_a_hub_that_is_down_costs_a_note(
    standin: StandIn, hub: HubStandIn, desk: Desk
) -> None:
    hub.wrong["/api/models"] = drops
    async with ready(standin, desk=desk):
        query = {"query": "someone/dolphin-llama-3.1-8b-awq"}
        reply = await (await standin.slash("vram infer", query)).finished()
    assert not reply.ephemeral
    assert "So the built-in shape of meta-llama/Llama-3.1-8B is used" in str(reply.embeds[0])


async def test_an_announcement_that_breaks_is_made_again(
    standin: StandIn, hub: HubStandIn, desk: Desk
) -> None:
    async with ready(standin, desk=desk):
        standin.faults.cut(after=False)
        reply = await (await standin.slash("vram train", QUERY)).finished()
    assert line_of(reply) == f"`/vram train {NAME} lora adamw`"
    assert len(hub.asked) == 2


async def test_nothing_is_looked_up_while_one_types(
    standin: StandIn, hub: HubStandIn, desk: Desk
) -> None:
    async with ready(standin, desk=desk):
        await standin.autocomplete("vram train", QUERY, "query")
        await standin.autocomplete("vram train", {"query": "lora", "model": NAME}, "model")
    assert hub.asked == []


async def test_the_option_is_looked_up_too(standin: StandIn, hub: HubStandIn, desk: Desk) -> None:
    async with ready(standin, desk=desk):
        reply = await standin.slash("vram infer", {"query": "4 users", "model": NAME})
        await reply.finished()
    assert line_of(reply) == f"`/vram infer {NAME} users 4`"
    assert len(hub.asked) == 2


async def test_a_model_that_was_looked_up_has_its_picture(
    standin: StandIn, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its contexts are asked of the tables that know it."""
    monkeypatch.setattr("bot.illustrating.IN_TIME_S", 60)
    async with drawing() as painter, ready(standin, desk=desk, painter=painter):
        reply = await (await standin.slash("vram infer", {"query": NAME})).finished(60)
    (file,) = reply.message["attachments"]
    assert "by context" in file["description"]
    assert NAME in file["description"]
