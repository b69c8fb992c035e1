"""The real client through everything that a gateway does: it comes back and misses nothing."""

import asyncio
import logging
import zlib

import discord
import pytest

from tests.wire.compression import Compression
from tests.wire.errors import Unanswered
from tests.wire.faults import CALLBACK
from tests.wire.standin import StandIn, Where
from tests.wire.tiny_bot import TinyBot, running

QUERY = {"query": "7B"}
RESUMABLE = (1000, 1001, 1012, 4000, 4001, 4002, 4005, 4008)
NEW_SESSION = (4003, 4007, 4009)
FATAL = (4004, 4010, 4011, 4012, 4013)


class ZlibContext:
    """How the client unpacks where zstandard is not installed."""

    COMPRESSION_TYPE = "zlib-stream"

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()

    def decompress(self, data: bytes) -> str | None:
        assert data.endswith(b"\x00\x00\xff\xff")
        return self._stream.decompress(data).decode()


async def test_the_client_asks_for_zstd_where_it_can(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    assert standin.connections[0].compression is Compression.ZSTD
    assert (await standin.slash("vram train", QUERY)).type == 4


async def test_zlib_and_text_are_understood_too(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.utils._ActiveDecompressionContext", ZlibContext)
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
        assert standin.connections[0].compression is Compression.ZLIB
        assert (await standin.slash("vram train", QUERY)).type == 4
        standin.settings.force_text = True
        await standin.drop()
        await standin.ready()
        assert (await standin.slash("vram train", QUERY)).type == 4


async def test_a_reset_is_resumed_and_what_was_missed_answered(
    standin: StandIn, tiny: TinyBot
) -> None:
    del tiny
    await standin.drop()
    reply = await standin.slash("vram train", QUERY)  # nobody is connected: it is replayed
    assert reply.type == 4
    await standin.ready()
    assert [each.resumed for each in standin.resumes] == [True]
    assert [each.resume_url for each in standin.connections] == [False, True]


@pytest.mark.parametrize("code", RESUMABLE)
async def test_a_close_is_resumed(standin: StandIn, tiny: TinyBot, code: int) -> None:
    del tiny
    await standin.close_gateway(code)
    await standin.ready()
    assert (await standin.slash("vram train", QUERY)).type == 4
    assert [each.resumed for each in standin.resumes] == [True]
    assert len(standin.identifies) == 1


@pytest.mark.parametrize("code", NEW_SESSION)
async def test_a_close_that_ends_the_session_starts_another(
    standin: StandIn, tiny: TinyBot, code: int
) -> None:
    del tiny
    await standin.close_gateway(code)
    await standin.ready()
    assert (await standin.slash("vram train", QUERY)).type == 4
    assert [each.resumed for each in standin.resumes] == [False]
    assert len(standin.identifies) == 2


@pytest.mark.parametrize("code", FATAL)
async def test_a_close_for_good_ends_the_client(standin: StandIn, code: int) -> None:
    async with running(standin, TinyBot(shard_count=1)) as started:
        await standin.ready()
        await standin.close_gateway(code)
        with pytest.raises(discord.ConnectionClosed):
            await started


async def test_intents_that_are_not_granted_end_the_client(standin: StandIn) -> None:
    async with running(standin, TinyBot(shard_count=1)) as started:
        await standin.ready()
        await standin.close_gateway(4014)
        with pytest.raises(discord.PrivilegedIntentsRequired):
            await started


async def test_a_wrong_token_ends_the_client(standin: StandIn) -> None:
    bot = TinyBot(shard_count=1)
    standin.faults.status(401, route="/users/@me")
    async with running(standin, bot) as started:
        with pytest.raises(discord.LoginFailure):
            await started


async def test_op_7_and_op_9_true_are_resumed(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    await standin.ask_reconnect()
    await standin.ready()
    await standin.invalidate(resumable=True)
    await standin.ready()
    assert [each.resumed for each in standin.resumes] == [True, True]
    assert [each.closed_by_client for each in standin.connections[:2]] == [4000, 4000]


async def test_op_9_false_starts_another_session(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    await standin.invalidate(resumable=False)
    await standin.ready()
    assert standin.resumes == []
    assert len(standin.identifies) == 2
    assert standin.connections[0].closed_by_client == 1000


async def test_a_session_that_is_lost_starts_another(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    standin.faults.lose_session.arm(1)
    await standin.drop()
    await standin.ready()
    assert [each.resumed for each in standin.resumes] == [False]
    assert len(standin.identifies) == 2


@pytest.mark.usefixtures("impatient")
async def test_a_dead_resume_address_leads_back_to_the_main_one(
    standin: StandIn, tiny: TinyBot
) -> None:
    del tiny
    standin.faults.dead_resume.arm()
    await standin.drop()
    await standin.ready()
    assert standin.faults.dead_resume.fired
    assert len(standin.identifies) == 2
    assert (await standin.slash("vram train", QUERY)).type == 4


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "fault",
    ["refuse_connect", "gateway_unavailable", "close_before_hello", "reconnect_before_hello"],
)
async def test_a_gateway_that_is_down_at_first_is_tried_again(standin: StandIn, fault: str) -> None:
    switch = getattr(standin.faults, fault)
    switch.arm(2)
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
        assert switch.fired == 2
        assert (await standin.slash("vram train", QUERY)).type == 4


async def test_a_heartbeat_that_is_asked_for_comes_at_once(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    beats = standin.world.frames["HEARTBEAT"]
    await standin.send_frame({"op": 1, "d": None, "s": None, "t": None})
    await standin.until(lambda: standin.world.frames["HEARTBEAT"] > beats)


@pytest.mark.parametrize("what", ["resumed", "missing key", "no JSON"])
async def test_an_event_of_the_wrong_shape_ends_the_client(standin: StandIn, what: str) -> None:
    """A weakness of the client, kept here so that it is known when it is gone."""
    async with running(standin, TinyBot(shard_count=1)) as started:
        await standin.ready()
        if what == "resumed":
            standin.faults.null_resumed.arm(1)
            await standin.drop()
        elif what == "no JSON":
            await standin.send_text("no json")
        else:
            payload = standin.interaction(2, {"id": "1", "name": "vram", "type": 1})
            del payload["attachment_size_limit"]
            await standin.dispatch("INTERACTION_CREATE", payload)
        with pytest.raises((TypeError, KeyError, ValueError)):
            await started


async def test_events_that_nobody_knows_are_passed_over(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    standin.faults.unknown_dispatches.arm()
    assert (await standin.slash("vram train", QUERY)).type == 4
    assert standin.faults.unknown_dispatches.fired == 1


async def test_a_silent_gateway_is_left(standin: StandIn) -> None:
    async with running(standin, TinyBot(shard_count=1, heartbeat_timeout=0.1)):
        await standin.ready()
        standin.faults.silent.arm()
        await standin.until(lambda: len(standin.connections) > 1)
        assert standin.connections[0].closed_by_client == 4000
        standin.faults.clear()
        await standin.ready()


async def test_a_peer_that_never_acks_but_talks_is_not_noticed(standin: StandIn) -> None:
    standin.settings.heartbeat_ms = 50
    standin.faults.never_ack.arm()
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
        await standin.until(lambda: standin.world.frames["HEARTBEAT"] >= 4)
        assert (await standin.slash("vram train", QUERY)).type == 4
    assert len(standin.connections) == 1


async def test_discord_says_how_many_shards_there_are(standin: StandIn) -> None:
    standin.settings.shards = 3
    async with running(standin, TinyBot()):
        await standin.ready(3)
        assert standin.requests_to("/gateway/bot")
        assert [each.shard for each in standin.identifies] == [(0, 3), (1, 3), (2, 3)]
        for shard in range(3):
            guild = standin.guild_of_shard(shard, 3)
            reply = await standin.slash("vram train", QUERY, guild_id=guild)
            assert reply.type == 4
        await standin.drop()
        await standin.ready(3)
        assert len(standin.resumes) == 3


async def test_a_process_may_have_some_of_the_shards(standin: StandIn) -> None:
    async with running(standin, TinyBot(shard_ids=[2, 3], shard_count=4)):
        await standin.ready(2)
        guild = standin.guild_of_shard(3, 4)
        assert (await standin.slash("vram train", QUERY, guild_id=guild)).type == 4
        with pytest.raises(Unanswered, match="no session"):
            await standin.slash("vram train", QUERY, where=Where.BOT_DM)


async def test_a_burst_is_heard_and_answered_whole(standin: StandIn, tiny: TinyBot) -> None:
    del tiny
    standin.settings.answer_within_s = 30  # all of them come at once
    for number in range(2000):
        await standin.dispatch("ANYTHING", {"number": number})
    asked = [standin.slash("vram train", QUERY, timeout=30) for _ in range(300)]
    replies = await asyncio.gather(*asked)
    assert {each.type for each in replies} == {4}
    assert len(standin.requests_to(CALLBACK)) == 300
    assert len(standin.connections) == 1


async def test_a_client_may_leave_in_the_middle(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    async with running(standin, TinyBot(shard_count=1)):
        await standin.ready()
        standin.faults.delay(10, route=CALLBACK)
        asked = asyncio.create_task(standin.slash("vram train", QUERY, timeout=0.5))
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)))
    with pytest.raises(Unanswered):
        await asked
    assert standin.connections[0].closed_by_client == 1000
    assert standin.requests_to(CALLBACK)[0].status is None
