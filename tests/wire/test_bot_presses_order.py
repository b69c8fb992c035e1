"""Presses faster than answers, and presses that come too late: in order, nothing lost or twice."""

import asyncio
import logging

import pytest

from tests.wire.channels import Permissions
from tests.wire.messages import EPHEMERAL
from tests.wire.our_bot import CALLBACK, QUERY, answers, ready
from tests.wire.standin import Exchange, Reply, StandIn, Where
from tests.wire.under import COPY, HOW, MATHS, SELECT, SIZE, line_of, stored

pytestmark = pytest.mark.usefixtures("unhurried")

MESSAGE, ACKNOWLEDGED, UPDATE = 4, 6, 7
GONE = {"type": 2, "custom_id": "v1:gone", "style": 2, "label": "Gone"}


def exchanges(standin: StandIn, reply: Reply, *presses: tuple[str, str]) -> list[Exchange]:
    """Presses on a message as it is now, each by the list and the value; not sent yet."""
    people = standin.people()
    return [people.press(list_, reply.stored, SELECT, [value]) for list_, value in presses]


async def sent(standin: StandIn, asked: list[Exchange]) -> list[Reply]:
    """All of them at once; their answers."""
    return list(await asyncio.gather(*(standin.ask(one) for one in asked)))


async def idle(standin: StandIn, reply: Reply, line: str) -> None:
    """Wait until the message asks `line`."""
    await standin.until(lambda: len(standin.requests_to(CALLBACK)) > 1)
    async with asyncio.timeout(5):
        while line_of(reply) != line:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_presses_faster_than_answers_all_count_and_the_last_is_shown(
    standin: StandIn,
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        asked = exchanges(standin, reply, (HOW, "qlora"), (SIZE, "bs 4"), (SIZE, "seq 4096"))
        asked += exchanges(standin, reply, (HOW, "adamw_8bit"), (SIZE, "bs 8"))
        replies = await sent(standin, asked)
        await idle(standin, reply, "train 7B qlora adamw_8bit bs 8 seq 4096")
    types = [one.type for one in replies]
    assert set(types) <= {ACKNOWLEDGED, UPDATE}
    assert types[-1] == UPDATE
    assert [one.status for one in replies] == [200] * 5
    assert len(standin.requests_to(CALLBACK)) == 6


async def test_a_press_that_is_refused_takes_none_of_the_others_with_it(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        people = standin.people(check=False)
        asked = exchanges(standin, reply, (HOW, "qlora"), (SIZE, "bs 4"))
        asked.append(people.press(SIZE, reply.stored, SELECT, ["bs 0"]))
        *_, refused = await sent(standin, asked)
        await idle(standin, reply, "train 7B qlora adamw bs 4")
    assert refused.type == MESSAGE
    assert refused.ephemeral
    assert "not `0`" in refused.content


async def test_slow_answers_are_announced_and_come_in_order(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 0.05)
    standin.settings.answer_within_s = 60
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        standin.faults.delay(0.4, route=CALLBACK, times=1)
        replies = await sent(standin, exchanges(standin, reply, (HOW, "qlora"), (SIZE, "bs 4")))
        await idle(standin, reply, "train 7B qlora adamw bs 4")
    assert ACKNOWLEDGED in [one.type for one in replies]


async def test_a_press_that_comes_twice_is_answered_once(standin: StandIn) -> None:
    async with ready(standin), ready(standin):
        await standin.ready(sessions=2)
        reply = await standin.slash("vram train", QUERY)
        (press,) = exchanges(standin, reply, (SIZE, "bs 4"))
        await standin.ask(press)
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) == 4)
        assert await answers(standin)
    assert line_of(reply) == "train 7B lora adamw bs 4"
    assert press.followups == []


async def test_what_the_message_shows_wins_over_what_is_remembered(standin: StandIn) -> None:
    """Another process changed it meanwhile."""
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        await standin.press(SIZE, reply, SELECT, ["bs 4"])
        assert reply.stored is not None
        field = reply.stored.stored["embeds"][-1]["fields"][-1]
        field["value"] = "`/vram train 13B lora adamw bs 2`"
        await standin.press(SIZE, reply, SELECT, ["seq 4096"])
    assert line_of(reply) == "train 13B lora adamw bs 2 seq 4096"


@pytest.mark.parametrize("how", ["cut", "503"])
async def test_a_press_whose_answer_does_not_get_through_is_answered_again(
    standin: StandIn, how: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        if how == "cut":
            standin.faults.cut(route=CALLBACK)
        else:
            standin.faults.status(503, route=CALLBACK)
        await standin.press(SIZE, reply, SELECT, ["bs 4"])
    assert line_of(reply) == "train 7B lora adamw bs 4"


@pytest.mark.parametrize("announced", [False, True])
async def test_a_press_on_a_message_that_was_deleted_is_answered_in_private(
    standin: StandIn,
    announced: bool,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        (press,) = exchanges(standin, reply, (SIZE, "bs 4"))
        assert reply.stored is not None
        standin.world.messages.remove(reply.stored)
        if announced:
            monkeypatch.setattr("bot.pressing.announcing.ANNOUNCED_S", 0)
        answer = await standin.ask(press)
        await answer.until(lambda: not announced or bool(answer.followups), 30)
    said = answer.followups[0] if announced else answer.message
    assert answer.type == (ACKNOWLEDGED if announced else MESSAGE)
    assert said["flags"] & EPHEMERAL
    line = said["embeds"][0]["fields"][-1]["value"]
    assert line == "`/vram train 7B lora adamw bs 4`"
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


async def test_where_it_may_no_longer_write_a_press_is_answered(standin: StandIn) -> None:
    """An interaction is answered by its token, which needs no right in the channel."""
    channel = standin.world.places.channel_ids[Where.GUILD]
    async with ready(standin):
        answer = await standin.answer_to(await standin.write("@bot train 7B adam lora"))
        standin.world.permissions[channel] = Permissions(view=False, send=False)
        await standin.press(SIZE, answer, SELECT, ["bs 4"])
        maths = await standin.press(MATHS, answer)
    assert line_of(answer) == "train 7B lora adamw bs 4"
    assert maths.ephemeral


@pytest.mark.parametrize("lack", ["deleted", "unseen", "told"])
async def test_where_nobody_knows_who_asked_a_press_gives_a_copy(
    standin: StandIn, lack: str
) -> None:
    channel = standin.world.places.channel_ids[Where.GUILD]
    async with ready(standin):
        asked = await standin.write("@bot train 7B adam lora")
        answer = await standin.answer_to(asked)
        if lack == "deleted":
            answer.stored["referenced_message"] = None
        else:
            del answer.stored["referenced_message"]
        if lack == "unseen":
            standin.world.permissions[channel] = Permissions(history=False)
        pressed = await standin.press(SIZE, answer, SELECT, ["bs 4"])
    assert (pressed.type == UPDATE) is (lack == "told")
    assert line_of(pressed) == "train 7B lora adamw bs 4"
    assert pressed.ephemeral is (lack != "told")


@pytest.mark.parametrize("custom_id", ["v1:gone", "v1:set:nothing", "v2:set:how", "v1:open", "v1:"])
async def test_a_button_that_means_nothing_any_more_is_answered(
    standin: StandIn, custom_id: str
) -> None:
    row = {"type": 1, "components": [GONE | {"custom_id": custom_id}]}
    old = standin.bot_message("an old answer", components=[row])
    async with ready(standin):
        reply = await standin.press(custom_id, old)
    assert reply.ephemeral
    assert "`/vram train 7B adam lora`" in reply.content
    assert len(standin.requests_to(CALLBACK)) == 1


@pytest.mark.parametrize("custom_id", [SIZE, MATHS, COPY])
async def test_a_component_that_its_message_lost_is_answered(
    standin: StandIn, custom_id: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        before = dict(stored(reply))
        kind = SELECT if custom_id == SIZE else 2
        chosen = ["bs 4"] if custom_id == SIZE else None
        pressed = await standin.press(custom_id, reply, kind, chosen, without_component=True)
    assert pressed.ephemeral
    assert "This button is from another time" in pressed.content
    assert stored(reply) == before
    assert len(standin.requests_to(CALLBACK)) == 2


@pytest.mark.parametrize("line", ["`/vram train 7B lora adamw bs…`", "nothing", "`/vram `"])
@pytest.mark.parametrize("custom_id", [SIZE, MATHS, "v1:exact", "v1:compare"])
async def test_an_answer_whose_line_was_cut_or_is_gone_says_what_to_type(
    standin: StandIn, line: str, custom_id: str
) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        assert reply.stored is not None
        reply.stored.stored["embeds"][-1]["fields"][-1]["value"] = line
        before = dict(stored(reply))
        kind = SELECT if custom_id == SIZE else 2
        pressed = await standin.press(
            custom_id, reply, kind, ["bs 4"] if custom_id == SIZE else None
        )
    assert pressed.ephemeral
    assert "`/vram train 7B adam lora`" in pressed.content
    assert "its line is too long, or gone" in pressed.content
    assert stored(reply) == before


async def test_a_flood_of_presses_is_answered(standin: StandIn) -> None:
    standin.settings.answer_within_s = 60
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
        sizes = ["bs 2", "bs 4", "bs 8", "bs 16"] * 5
        replies = await sent(standin, exchanges(standin, reply, *((SIZE, one) for one in sizes)))
        await idle(standin, reply, "train 7B lora adamw bs 16")
    assert all(one.status == 200 for one in replies)
