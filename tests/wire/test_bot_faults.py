"""The bot on Discord's bad days: it answers, comes back, or says why it must not."""

import asyncio
import logging

import pytest

from bot.connected import MOST_DROPS
from bot.delivery import drain
from bot.exits import Exit
from bot.supervisor import FATAL_CLOSES
from bot.tree import AT_ONCE
from tests.wire.our_bot import BRIEF, CALLBACK, QUERY, answers, ready, started
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("lenient")


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


@pytest.mark.parametrize("after", [False, True])
async def test_a_callback_that_hangs_is_sent_again_in_time(
    standin: StandIn, after: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where Discord took it and only does not say so."""
    async with ready(standin):
        standin.faults.delay(60, after=after, route=CALLBACK)
        exchange = standin.people().slash("vram train", QUERY)
        await standin.ask(exchange)
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) == 2)
        assert await answers(standin)
    assert exchange.status == 200
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_callback_that_hangs_again_holds_nobody_up(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.delivery.FIRST", BRIEF)
    async with ready(standin):
        standin.faults.delay(60, route=CALLBACK, times=None)
        await flood(standin, AT_ONCE)
        async with asyncio.timeout(30):
            while caplog.text.count("not delivered in ") < AT_ONCE:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        monkeypatch.undo()
        standin.faults.clear()
        assert await answers(standin)


async def test_a_callback_is_not_sent_for_ever(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.FIRST", BRIEF)
    async with ready(standin):
        standin.faults.cut(times=None)
        await flood(standin, 1)
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) > 1)
        await drain(30)
        tried = len(standin.requests_to(CALLBACK))
        await asyncio.sleep(2 * BRIEF.heard)
    assert len(standin.requests_to(CALLBACK)) == tried


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
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
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


@pytest.mark.parametrize("code", FATAL_CLOSES)
async def test_what_no_wait_mends_ends_with_78(standin: StandIn, code: int) -> None:
    async with ready(standin, shard_count=1) as running:
        await standin.close_gateway(code)
        assert await running.ended() == Exit.CONFIGURATION
    assert len(standin.identifies) == 1


async def test_more_shards_are_asked_for_where_their_number_is_open(standin: StandIn) -> None:
    async with ready(standin):
        standin.settings.shards = 2
        await standin.close_gateway(4011)
        await standin.until(lambda: len(standin.identifies) == 3)
        await standin.ready(sessions=2)
        assert await answers(standin)


async def test_a_long_outage_is_over_when_discord_is_back(standin: StandIn) -> None:
    """discord.py alone would come back up to 17 minutes later."""
    async with ready(standin, patience_s=0.2) as running:
        first, logins = running.client, len(standin.requests_to("/users/@me"))
        standin.faults.gateway_unavailable.arm()
        await standin.drop()
        await standin.until(lambda: len(standin.requests_to("/users/@me")) > logins)
        standin.faults.clear()
        await standin.ready()
        assert await answers(standin)
        assert running.client is not first


async def test_a_log_in_that_hangs_is_given_up(standin: StandIn) -> None:
    standin.faults.delay(60, route="/users/@me")
    async with ready(standin, patience_s=0.2):
        assert await answers(standin)


async def test_what_is_being_answered_is_finished_before_a_client_ends(standin: StandIn) -> None:
    async with ready(standin):
        standin.faults.delay(0.2, route=CALLBACK)
        exchange = standin.people().slash("vram train", QUERY)
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
        await standin.send_text("not json")
        await exchange.changed.until(lambda: exchange.status is not None, 60, "an answer")
        await standin.until(lambda: len(standin.identifies) == 2)
    assert exchange.status == 200


async def test_an_answer_that_takes_too_long_holds_up_no_stop(standin: StandIn) -> None:
    async with ready(standin, drain_s=0.1) as running:
        standin.faults.delay(60, route=CALLBACK)
        exchange = standin.people().slash("vram train", QUERY)
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
        running.supervisor.stop()
        async with asyncio.timeout(10):
            assert await running.ended() == Exit.DONE
    assert exchange.status is None


async def test_a_bot_that_used_up_its_sessions_waits(standin: StandIn) -> None:
    standin.settings.identifies_left = 0
    async with started(standin) as running:
        await standin.until(lambda: bool(standin.requests_to("/gateway/bot")))
        await asyncio.sleep(0)
        assert not running.task.done()
    assert standin.identifies == []


async def test_a_wrong_token_ends_with_78(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(standin, token="MTIz.wrong.token") as running:
        assert await running.ended() == Exit.CONFIGURATION
    assert standin.identifies == []
    assert "does not accept the token" in caplog.text
    assert "MTIz.wrong.token" not in caplog.text


@pytest.mark.parametrize("how", ["4000", "1001", "op 7", "op 9"])
async def test_a_session_that_breaks_each_time_it_resumes_is_left(
    standin: StandIn, how: str
) -> None:
    async with ready(standin) as running:
        first = running.client
        for _ in range(2 * MOST_DROPS):
            if running.client is not first:
                break
            connections = len(standin.connections)
            if how == "op 7":
                await standin.ask_reconnect()
            elif how == "op 9":
                await standin.invalidate(resumable=True)
            else:
                await standin.close_gateway(int(how), keep_session=True)
            await standin.until(lambda: len(standin.connections) > connections)  # noqa: B023
            await standin.ready()
        assert running.client is not first
        assert await answers(standin)


async def flood(standin: StandIn, many: int) -> None:
    """So many people at once."""
    asked = [standin.people().slash("vram train", QUERY) for _ in range(many)]
    for exchange in asked:
        await standin.dispatch("INTERACTION_CREATE", exchange.interaction)


@pytest.mark.usefixtures("patient")
async def test_of_many_at_once_some_are_answered_first_and_then_all(standin: StandIn) -> None:
    async with ready(standin):
        await flood(standin, 200)
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
        assert len(standin.requests_to(CALLBACK)) <= AT_ONCE
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) == 200, 60)


@pytest.mark.usefixtures("patient")
async def test_who_asks_during_a_flood_is_answered_before_it_is_over(standin: StandIn) -> None:
    async with ready(standin):
        await flood(standin, 200)
        assert await answers(standin)
        assert len(standin.requests_to(CALLBACK)) < 200


async def test_after_a_flood_the_next_one_is_answered(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who waited in vain are left, and hold up nobody."""
    monkeypatch.setattr("bot.tree.TURN_S", 0)
    async with ready(standin):
        await flood(standin, 200)
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
        await drain(30)
        assert await answers(standin)
    assert len(standin.requests_to(CALLBACK)) < 200
