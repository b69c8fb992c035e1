"""Answers to messages on Discord's bad days: once each, where they may be, or not at all."""

import asyncio
import logging
from dataclasses import replace

import pytest

from bot.delivery import LATER, drain
from tests.wire.channels import Permissions
from tests.wire.our_bot import BRIEF, VERDICT, answers, ready
from tests.wire.standin import StandIn, Where

pytestmark = pytest.mark.usefixtures("lenient")

QUESTION = "@bot train 7B adam lora"
ROUTE = "/channels/{channel}/messages"


def channel(standin: StandIn, where: Where = Where.GUILD) -> str:
    return standin.world.places.channel_ids[where]


def statuses(standin: StandIn) -> list[int | None]:
    return [request.status for request in standin.requests_to(ROUTE)]


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR]


@pytest.mark.parametrize("after", [False, True])
async def test_an_answer_whose_connection_breaks_is_sent_again_and_stands_once(
    standin: StandIn, after: bool
) -> None:
    async with ready(standin):
        standin.faults.cut(after=after, route=ROUTE)
        await standin.answer_to(await standin.write(QUESTION))
        await standin.until(lambda: len(standin.requests_to(ROUTE)) == 2)
    assert len(standin.posted) == 1


async def test_an_answer_that_hangs_is_sent_again_and_stands_once(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.LATER", replace(LATER, each=0.5, beside=0.5))
    async with ready(standin):
        standin.faults.delay(60, after=True, route=ROUTE)
        await standin.answer_to(await standin.write(QUESTION))
        await standin.until(lambda: len(standin.requests_to(ROUTE)) == 2)
    assert len(standin.posted) == 1


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_an_outage_is_waited_out(standin: StandIn, status: int) -> None:
    async with ready(standin):
        standin.faults.status(status, route=ROUTE)
        answer = await standin.answer_to(await standin.write(QUESTION))
    assert answer.stored["embeds"]
    assert len(standin.posted) == 1


@pytest.mark.parametrize("everywhere", [False, True])
async def test_a_rate_limit_is_waited_out(standin: StandIn, everywhere: bool) -> None:
    async with ready(standin):
        standin.faults.rate_limit(0.05, route=ROUTE, everywhere=everywhere)
        await standin.answer_to(await standin.write(QUESTION))
    assert statuses(standin) == [429, 200]


async def test_a_limit_on_all_calls_ends_also_where_the_call_that_met_it_is_given_up(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """discord.py lets all calls wait until that one says that it is over."""
    monkeypatch.setattr("bot.limited.LONGEST_S", 0.5)
    monkeypatch.setattr("bot.delivery.LATER", BRIEF)
    async with ready(standin):
        standin.faults.rate_limit(600, route=ROUTE, everywhere=True)
        await standin.write(QUESTION)
        await standin.until(lambda: statuses(standin) == [429])
        await drain(30)
        monkeypatch.setattr("bot.delivery.LATER", LATER)
        answer = await standin.answer_to(await standin.write(QUESTION), 30)
    assert answer.stored["embeds"]


@pytest.mark.parametrize("how", ["down", "limited", "a page", "silent"])
async def test_what_cannot_be_sent_is_given_up(
    standin: StandIn, how: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.delivery.LATER", BRIEF)
    async with ready(standin):
        match how:
            case "down":
                standin.faults.status(503, route=ROUTE, times=None)
            case "limited":
                standin.faults.rate_limit(600, route=ROUTE, times=None)
            case "a page":
                standin.faults.html(503, route=ROUTE, times=None)
            case _:
                standin.faults.delay(60, route=ROUTE, times=None)
        await standin.write(QUESTION)
        async with asyncio.timeout(30):
            while "not delivered in " not in caplog.text:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await answers(standin)
    assert standin.posted == []


async def test_a_message_that_was_deleted_is_not_answered(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with ready(standin):
        standin.faults.delay(0.2, route=ROUTE)
        asked = await standin.write(QUESTION)
        await standin.until(lambda: len(standin.requests_to(ROUTE)) == 1)
        standin.world.messages.remove(asked)
        await standin.until(lambda: statuses(standin) == [400])
        assert await answers(standin)
    assert standin.posted == []
    assert errors(caplog) == []


async def test_a_reply_to_what_was_deleted_is_a_question_of_its_own(standin: StandIn) -> None:
    async with ready(standin):
        before = await standin.answer_to(await standin.write(QUESTION))
        standin.world.messages.remove(before)
        answer = await standin.answer_to(await standin.write(f"{QUESTION} bs 4", to=before))
    line = answer.stored["embeds"][0]["fields"][-1]["value"]
    assert line == "`/vram train 7B lora adamw bs 4`"


async def test_without_the_right_to_read_history_it_answers_beside(standin: StandIn) -> None:
    standin.world.permissions[channel(standin)] = Permissions(history=False)
    async with ready(standin):
        await standin.write(QUESTION)
        await standin.until(lambda: len(standin.posted) == 1)
    (answer,) = standin.posted
    assert answer.stored["embeds"][0]["title"].startswith(VERDICT)
    assert "message_reference" not in answer.stored


@pytest.mark.parametrize("history", [True, False])
async def test_without_the_right_to_embed_it_answers_in_words(
    standin: StandIn, history: bool
) -> None:
    standin.world.permissions[channel(standin)] = Permissions(embed=False, history=history)
    async with ready(standin):
        await standin.write(QUESTION)
        await standin.until(lambda: len(standin.posted) == 1)
    (answer,) = standin.posted
    assert answer.stored["content"].startswith(f"**{VERDICT}")
    assert answer.stored["content"].endswith("`/vram train 7B lora adamw`")


async def test_an_answer_in_words_can_be_changed_too(standin: StandIn) -> None:
    standin.world.permissions[channel(standin)] = Permissions(embed=False)
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(QUESTION))
        changed = await standin.answer_to(await standin.write("with qlora", to=answer))
    assert changed.stored["content"].endswith("`/vram train 7B qlora adamw`")


@pytest.mark.parametrize(
    ("where", "may"),
    [
        (Where.GUILD, Permissions(send=False)),
        (Where.GUILD, Permissions(view=False)),
        (Where.BOT_DM, Permissions(send=False)),
    ],
)
async def test_where_it_may_not_speak_it_stays_away_for_a_while(
    standin: StandIn, where: Where, may: Permissions, caplog: pytest.LogCaptureFixture
) -> None:
    """Refused calls count: ten thousand in ten minutes, and Discord bans the address."""
    standin.world.permissions[channel(standin, where)] = may
    async with ready(standin):
        await standin.write(QUESTION, where=where)
        await standin.until(lambda: 403 in statuses(standin))
        await asyncio.sleep(0.1)
        tried = len(statuses(standin))
        for _ in range(3):
            await standin.write(QUESTION, by=standin.person("bob"), where=where)
        assert await answers(standin)
        await asyncio.sleep(0.1)
    assert len(statuses(standin)) == tried <= 2
    assert standin.posted == []
    assert errors(caplog) == []


async def test_two_processes_give_one_answer(standin: StandIn) -> None:
    async with ready(standin), ready(standin):
        await standin.ready(sessions=2)
        asked = await standin.write(QUESTION)
        await standin.until(lambda: statuses(standin) == [200, 200])
        await standin.answer_to(asked)
    assert len(standin.posted) == 1


async def test_an_event_that_comes_twice_is_answered_once(standin: StandIn) -> None:
    async with ready(standin):
        asked = await standin.write(QUESTION)
        await standin.dispatch(
            "MESSAGE_CREATE",
            {**asked.stored, "guild_id": standin.guild_id, "mentions": asked.stored["mentions"]},
        )
        await standin.until(lambda: statuses(standin) == [200, 200])
    assert len(standin.posted) == 1


@pytest.mark.parametrize("how", ["drop", "4000", "reconnect"])
async def test_what_was_written_while_the_socket_was_down_is_answered_once(
    standin: StandIn, how: str
) -> None:
    async with ready(standin):
        before = await standin.answer_to(await standin.write(QUESTION))
        if how == "drop":
            await standin.drop()
        elif how == "reconnect":
            await standin.ask_reconnect()
        else:
            await standin.close_gateway(int(how), keep_session=True)
        asked = await standin.write(QUESTION, by=standin.person("bob"))
        answer = await standin.answer_to(asked)
        await standin.until(lambda: bool(standin.resumes))
        assert await answers(standin)
    assert standin.posted == [before, answer]


async def test_a_stop_finishes_what_is_being_answered(standin: StandIn) -> None:
    async with ready(standin) as running:
        standin.faults.delay(0.3, route=ROUTE)
        asked = await standin.write(QUESTION)
        await standin.until(lambda: len(standin.requests_to(ROUTE)) == 1)
        running.supervisor.stop()
        await running.ended()
    await standin.answer_to(asked)


@pytest.mark.parametrize("lack", ["author", "content", "mentions", "id", "embeds", "type"])
async def test_a_message_that_cannot_be_parsed_ends_nothing(standin: StandIn, lack: str) -> None:
    async with ready(standin):
        asked = await standin.write("@bot")
        broken = {key: value for key, value in asked.stored.items() if key != lack}
        await standin.dispatch("MESSAGE_CREATE", {**broken, "guild_id": standin.guild_id})
        assert await answers(standin)


async def test_what_fails_in_an_answer_is_said_with_a_number(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("bot.hearing.known", fail)
    async with ready(standin):
        answer = await standin.answer_to(await standin.write(QUESTION))
    assert "I failed at this" in answer.stored["content"]
    assert answer.stored["content"].split("`")[1] in caplog.text
