"""Calls to the endpoint, good and bad, over real sockets: a clear status for each."""

import asyncio
import gzip
import json
import time
from typing import Any

import aiohttp
import pytest
from nacl.signing import SigningKey

from bot.endpoint.receiving import LARGEST
from bot.endpoint.signed import LONGEST_S
from tests.wire.calling import SIGNATURE, TIMESTAMP, call
from tests.wire.our_bot import CALLBACK, QUERY, answers
from tests.wire.over_http import Called, called
from tests.wire.standin import StandIn

pytestmark = pytest.mark.usefixtures("unhurried")

GENUINE, REFUSED = 202, 401


def question(standin: StandIn) -> bytes:
    """The body of a call that would be answered."""
    return json.dumps(standin.people().slash("vram help", {}).interaction).encode()


async def status_of(bot: Called, body: bytes, headers: dict[str, str]) -> int:
    status, _, _ = await call(bot.url, body, headers)
    return status


FORGED = {
    "no signature": {SIGNATURE: ""},
    "no time": {TIMESTAMP: ""},
    "half a signature": {SIGNATURE: "ab" * 32},
    "a signature and more": {SIGNATURE: "ab" * 65},
    "no hexadecimal digits": {SIGNATURE: "zz" * 64},
    "digits of another script": {TIMESTAMP: "\u0661\u0662\u0663"},
    "zeros": {SIGNATURE: "00" * 64},
    "another time": {TIMESTAMP: "1"},
    "a time that is none": {TIMESTAMP: "1e9"},
    "a negative time": {TIMESTAMP: "-1"},
    "another's key": {SIGNATURE: SigningKey.generate().sign(b"x").signature.hex()},
}


async def test_what_discord_did_not_sign_is_refused(standin: StandIn) -> None:
    async with called(standin) as bot:
        body = question(standin)
        signed = standin.caller.signed(body)
        taken = [
            kind
            for kind, forged in FORGED.items()
            if await status_of(bot, body, {**signed, **forged}) != REFUSED
        ]
        assert taken == []
        assert await status_of(bot, body[:-1] + b" }", signed) == REFUSED
        assert standin.requests_to(CALLBACK) == []
        assert await status_of(bot, body, signed) == GENUINE


async def test_calls_of_another_time_are_refused(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    now, far = time.time(), LONGEST_S + 60
    async with called(standin) as bot:
        body = question(standin)
        for at in (now - far, now + far):
            assert await status_of(bot, body, standin.caller.signed(body, at)) == REFUSED
        assert standin.requests_to(CALLBACK) == []
        for at in (now - LONGEST_S + 60, now + LONGEST_S - 60):
            assert await status_of(bot, body, standin.caller.signed(body, at)) == GENUINE
    assert caplog.text.count("the clock is wrong") == 2


STRANGE: dict[str, Any] = {
    "nothing": b"",
    "no JSON": b"{",
    "no text": b"\xff\xfe",
    "another character set": '{"type": 1}'.encode("utf-16"),
    "brackets": b"[" * 100_000,
    "null": None,
    "a number": 1,
    "a list": [{"type": 1}],
    "no type": {"id": "1", "token": "x"},
    "a type in words": {"type": "1"},
    "a type to come": {"type": 99, "id": "1", "token": "x"},
    "no id": {"type": 2, "token": "x"},
    "an id that is none": {"type": 2, "id": "../1", "token": "x"},
    "no token": {"type": 2, "id": "1"},
    "a packed body": gzip.compress(b'{"type": 1}'),
}


async def test_what_is_no_interaction_is_refused(standin: StandIn) -> None:
    taken = []
    async with called(standin) as bot:
        for kind, said in STRANGE.items():
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            headers = standin.caller.signed(body)
            if kind == "a packed body":
                headers["Content-Encoding"] = "gzip"
            if await status_of(bot, body, headers) != 400:
                taken.append(kind)
        assert taken == []
        assert await answers(standin)


async def test_only_one_path_and_one_way_to_ask_are_answered(standin: StandIn) -> None:
    async with called(standin) as bot:
        body = question(standin)
        signed = standin.caller.signed(body)
        root = bot.url.removesuffix("/interactions")
        for path in (
            "/",
            "/interactions/",
            "/Interactions",
            "/livez",
            "/interactions/../x",
            "/%00",
        ):
            status, _, _ = await call(root + path, body, signed)
            assert status == 404
        for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"):
            status, _, _ = await call(bot.url, body, signed, method=method)
            assert status == 405
        assert standin.requests_to(CALLBACK) == []


async def test_who_is_refused_learns_nothing(standin: StandIn) -> None:
    async with called(standin) as bot, aiohttp.ClientSession() as session:
        for url, body in ((bot.url, b"x"), (f"{bot.url}/x", b""), (bot.url, b"x" * LARGEST)):
            async with session.post(url, data=body) as response:
                said = str(response.headers) + await response.text()
            assert not [
                word
                for word in ("aiohttp", "Python", "discord.py", "vram", "Traceback", standin.token)
                if word.lower() in said.lower()
            ]


async def streamed(body: bytes) -> Any:  # noqa: ANN401 - what aiohttp takes
    for start in range(0, len(body), 1 << 14):
        yield body[start : start + (1 << 14)]


async def test_a_body_that_is_too_large_is_not_read(standin: StandIn) -> None:
    large = b'{"type": 1, "more": "' + b"x" * LARGEST + b'"}'
    async with called(standin) as bot:
        reader, writer = await asyncio.open_connection("127.0.0.1", bot.port)
        signed = "".join(f"{k}: {v}\r\n" for k, v in standin.caller.signed(large).items())
        head = f"POST /interactions HTTP/1.1\r\nHost: x\r\n{signed}"
        writer.write(f"{head}Content-Length: {len(large)}\r\n\r\n".encode())
        assert b" 413 " in await reader.readline()  # before a byte of it was sent
        writer.close()
        async with (
            aiohttp.ClientSession() as session,
            session.post(bot.url, data=streamed(large), headers=standin.caller.signed(large)) as it,
        ):
            assert it.status == 413
        assert await answers(standin)


async def test_what_is_delivered_twice_is_answered_once(standin: StandIn) -> None:
    async with called(standin) as bot:
        body = question(standin)
        again = (standin.caller.signed(body, time.time() - age) for age in (0, 0, 1))
        assert await asyncio.gather(*(status_of(bot, body, one) for one in again)) == [GENUINE] * 3
        assert await answers(standin)
        assert await status_of(bot, body, standin.caller.signed(body)) == GENUINE
        assert await answers(standin)
    assert len(standin.requests_to(CALLBACK)) == 3
    assert {request.status for request in standin.requests_to(CALLBACK)} == {200}


async def test_no_token_of_an_interaction_is_logged(
    standin: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "bot")
    async with called(standin) as bot:
        exchange = standin.people().slash("vram train", QUERY)
        damaged = {**exchange.interaction, "type": 99}
        for payload in (exchange.interaction, exchange.interaction, damaged):
            await standin.caller.deliver(payload, 3)
        body = json.dumps(exchange.interaction).encode()
        assert await status_of(bot, body, {**standin.caller.signed(body), TIMESTAMP: "9"}) == 401
        assert await answers(standin)
    assert "delivered twice" in caplog.text
    assert exchange.token not in caplog.text
    assert QUERY["query"] not in caplog.text
