"""The gateway's faults: the session goes on wherever it can, and a new one begins where not."""

import asyncio
import threading

import pytest
from discord.gateway import DiscordWebSocket, KeepAliveHandler

from bot.exits import Exit
from bot.pace import Pace
from bot.shard import REFUSALS
from bot.supervisor import FATAL_CLOSES
from bot.tree import AT_ONCE, Interaction, VramTree
from tests.wire.our_bot import CALLBACK, QUERY, answers, ready, started
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("lenient")

KEPT = (1000, 1001, 1011, 1012, 4000, 4001, 4002, 4005, 4008)  # whoever asks may RESUME
WITHOUT = ("close_without_code", "end_stream", "drop")  # the last two are 1006 to a client
GONE = (4003, 4007, 4009)  # may come back; the session is over


async def lose(standin: StandIn, how: str | int) -> None:
    """End the bot's socket: by a code, or with none."""
    if isinstance(how, int):
        await standin.close_gateway(how)
    else:
        getattr(standin.connections[-1], how)()


@pytest.mark.parametrize("ends", [KEPT, WITHOUT], ids=["by a code", "by none"])
async def test_a_session_that_is_kept_goes_on_and_nothing_is_missed(
    standin: StandIn, ends: tuple[str | int, ...]
) -> None:
    async with ready(standin) as running:
        client = running.client
        for number, how in enumerate(ends, 1):
            missed = standin.people().slash("vram train", QUERY)
            await lose(standin, how)
            await standin.dispatch("INTERACTION_CREATE", missed.interaction)
            await missed.changed.until(lambda: missed.status is not None, 60, "an answer")  # noqa: B023
            await standin.until(lambda: len(standin.resumes) == number)  # noqa: B023
            await standin.ready()
            await standin.until(lambda: running.client.in_session(0))
        assert await answers(standin)
        assert running.client is client
    assert [resume.resumed for resume in standin.resumes] == [True] * len(ends)
    assert len(standin.identifies) == 1


@pytest.mark.parametrize("code", GONE)
async def test_a_session_that_is_over_is_begun_anew_at_once(standin: StandIn, code: int) -> None:
    async with ready(standin) as running:
        client = running.client
        await lose(standin, code)
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)
        assert running.client is client
    assert [resume.resumed for resume in standin.resumes] == [False]


async def test_an_invalid_session_that_may_go_on_does(standin: StandIn) -> None:
    async with ready(standin):
        await standin.invalidate(resumable=True)
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.ready()
        assert await answers(standin)
    assert len(standin.identifies) == 1


@pytest.mark.parametrize("silent", [False, True])
async def test_where_the_resume_address_is_dead_the_session_goes_on_elsewhere(
    standin: StandIn, silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it takes the connection and says nothing on it."""
    monkeypatch.setattr("bot.shard.OPEN_S", 0.2)
    async with ready(standin) as running:
        client = running.client
        (standin.faults.silent if silent else standin.faults.dead_resume).arm(1 if silent else None)
        missed = standin.people().slash("vram train", QUERY)
        await standin.drop()
        await standin.dispatch("INTERACTION_CREATE", missed.interaction)
        await missed.changed.until(lambda: missed.status is not None, 60, "an answer")
        assert running.client is client
    assert not standin.connections[-1].resume_url
    assert len(standin.identifies) == 1


@pytest.mark.parametrize("fault", ["refuse_connect", "gateway_unavailable", "close_before_hello"])
async def test_a_gateway_that_is_away_for_a_moment_costs_no_session(
    standin: StandIn, fault: str
) -> None:
    async with ready(standin) as running:
        client, switch = running.client, getattr(standin.faults, fault)
        switch.arm(3)
        missed = standin.people().slash("vram train", QUERY)
        await standin.drop()
        await standin.dispatch("INTERACTION_CREATE", missed.interaction)
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.ready()
        assert await answers(standin)
        assert switch.fired == 3
        assert running.client is client
    assert len(standin.identifies) == 1


@pytest.mark.parametrize("fault", ["refuse_connect", "close_before_hello", "gateway_unavailable"])
async def test_a_first_connect_that_fails_is_tried_again(standin: StandIn, fault: str) -> None:
    getattr(standin.faults, fault).arm(2)
    async with ready(standin):
        assert await answers(standin)
    assert len(standin.identifies) == 1


@pytest.mark.parametrize("code", FATAL_CLOSES)
async def test_a_first_connect_that_no_other_mends_ends_with_78(
    standin: StandIn, code: int
) -> None:
    """Also where Discord says so before HELLO, as it may of a version."""
    standin.faults.close_before_hello.arm(None, code)
    async with started(standin, shard_count=1) as running:
        assert await running.ended() == Exit.CONFIGURATION
    assert len(standin.connections) == 1


async def test_a_reconnect_in_the_place_of_hello_is_followed(standin: StandIn) -> None:
    standin.faults.reconnect_before_hello.arm(1)
    async with ready(standin):
        standin.faults.reconnect_before_hello.arm(1)
        await standin.drop()
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.ready()
        assert await answers(standin)
    assert len(standin.identifies) == 1


async def test_a_socket_lost_before_ready_begins_and_resumes_nothing(standin: StandIn) -> None:
    """There is no session yet that could go on."""
    standin.faults.never_ready.arm(1)
    async with started(standin):
        await standin.until(lambda: len(standin.identifies) == 1)
        await standin.drop()
        await standin.ready()
        assert await answers(standin)
    assert len(standin.identifies) == 2
    assert standin.resumes == []


async def test_an_identify_that_nobody_answers_is_made_again(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.shard.BEGIN_S", 0.2)
    standin.faults.never_ready.arm(1)
    async with ready(standin) as running:
        client = running.client
        assert await answers(standin)
        assert running.client is client
    assert len(standin.identifies) == 2


@pytest.mark.usefixtures("soon_silent")
async def test_heartbeats_that_nobody_answers_end_a_socket(standin: StandIn) -> None:
    standin.settings.heartbeat_ms = 50
    async with ready(standin):
        standin.faults.never_ack.arm()
        await standin.until(lambda: len(standin.resumes) > 0)
        standin.faults.clear()
        await standin.ready()
        assert await answers(standin)
    assert len(standin.identifies) == 1


@pytest.mark.usefixtures("soon_silent")
async def test_a_peer_that_is_gone_and_did_not_say_so_is_left(standin: StandIn) -> None:
    """It takes what is sent, and says no goodbye either."""
    async with ready(standin) as running:
        client, missed = running.client, standin.people().slash("vram train", QUERY)
        standin.connections[-1].freeze()
        await standin.dispatch("INTERACTION_CREATE", missed.interaction)
        await missed.changed.until(lambda: missed.status is not None, 60, "an answer")
        assert running.client is client
    assert len(standin.identifies) == 1


async def test_a_peer_that_says_no_goodbye_holds_up_no_reconnect(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    """It asks for one and is gone: an answer is in time all the same."""
    async with ready(standin):
        missed, gone = standin.people().slash("vram train", QUERY), standin.connections[-1]
        await standin.ask_reconnect()
        gone.freeze()
        await standin.dispatch("INTERACTION_CREATE", missed.interaction)
        await missed.changed.until(lambda: missed.status is not None, 60, "an answer")
    assert len(standin.identifies) == 1
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_session_that_is_refused_for_ever_is_given_up_by_the_same_client(
    standin: StandIn,
) -> None:
    """A number in it is none, so each RESUME is refused as it comes."""
    refused = standin.expect_violations()
    async with ready(standin) as running:
        client = running.client
        await standin.send_text('{"op": 0, "t": "NEW", "s": "no number", "d": null}')
        await standin.drop()
        await standin.until(lambda: len(standin.identifies) == 2)
        await standin.ready()
        assert await answers(standin)
        assert running.client is client
    assert len(refused) == REFUSALS


async def test_one_shard_that_comes_back_slowly_holds_up_no_other(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.shard.wait_s", lambda tries: 60.0 if tries else 0.0)
    standin.settings.shards = 2
    guild = standin.guild_of_shard(1, 2)
    async with ready(standin) as running:
        await standin.ready(sessions=2)
        of_shard = {one.shard[0]: one for one in standin.connections if one.shard}
        standin.faults.refuse_connect.arm(1)
        of_shard[0].drop()
        await standin.until(lambda: standin.faults.refuse_connect.fired == 1)
        of_shard[1].drop()
        await standin.until(lambda: len(standin.resumes) == 1)
        await standin.until(lambda: running.client.in_session(1))
        reply = await standin.slash("vram train", QUERY, guild_id=guild)
        assert (await reply.finished(timeout=60)).embeds


async def test_it_connects_where_discord_says(standin: StandIn) -> None:
    """What is dead at one address is tried at this one."""
    async with ready(standin):
        assert str(DiscordWebSocket.DEFAULT_GATEWAY) == standin.gateway_url


@pytest.mark.usefixtures("unhurried")
async def test_of_what_comes_all_at_once_the_first_answer_leaves_before_the_last_is_made(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a session that goes on brings it."""
    made: list[object] = []
    begin = VramTree._answer  # noqa: SLF001

    async def counted(self: VramTree, interaction: Interaction) -> None:
        made.append(interaction)
        await begin(self, interaction)

    monkeypatch.setattr(VramTree, "_answer", counted)
    async with ready(standin):
        for _ in range(AT_ONCE):
            exchange = standin.people().slash("vram train", QUERY)
            await standin.dispatch("INTERACTION_CREATE", exchange.interaction)
        await standin.until(lambda: bool(standin.requests_to(CALLBACK)), 60)
        assert len(made) < AT_ONCE
        await standin.until(lambda: len(standin.requests_to(CALLBACK)) == AT_ONCE, 60)


async def test_no_heart_beats_on_where_a_connect_was_given_up_half_way(standin: StandIn) -> None:
    """As where the program ends while a shard waits for its turn to begin anew."""
    before = hearts()
    async with ready(standin, pace=Pace(an_hour=100_000, gap_s=4)):
        first = hearts()
        await standin.invalidate(resumable=False)
        async with asyncio.timeout(60):
            while not hearts() - first:  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.01)
    async with asyncio.timeout(20):
        while hearts() - before:  # noqa: ASYNC110  (each beats after 41 s, and then ends)
            await asyncio.sleep(0.01)


def hearts() -> set[threading.Thread]:
    """The threads that send heartbeats."""
    return {one for one in threading.enumerate() if isinstance(one, KeepAliveHandler)}
