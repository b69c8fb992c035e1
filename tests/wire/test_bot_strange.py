"""What Discord should not send, and what nothing answers any more: answered, where it can be."""

from dataclasses import replace
from typing import Any

import pytest

from bot.delivery import FIRST
from tests.wire.messages import parts_of
from tests.wire.our_bot import CALLBACK, QUERY, answers, ready
from tests.wire.standin import Reply, StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

GONE = {"type": 2, "custom_id": "v0:gone:1", "style": 2, "label": "Gone"}


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
@pytest.mark.parametrize(
    "missing", ["application_id", "attachment_size_limit", "version", "data", "member"]
)
async def test_a_malformed_interaction_is_answered_all_the_same(
    standin: StandIn, missing: str, kind: int
) -> None:
    async with ready(standin) as running:
        client = running.client
        exchange = standin.people().open(kind, {"id": "1", "name": "vram", "type": 1})
        damaged = {key: part for key, part in exchange.interaction.items() if key != missing}
        await standin.dispatch("INTERACTION_CREATE", damaged)
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
        assert running.client is client
    reply = Reply(exchange)
    assert reply.ephemeral
    assert "`/vram train 7B adam lora`" in reply.content


@pytest.mark.parametrize("how", ["503", "drop", "silence"])
async def test_such_an_answer_is_sent_again_as_others_are(
    standin: StandIn, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.FIRST", replace(FIRST, within=60, heard=60, each=60))
    async with ready(standin):
        if how == "503":
            standin.faults.status(503, route=CALLBACK)
        elif how == "drop":
            standin.faults.cut()
        else:
            standin.faults.delay(60, route=CALLBACK)
        exchange = standin.people().slash("vram train", QUERY)
        damaged = {key: part for key, part in exchange.interaction.items() if key != "version"}
        await standin.dispatch("INTERACTION_CREATE", damaged)
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
    assert Reply(exchange).ephemeral
    assert len(standin.requests_to(CALLBACK)) == 2


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


@pytest.mark.parametrize("value", [1.5, None, True, ["7B"], {"a": 1}])
async def test_a_command_whose_text_is_none_is_answered(standin: StandIn, value: object) -> None:
    async with ready(standin):
        exchange = standin.people().slash("vram train", QUERY)
        exchange.interaction["data"]["options"][0]["options"][0]["value"] = value
        reply = await standin.ask(exchange)
    assert reply.ephemeral
    assert "incident" not in reply.content


async def test_a_press_on_a_message_that_cannot_be_read_is_answered(standin: StandIn) -> None:
    async with ready(standin):
        answer = await (await standin.slash("vram train", QUERY)).finished(timeout=60)
        name = next(each for each in parts_of(answer.message) if each["type"] == 2)["custom_id"]
        assert answer.stored is not None
        exchange = standin.people().press(name, answer.stored, 2, None)
        for part in parts_of(exchange.interaction["message"]):
            part["url"] = "https://discord.com"  # a button has a name or an address, never both
        reply = await standin.ask(exchange)
    assert reply.ephemeral


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

    monkeypatch.setattr("bot.slash.shown", failing)
    async with ready(standin):
        reply = await standin.slash("vram train", QUERY)
    assert reply.ephemeral
    assert "Traceback" not in reply.content
    incident = reply.content.split("`")[1]
    assert any(incident in record.message for record in caplog.records)


async def test_a_list_that_cannot_be_parsed_is_empty(standin: StandIn) -> None:
    async with ready(standin):
        exchange = standin.people().autocomplete("vram train", {"query": "7B"}, "query")
        damaged = {k: part for k, part in exchange.interaction.items() if k != "version"}
        await standin.dispatch("INTERACTION_CREATE", damaged)
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
    assert Reply(exchange).choices == []


FOCUSED: dict[str, dict[str, Any]] = {
    "null": {"value": None},
    "a negative number": {"value": -1},
    "a broken number": {"value": 1.5},
    "a huge number": {"value": 2**70},
    "true": {"value": True},
    "a list": {"value": ["7B"]},
    "an object": {"value": {"7B": 1}},
    "an unknown kind": {"type": 99},
    "a kind of number": {"type": 10},
    "no kind": {"type": None},
    "a subcommand": {"type": 1},
    "another name": {"name": "nothing"},
    "an option with fixed values": {"name": "method"},
    "no name": {"name": None},
    "no focus": {"focused": False},
}


@pytest.mark.parametrize("kind", FOCUSED)
async def test_a_list_for_what_cannot_be_listed_is_empty(
    standin: StandIn, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    async with ready(standin):
        exchange = standin.people().autocomplete("vram train", {"query": "7B lora"}, "query")
        (sub_command,) = exchange.interaction["data"]["options"]
        sub_command["options"][0] |= FOCUSED[kind]
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
        assert await answers(standin)
    assert Reply(exchange).choices == []
    assert not [record for record in caplog.records if record.exc_info]
    assert len([record for record in caplog.records if "a list was asked" in record.message]) == 1


@pytest.mark.parametrize("options", [None, 7, "x", [], [None], [[]], [{}], {"name": "query"}])
async def test_a_list_without_options_is_empty(
    standin: StandIn, caplog: pytest.LogCaptureFixture, options: object
) -> None:
    async with ready(standin):
        exchange = standin.people().autocomplete("vram train", {"query": "7B lora"}, "query")
        exchange.interaction["data"]["options"][0]["options"] = options
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
        assert await answers(standin)
    assert Reply(exchange).choices == []
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_list_is_sent_again_where_the_connection_broke(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with ready(standin):
        standin.faults.cut()
        reply = await standin.autocomplete("vram train", {"query": "7B adam lora"}, "query")
    assert reply.choices
    assert not [one for one in caplog.records if one.name == "discord.app_commands.tree"]
