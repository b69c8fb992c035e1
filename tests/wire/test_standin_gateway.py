"""The gateway's rules, tried by frames that are wrong on purpose."""

import json

import aiohttp
import pytest

from tests.wire.bare_client import PROPERTIES, BareClient, BareSocket
from tests.wire.clock import shard_of
from tests.wire.compression import Compression
from tests.wire.intents import GUILDS, MESSAGE_CONTENT
from tests.wire.people import Json
from tests.wire.standin import StandIn

GUILD_MESSAGES = 1 << 9
PLACE = "THE-TOKEN"  # stands for the real one in frames that are wrong otherwise


@pytest.mark.parametrize("frames", ["packed", "text"])
@pytest.mark.parametrize("compression", Compression)
async def test_a_session_starts_packed_as_asked(
    standin: StandIn, bare: BareClient, compression: Compression, frames: str
) -> None:
    standin.settings.force_text = frames == "text"
    socket = await bare.connect(compression)
    hello = await socket.frame()
    assert (hello["op"], hello["d"]) == (10, {"heartbeat_interval": 41_250})
    await socket.send(1, None)
    assert (await socket.frame())["op"] == 11
    ready = await socket.identify(standin.token)
    assert ready["s"] == 1
    assert ready["d"]["guilds"] == [{"id": standin.guild_id, "unavailable": True}]
    assert ready["d"]["user"]["id"] == standin.application_id
    assert "shard" not in ready["d"]
    for number in range(3):  # one stream for all frames
        await standin.dispatch("ANYTHING", {"number": number})
        assert (await socket.frame())["d"] == {"number": number}
    assert standin.connections[0].compression is compression
    await socket.close(1000)
    await standin.until(lambda: standin.connections[0].ended)
    assert standin.connections[0].closed_by_client == 1000


IDENTIFY = {"token": PLACE, "properties": PROPERTIES, "intents": 0}
WRONG: dict[str, tuple[int, object]] = {
    "no JSON": (4002, "no json"),
    "no object": (4002, "[]"),
    "too long": (4002, json.dumps({"op": 1, "d": "x" * 4096})),
    "no opcode": (4001, "{}"),
    "unknown opcode": (4001, {"op": 77}),
    "early": (4003, {"op": 3, "d": {}}),
    "wrong token": (4004, {"op": 2, "d": {**IDENTIFY, "token": "a.b.c"}}),
    "no properties": (4002, {"op": 2, "d": {"token": PLACE, "intents": 0}}),
    "no intents": (4013, {"op": 2, "d": {"token": PLACE, "properties": PROPERTIES}}),
    "unknown intents": (4013, {"op": 2, "d": {**IDENTIFY, "intents": 1 << 17}}),
    "privileged intents": (4014, {"op": 2, "d": {**IDENTIFY, "intents": MESSAGE_CONTENT}}),
    "shard out of range": (4010, {"op": 2, "d": {**IDENTIFY, "shard": [2, 2]}}),
    "shard of no shape": (4010, {"op": 2, "d": {**IDENTIFY, "shard": [0]}}),
    "resume without seq": (4002, {"op": 6, "d": {"token": PLACE, "session_id": "x"}}),
}


@pytest.mark.parametrize("what", WRONG)
async def test_a_wrong_frame_closes(standin: StandIn, bare: BareClient, what: str) -> None:
    code, frame = WRONG[what]
    socket = await bare.connect()
    text = frame if isinstance(frame, str) else json.dumps(frame)
    await socket.send_text(text.replace(PLACE, standin.token))
    assert await socket.closed() == code
    written = standin.expect_violations()
    assert bool(written) == (code != 4004)


async def test_a_second_identify_closes(standin: StandIn, bare: BareClient) -> None:
    socket = await bare.connect()
    await socket.identify(standin.token)
    await socket.send_text(json.dumps({"op": 2, "d": IDENTIFY}).replace(PLACE, standin.token))
    assert await socket.closed() == 4005
    standin.expect_violations()


async def test_bytes_close(standin: StandIn, bare: BareClient) -> None:
    socket = await bare.connect()
    await socket.send_bytes(b"{}")
    assert await socket.closed() == 4002
    standin.expect_violations()


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?v=9&encoding=json", 4012),
        ("?v=10&encoding=etf", 4002),
        ("?v=10&encoding=json&compress=z", 4002),
    ],
)
async def test_an_address_that_asks_for_something_else_closes(
    standin: StandIn, bare: BareClient, query: str, code: int
) -> None:
    assert await (await bare.connect(query=query)).closed() == code
    standin.expect_violations()


async def test_a_client_that_says_too_much_is_closed(standin: StandIn, bare: BareClient) -> None:
    socket = await bare.connect()
    for _ in range(121):
        await socket.send(1)
    assert await socket.closed() == 4008
    standin.expect_violations()


async def test_a_client_without_heartbeat_is_closed(standin: StandIn, bare: BareClient) -> None:
    standin.settings.heartbeat_ms = 20
    standin.settings.heartbeat_grace_s = 0.02
    socket = await bare.connect()
    assert await socket.closed() == 4009


async def lost(standin: StandIn, socket: BareSocket) -> Json:
    """A session whose socket is gone, with two events that it missed."""
    ready = await socket.identify(standin.token)
    await standin.dispatch("SEEN", {})
    await socket.until("SEEN")
    await standin.drop()
    for event in ("FIRST", "SECOND"):
        assert await standin.dispatch(event, {}) == 1
    data: Json = ready["d"]
    return data


async def test_a_resume_brings_what_was_missed(standin: StandIn, bare: BareClient) -> None:
    ready = await lost(standin, await bare.connect())
    socket = await bare.connect(url=ready["resume_gateway_url"])
    await socket.until(10)
    await socket.resume(standin.token, ready["session_id"], 2)
    frames = [await socket.frame() for _ in range(3)]
    assert [(each["s"], each["t"]) for each in frames] == [
        (3, "FIRST"),
        (4, "SECOND"),
        (5, "RESUMED"),
    ]
    assert frames[-1]["d"] == {}
    assert [each.resumed for each in standin.resumes] == [True]
    assert standin.connections[-1].resume_url
    await standin.ready()
    await standin.dispatch("LATER", {})
    assert (await socket.frame())["s"] == 6


async def test_a_session_lives_for_minutes_only(standin: StandIn, bare: BareClient) -> None:
    ready = await lost(standin, await bare.connect())
    standin.clock.skip(181)
    socket = await bare.connect()
    await socket.resume(standin.token, ready["session_id"], 2)
    assert (await socket.until(9))["d"] is False
    assert (await socket.identify(standin.token))["s"] == 1  # on the same socket


async def test_a_resume_from_the_future_closes(standin: StandIn, bare: BareClient) -> None:
    ready = await lost(standin, await bare.connect())
    socket = await bare.connect()
    await socket.resume(standin.token, ready["session_id"], 99)
    assert await socket.closed() == 4007
    socket = await bare.connect()
    await socket.resume(standin.token, ready["session_id"], 2)
    assert (await socket.until(9))["d"] is False
    standin.expect_violations()


async def test_a_session_that_the_client_ended_is_gone(standin: StandIn, bare: BareClient) -> None:
    socket = await bare.connect()
    ready = await socket.identify(standin.token)
    await socket.close(1000)
    await standin.until(lambda: standin.connections[0].ended)
    assert await standin.dispatch("ANYTHING", {}) == 0
    socket = await bare.connect()
    await socket.resume(standin.token, ready["d"]["session_id"], 1)
    assert (await socket.until(9))["d"] is False


async def test_guilds_come_to_their_shard_if_asked_for(standin: StandIn, bare: BareClient) -> None:
    mine, other = standin.guild_of_shard(1, 3), standin.guild_of_shard(2, 3)
    assert shard_of(mine, 3) == 1
    socket = await bare.connect()
    ready = await socket.identify(standin.token, shard=[1, 3], intents=GUILDS)
    assert ready["d"]["shard"] == [1, 3]
    ids = [each["id"] for each in ready["d"]["guilds"]]
    assert mine in ids
    assert other not in ids
    created = [(await socket.until("GUILD_CREATE"))["d"]["id"] for _ in ids]
    assert created == ids
    assert await standin.dispatch("ANYTHING", {"guild_id": other}) == 0
    assert await standin.dispatch("ANYTHING", {}) == 0  # direct messages are for shard 0
    assert await standin.dispatch("ANYTHING", {"guild_id": mine}) == 1


async def test_a_bot_of_too_many_guilds_must_shard(standin: StandIn, bare: BareClient) -> None:
    standin.world.guilds.extend(str(number) for number in range(2500))
    socket = await bare.connect()
    await socket.send_text(json.dumps({"op": 2, "d": IDENTIFY}).replace(PLACE, standin.token))
    assert await socket.closed() == 4011
    standin.expect_violations()


async def test_shards_of_one_key_wait_for_each_other(standin: StandIn, bare: BareClient) -> None:
    standin.settings.identify_window_s = 5
    await (await bare.connect()).identify(standin.token, shard=[0, 2])
    socket = await bare.connect()
    await socket.send(2, {**IDENTIFY, "token": standin.token, "shard": [1, 2]})
    assert (await socket.until(9))["d"] is False
    standin.clock.skip(5)
    await socket.identify(standin.token, shard=[1, 2])


async def test_a_day_has_so_many_identifies(standin: StandIn, bare: BareClient) -> None:
    standin.settings.identifies_left = 1
    await (await bare.connect()).identify(standin.token)
    _, limits = await bare.rest.call("GET", "/gateway/bot")
    assert limits["session_start_limit"]["remaining"] == 0
    assert limits["url"] == standin.gateway_url
    socket = await bare.connect()
    await socket.send(2, {**IDENTIFY, "token": standin.token})
    assert await socket.closed() == 4004
    assert "a day" in standin.expect_violations()[0]


@pytest.mark.parametrize("approved", [0, MESSAGE_CONTENT])
async def test_words_of_others_are_blanked(
    standin: StandIn, bare: BareClient, approved: int
) -> None:
    standin.settings.approved_intents = approved
    socket = await bare.connect()
    await socket.identify(standin.token, intents=GUILD_MESSAGES | approved)
    message = {"guild_id": standin.guild_id, "content": "words", "mentions": []}
    await standin.dispatch("MESSAGE_CREATE", message)
    assert (await socket.until("MESSAGE_CREATE"))["d"]["content"] == ("words" if approved else "")
    await standin.dispatch(
        "MESSAGE_CREATE", {**message, "mentions": [{"id": standin.application_id}]}
    )
    assert (await socket.until("MESSAGE_CREATE"))["d"]["content"] == "words"
    assert await standin.dispatch("MESSAGE_CREATE", {"content": "direct"}) == 0  # not asked for


async def test_a_socket_can_be_refused_reset_or_closed_before_hello(
    standin: StandIn, bare: BareClient
) -> None:
    standin.faults.refuse_connect.arm(2)  # aiohttp tries once more by itself
    with pytest.raises(aiohttp.ClientConnectionError):
        await bare.connect()
    standin.faults.gateway_unavailable.arm(1)
    with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
        await bare.connect()
    standin.faults.close_before_hello.arm(1, value=1012)
    assert await (await bare.connect()).closed() == 1012
    standin.faults.reconnect_before_hello.arm(1)
    assert (await (await bare.connect()).frame())["op"] == 7
    assert (await (await bare.connect()).frame())["op"] == 10  # and then it is well again
    assert standin.faults.refuse_connect.fired == 2


async def test_a_gateway_can_fall_silent(standin: StandIn, bare: BareClient) -> None:
    socket = await bare.connect()
    await socket.identify(standin.token)
    standin.faults.never_ack.arm(1)
    await socket.send(1)
    await socket.send(1)
    assert (await socket.frame())["op"] == 11  # to the second
    standin.faults.silent.arm()
    await standin.dispatch("UNHEARD", {})
    standin.faults.clear()
    await standin.dispatch("HEARD", {})
    assert (await socket.frame())["t"] == "HEARD"
    await standin.send_frame({"op": 1, "d": None, "s": None, "t": None})
    assert (await socket.frame())["op"] == 1
    await standin.drop()
    assert await socket.closed() is None
