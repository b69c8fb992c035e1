"""Where and how the bot connects: addresses, shards, compression, what it asks for."""

import asyncio
from typing import Any

import pytest
from discord.gateway import DiscordWebSocket

from bot.ask import open_desk
from bot.pace import BURST, Pace
from tests.wire.callbacks import THINK
from tests.wire.our_bot import QUERY, VERDICT, answers, ready, started
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("lenient")

GATEWAY = "/gateway/bot"
PATIENCE_S = 5


async def test_every_shard_is_connected_and_answers(standin: StandIn) -> None:
    standin.settings.shards = 3
    guilds = [standin.guild_of_shard(shard, 3) for shard in range(3)]
    async with ready(standin) as running:
        await standin.ready(sessions=3)
        await running.client.wait_until_ready()
        assert running.supervisor.is_ready()
        for guild in guilds:
            assert await answers(standin, guild_id=guild)
    assert {identify.shard for identify in standin.identifies} == {(0, 3), (1, 3), (2, 3)}


async def test_many_shards_all_connect_and_come_back(standin: StandIn) -> None:
    """One at a time, longer than the bot waits for Discord, and more than it begins at once."""
    standin.settings.shards = count = 2 * BURST
    pace = Pace(an_hour=1, gap_s=0.05)
    async with ready(standin, pace=pace, patience_s=4 * pace.gap_s) as running:
        await standin.ready(sessions=count)
        await running.client.wait_until_ready()
        first = running.client
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == count)
        await standin.ready(sessions=count)
        await standin.invalidate(resumable=False)
        await standin.until(lambda: len(standin.identifies) == 2 * count, 30)
        await standin.ready(sessions=count)
        for shard in (0, count - 1):
            guild = standin.guild_of_shard(shard, count)
            assert await answers(standin, guild_id=guild)
        assert running.client is first
    shards = sorted(identify.shard or () for identify in standin.identifies)
    assert shards == sorted(2 * [(shard, count) for shard in range(count)])


@pytest.mark.parametrize("said", [{"shards": 0}, {"shards": "many"}, {"url": None}])
async def test_what_cannot_be_connected_with_is_asked_for_again(
    standin: StandIn, said: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    standin.settings.gateway_says = said
    async with started(standin):
        await standin.until(lambda: len(standin.requests_to(GATEWAY)) > 2)
        assert standin.connections == []
        standin.settings.gateway_says = {}
        await standin.ready()
        assert await answers(standin)
    assert f"gives nothing to connect with ({next(iter(said))})" in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_page_in_the_place_of_an_address_is_too(standin: StandIn) -> None:
    standin.faults.html(200, route=GATEWAY)
    async with ready(standin):
        assert await answers(standin)


async def test_a_fixed_number_of_shards_and_an_address_are_not_asked_for(standin: StandIn) -> None:
    async with ready(standin, shard_count=2, gateway_url=standin.gateway_url):
        await standin.ready(sessions=2)
        assert await answers(standin)
    assert standin.requests_to(GATEWAY) == []


async def test_an_address_of_ones_own_wins_over_discords(standin: StandIn) -> None:
    own = standin.gateway_url.replace("127.0.0.1", "localhost")
    async with ready(standin, gateway_url=own):
        assert str(DiscordWebSocket.DEFAULT_GATEWAY) == own
        assert await answers(standin)
    assert len(standin.requests_to(GATEWAY)) == 1


async def test_a_session_goes_on_at_an_address_of_ones_own_too(standin: StandIn) -> None:
    """Discord names one for that; it would lead past the proxy."""
    async with ready(standin, gateway_url=standin.gateway_url):
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.ready()
        assert await answers(standin)
    assert [one.resumed for one in standin.resumes] == [True]
    assert not any(connection.resume_url for connection in standin.connections)


async def test_it_is_ready_only_while_it_is_connected(standin: StandIn) -> None:
    async with ready(standin) as running:
        await running.client.wait_until_ready()
        assert running.supervisor.is_ready()
        standin.faults.gateway_unavailable.arm()
        lost = asyncio.create_task(running.client.wait_for("shard_disconnect", timeout=PATIENCE_S))
        await asyncio.sleep(0)  # so that it listens
        await standin.drop()
        await lost
        assert not running.supervisor.is_ready()


async def test_a_question_before_all_is_made_is_announced_and_then_answered(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once: it may be one that was asked while no process was there."""
    monkeypatch.setattr("bot.slash.ANNOUNCED_S", 600)
    desk = open_desk()
    made: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    desk.opening = made
    async with ready(standin, desk=desk):
        reply = await standin.slash("vram train", QUERY, timeout=60)
        assert reply.type == THINK
        made.set_result(None)
        await reply.finished(timeout=60)
        assert reply.embeds[0]["title"].startswith(VERDICT)
