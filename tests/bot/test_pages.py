"""The server for those who watch, over real sockets: whatever comes, and whoever is slow."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest

from bot.ops import pages
from bot.ops.pages import LONGEST_HEAD, Page, served

LOOPBACK = "127.0.0.1"


async def _fine() -> Page:
    return Page(b"fine\n")


async def _broken() -> Page:
    raise LookupError


PAGES: dict[str, Callable[[], Awaitable[Page]]] = {"/fine": _fine, "/broken": _broken}


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """Where they are served."""
    with socket.create_server((LOOPBACK, 0)) as free:
        found = int(free.getsockname()[1])
    async with served(PAGES, LOOPBACK, found):
        yield found


async def said(port: int, question: bytes) -> bytes:
    """All that comes back, until the connection is closed."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(question)
    try:
        return await reader.read()
    finally:
        writer.close()


def asking(path: str, method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode()


async def test_a_page_comes_whole_and_the_connection_is_closed(port: int) -> None:
    head, _, body = (await said(port, asking("/fine?at=all"))).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Content-Length: 5\r\n" in head
    assert b"Connection: close" in head
    assert body == b"fine\n"


async def test_head_gets_the_head(port: int) -> None:
    assert (await said(port, asking("/fine", "HEAD"))).endswith(b"Connection: close\r\n\r\n")


@pytest.mark.parametrize(
    ("question", "status"),
    [
        (asking("/other"), 404),
        (asking("/fine/"), 404),
        (asking("/fine", "POST"), 405),
        (asking("/broken"), 500),
        (b"\r\n\r\n", 400),
        (b"GET /fine\r\n\r\n", 400),
        (b"GET /fine HTTP/9\r\n\r\n", 400),
        (b"\xff\xfe\x00 \x00 HTTP/1.1\r\n\r\n", 404),
        (b"GET /fine HTTP/1.1\r\n" + b"a" * (LONGEST_HEAD - 19) + b"\r\n\r\n", 400),
    ],
)
async def test_what_is_no_question_for_a_page(port: int, question: bytes, status: int) -> None:
    assert (await said(port, question)).startswith(f"HTTP/1.1 {status} ".encode())
    assert b"fine\n" in await said(port, asking("/fine"))


async def test_who_is_slow_is_not_waited_for(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PATIENCE_S", 0.05)
    assert await said(port, b"GET /fine") == b""
    assert await said(port, b"") == b""


async def test_of_too_many_at_once_the_oldest_are_left(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks is answered all the same; the others would wait for long."""
    monkeypatch.setattr(pages, "PATIENCE_S", 600)
    idle = [await asyncio.open_connection(LOOPBACK, port) for _ in range(pages.MOST + 3)]
    assert b"fine\n" in await said(port, asking("/fine"))
    async with asyncio.timeout(60):
        for reader, _ in idle[:3]:
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
    assert not idle[-1][0].at_eof()
    for _, writer in idle:
        writer.close()


async def test_an_answer_that_nobody_takes_is_let_go(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PATIENCE_S", 0.1)
    large = 1 << 25  # bytes: more than the sockets between hold

    async def page() -> Page:
        return Page(bytes(large))

    monkeypatch.setitem(PAGES, "/large", page)
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(asking("/large"))
    await asyncio.sleep(1.5)
    came = bytearray()
    with suppress(ConnectionResetError):
        while part := await reader.read(1 << 20):
            came += part
    assert len(came) < large
    writer.close()
