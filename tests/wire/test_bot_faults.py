"""The bot on Discord's bad days: it answers, comes back, or says why it must not."""

import logging
from typing import Any

import pytest

from bot.supervisor import FATAL_CLOSES, Exit
from tests.wire.our_bot import CALLBACK, ready, started
from tests.wire.standin import Reply, StandIn

QUERY = {"query": "7B adam lora"}
VERDICT = "15.7 GiB (16.9 GB)"
GONE = {"type": 2, "custom_id": "v0:gone:1", "style": 2, "label": "Gone"}


async def answers(standin: StandIn) -> bool:
    reply = await standin.slash("vram train", QUERY)
    return str(reply.embeds[0]["title"]).startswith(VERDICT)


@pytest.mark.parametrize("after", [False, True])
async def test_a_callback_is_sent_again_once(standin: StandIn, after: bool) -> None:
    """Also where the first one had arrived: then Discord says that it is acknowledged."""
    async with ready(standin):
        standin.faults.cut(after=after)
        assert await answers(standin)
        assert await answers(standin)
    statuses = [request.status for request in standin.requests_to(CALLBACK)]
    assert len(statuses) == 3
    assert (400 in statuses) == after


async def test_a_callback_is_not_sent_for_ever(standin: StandIn) -> None:
    async with ready(standin):
        standin.faults.cut(times=2)
        exchange = standin.people().slash("vram train", QUERY)
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) == 2)
        assert await answers(standin)
    assert len(standin.requests_to(CALLBACK)) == 3


@pytest.mark.parametrize("code", [10062, 40060])
async def test_what_is_too_late_or_answered_ends_nothing(
    standin: StandIn, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with ready(standin):
        standin.faults.refuse_callback(code)
        exchange = standin.people().slash("vram train", QUERY)
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) == 1)
        assert await answers(standin)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_bad_gateway_under_a_callback_is_waited_out(standin: StandIn) -> None:
    async with ready(standin):
        standin.faults.status(502, route=CALLBACK)
        assert await answers(standin)


async def test_an_outage_at_the_first_connect_is_waited_out(standin: StandIn) -> None:
    standin.faults.status(503, route="/users/@me", times=2)
    async with ready(standin):
        assert await answers(standin)


async def test_a_close_before_hello_is_waited_out(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.shard.asyncio.sleep", _at_once)
    standin.faults.close_before_hello.arm(1, 1001)
    async with ready(standin):
        assert await answers(standin)


async def test_a_refused_first_connect_is_waited_out(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.shard.asyncio.sleep", _at_once)
    standin.faults.refuse_connect.arm(2)
    async with ready(standin):
        assert await answers(standin)


@pytest.mark.parametrize("how", ["drop", "1000", "1001", "1012", "4000", "4008", "reconnect"])
async def test_what_was_asked_while_the_socket_was_down_is_answered(
    standin: StandIn, how: str
) -> None:
    async with ready(standin):
        exchange = standin.people().slash("vram train", QUERY)
        if how == "drop":
            await standin.drop()
        elif how == "reconnect":
            await standin.ask_reconnect()
        else:
            await standin.close_gateway(int(how), keep_session=True)
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await exchange.changed.until(lambda: exchange.status is not None, 3, "an answer")
    assert len(standin.identifies) == 1
    assert len(standin.resumes) == 1


@pytest.mark.parametrize("how", ["invalid", "lost"])
async def test_a_session_that_is_gone_is_begun_anew(standin: StandIn, how: str) -> None:
    async with ready(standin):
        if how == "invalid":
            await standin.invalidate(resumable=False)
        else:
            standin.faults.lose_session.arm(1)
            await standin.drop()
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)


async def test_a_dead_resume_address_is_left(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.shard.asyncio.sleep", _at_once)
    async with ready(standin):
        standin.faults.dead_resume.arm()
        await standin.drop()
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)


@pytest.mark.parametrize("code", FATAL_CLOSES)
async def test_what_no_wait_mends_ends_with_78(standin: StandIn, code: int) -> None:
    async with ready(standin) as running:
        await standin.close_gateway(code)
        assert await running.ended() == Exit.CONFIGURATION
    assert len(standin.identifies) == 1


async def test_a_wrong_token_ends_with_78(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(standin, token="MTIz.wrong.token") as running:
        assert await running.ended() == Exit.CONFIGURATION
    assert standin.identifies == []
    assert "does not accept the token" in caplog.text
    assert "MTIz.wrong.token" not in caplog.text


@pytest.mark.parametrize("missing", ["id", "token", "type"])
async def test_an_interaction_that_nobody_can_answer_ends_nothing(
    standin: StandIn, missing: str
) -> None:
    async with ready(standin) as running:
        client = running.client
        exchange = standin.people().slash("vram train", QUERY)
        damaged = {key: part for key, part in exchange.interaction.items() if key != missing}
        await standin.dispatch("INTERACTION_CREATE", damaged)
        assert await answers(standin)
        assert running.client is client
    assert len(standin.identifies) == 1
    assert standin.resumes == []


@pytest.mark.parametrize("kind", [2, 3, 5])
@pytest.mark.parametrize("missing", ["application_id", "attachment_size_limit", "version", "data"])
async def test_a_malformed_interaction_is_answered_all_the_same(
    standin: StandIn, missing: str, kind: int
) -> None:
    async with ready(standin) as running:
        client = running.client
        exchange = standin.people().open(kind, {"id": "1", "name": "vram", "type": 1})
        damaged = {key: part for key, part in exchange.interaction.items() if key != missing}
        await standin.dispatch("INTERACTION_CREATE", damaged)
        await exchange.changed.until(lambda: exchange.status is not None, 3, "an answer")
        assert running.client is client
    reply = Reply(exchange)
    assert reply.ephemeral
    assert "`/vram train 7B adam lora`" in reply.content


DAMAGED: dict[str, Any] = {
    "nothing": None,
    "a text": "x",
    "a list": [1, 2],
    "empty": {},
    "an unknown type": {"type": 99},
    "data that is no object": {"data": 7},
    "a member without a user": {"member": {}},
    "options that are no list": {"data": {"id": "1", "name": "vram", "type": 1, "options": 3}},
}


@pytest.mark.parametrize("kind", DAMAGED)
async def test_a_damaged_interaction_ends_nothing(standin: StandIn, kind: str) -> None:
    damage = DAMAGED[kind]
    async with ready(standin) as running:
        client = running.client
        whole = standin.people().slash("vram train", QUERY).interaction
        payload = {**whole, **damage} if isinstance(damage, dict) and damage else damage
        await standin.dispatch("INTERACTION_CREATE", payload)
        assert await answers(standin)
        assert running.client is client
    assert len(standin.identifies) == 1


async def test_unknown_and_malformed_events_end_nothing(standin: StandIn) -> None:
    standin.faults.unknown_dispatches.arm()
    async with ready(standin) as running:
        client = running.client
        for event in ("GUILD_CREATE", "CHANNEL_CREATE", "MESSAGE_CREATE", "PRESENCE_UPDATE", "NEW"):
            await standin.dispatch(event, {"what": "is this"})
        assert await answers(standin)
        assert running.client is client


@pytest.mark.parametrize("text", ["not json", "[]", "null", '{"op": 10}'])
async def test_a_frame_that_is_none_costs_a_session(standin: StandIn, text: str) -> None:
    async with ready(standin):
        await standin.send_text(text)
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)


@pytest.mark.parametrize("text", ['{"op": 99}', '{"op": 0, "t": "X", "d": null}', "{}"])
async def test_an_unknown_frame_ends_nothing(standin: StandIn, text: str) -> None:
    async with ready(standin):
        await standin.send_text(text)
        assert await answers(standin)
    assert len(standin.identifies) == 1


async def test_resumed_without_data_costs_a_session(standin: StandIn) -> None:
    async with ready(standin):
        standin.faults.null_resumed.arm(1)
        await standin.drop()
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)


@pytest.mark.parametrize("custom_id", ["v0:gone:1", "x" * 100, "v1:", "{}"])
async def test_an_unknown_button_is_answered(standin: StandIn, custom_id: str) -> None:
    row = {"type": 1, "components": [GONE | {"custom_id": custom_id}]}
    old = standin.bot_message("an old answer", components=[row])
    async with ready(standin):
        reply = await standin.press(custom_id, old)
        bare = await standin.press(custom_id, old, without_component=True)
    for answer in (reply, bare):
        assert answer.ephemeral
        assert "This button is from another time" in answer.content
        assert "`/vram train 7B adam lora`" in answer.content


async def test_an_unknown_form_is_answered(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.submit("v0:form", {"words": "x"}, check=False)
    assert reply.ephemeral
    assert "from another time" in reply.content


@pytest.mark.parametrize("path", ["vram oom", "vram", "forgotten"])
async def test_a_command_that_is_gone_is_answered(standin: StandIn, path: str) -> None:
    async with ready(standin):
        reply = await standin.slash(path, {}, check=False)
    assert reply.ephemeral
    assert "has changed" in reply.content


async def test_a_command_without_its_text_is_answered(standin: StandIn) -> None:
    async with ready(standin):
        reply = await standin.slash("vram train", {}, check=False)
    assert reply.ephemeral
    assert "`/vram train 7B adam lora`" in reply.content


async def test_a_fault_of_our_own_is_answered_with_its_number(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("bot.slash.answer_embed", failing)
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
    assert reply.ephemeral
    assert "Traceback" not in reply.content
    incident = reply.content.split("`")[1]
    assert any(incident in record.message for record in caplog.records)


async def _at_once(_: float) -> None:
    """discord.py's fixed waits, which are its own to test."""
