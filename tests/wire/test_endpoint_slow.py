"""Who holds connections without a word: cut, and in nobody's way."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from tests.wire.our_bot import answers
from tests.wire.over_http import Called, called
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

PATIENCE_S = 60
HEAD = b"POST /interactions HTTP/1.1\r\nHost: x\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def opened(bot: Called, said: bytes) -> Streams:
    """A connection on which something was said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", bot.port)
    writer.write(said)
    await writer.drain()
    return reader, writer


async def rest(streams: Streams) -> bytes:
    """All that comes until the connection is closed; nothing where it was reset."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await streams[0].read()
    except ConnectionError:
        return b""
    finally:
        streams[1].close()


@pytest.mark.parametrize("said", [b"", b"POST /inter", HEAD, b"\x16\x03\x01\x02\x00"])
async def test_who_says_no_whole_head_is_cut(
    standin: StandIn, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.endpoint.serving.LONGEST_S", 0.2)
    async with called(standin) as bot:
        assert b" 200 " not in await rest(await opened(bot, said))


async def test_who_sends_no_whole_body_is_told_and_left(
    standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.endpoint.receiving.BODY_S", 0.2)
    signed = "".join(f"{k}: {v}\r\n" for k, v in standin.caller.signed(b"{}").items()).encode()
    async with called(standin) as bot:
        assert b" 408 " in await rest(
            await opened(bot, HEAD + signed + b"Content-Length: 9\r\n\r\n{")
        )


async def test_the_oldest_make_room(standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.endpoint.serving.LONGEST_S", PATIENCE_S)
    monkeypatch.setattr("bot.endpoint.serving.MOST", 4)
    async with called(standin) as bot, AsyncExitStack() as stack:
        idle = [await opened(bot, HEAD) for _ in range(8)]
        for _, writer in idle:
            stack.callback(writer.close)
        assert await answers(standin)
        assert await rest(idle[0]) == b""


@pytest.mark.parametrize("said", [b"\0\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"x" * 100_000])
async def test_what_is_no_http_is_refused_and_not_logged(
    standin: StandIn, said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with called(standin) as bot:
        assert b" 200 " not in await rest(await opened(bot, said))
        assert await answers(standin)
    assert "Error handling request" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_call_that_is_broken_off_ends_nothing(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    signed = "".join(f"{k}: {v}\r\n" for k, v in standin.caller.signed(b"{}").items()).encode()
    async with called(standin) as bot:
        _, writer = await opened(bot, HEAD + signed + b"Content-Length: 9\r\n\r\n{")
        writer.transport.abort()
        assert await answers(standin)
    assert "Traceback" not in caplog.text
