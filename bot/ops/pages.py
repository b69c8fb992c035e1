"""A few pages over HTTP, for those who watch: each is asked for with GET, answered, and closed.

aiohttp's server would do as well. But it takes three megabytes, and these pages need nothing of
what it has: no bodies, no patterns in paths, no connection that goes on.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

log = logging.getLogger(__name__)

PATIENCE_S = 2  # for a question to be there whole, and for an answer to be taken
MOST = 64  # connections at once: what a process may open it needs for Discord
LONGEST_HEAD = 8192  # bytes of a question; who monitors sends a few hundred
ENDS_HEAD = b"\r\n\r\n"
VERSIONS = ("HTTP/1.0", "HTTP/1.1")
METHODS = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Page:
    """What is answered; `kind`: its content type."""

    body: bytes
    kind: str = "text/plain; charset=utf-8"
    status: int = HTTPStatus.OK


Pages = Mapping[str, Callable[[], Awaitable[Page]]]  # by their paths


@asynccontextmanager
async def served(pages: Pages, host: str, port: int) -> AsyncIterator[None]:
    """Answer while the block runs; raises OSError or UnicodeError where the port cannot be had."""
    asking: dict[asyncio.StreamWriter, None] = {}  # in the order in which they came

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(asking) >= MOST:
            next(iter(asking)).transport.abort()  # who waits longest has asked for nothing yet
        asking[writer] = None
        try:
            async with asyncio.timeout(PATIENCE_S):
                writer.write(await _answer(reader, pages))
                writer.close()
                await writer.wait_closed()
        except (OSError, EOFError, TimeoutError):
            pass  # who asked has left, or is too slow
        finally:
            asking.pop(writer, None)
            writer.transport.abort()

    server = await asyncio.start_server(connected, host, port, limit=LONGEST_HEAD)
    try:
        yield
    finally:
        server.close()
        for writer in asking:  # a stop waits for nobody who only watches
            writer.transport.abort()


async def _answer(reader: asyncio.StreamReader, pages: Pages) -> bytes:
    """All bytes of the answer to the question that comes."""
    try:
        head = await reader.readuntil(ENDS_HEAD)
        method, target, version = head.decode("latin-1").split("\r\n", 1)[0].split(" ")
    except (asyncio.LimitOverrunError, ValueError):
        return _bytes(_said(HTTPStatus.BAD_REQUEST))
    if version not in VERSIONS:
        return _bytes(_said(HTTPStatus.BAD_REQUEST))
    make = pages.get(target.partition("?")[0])
    if make is None:
        return _bytes(_said(HTTPStatus.NOT_FOUND), method)
    if method not in METHODS:
        return _bytes(_said(HTTPStatus.METHOD_NOT_ALLOWED), method)
    try:
        page = await make()
    except Exception:  # the rest goes on
        log.exception("a page for who watches could not be made")
        page = _said(HTTPStatus.INTERNAL_SERVER_ERROR)
    return _bytes(page, method)


def _said(status: HTTPStatus) -> Page:
    return Page(f"{status.value} {status.phrase}\n".encode(), status=status)


def _bytes(page: Page, method: str = "GET") -> bytes:
    """The page with its head; to HEAD the head alone."""
    lines = (
        f"HTTP/1.1 {page.status} {HTTPStatus(page.status).phrase}",
        f"Content-Type: {page.kind}",
        f"Content-Length: {len(page.body)}",
        "Cache-Control: no-store",
        *(["Allow: GET, HEAD"] if page.status == HTTPStatus.METHOD_NOT_ALLOWED else []),
        "Connection: close",
    )
    head = "".join(f"{line}\r\n" for line in (*lines, "")).encode("latin-1")
    return head if method == "HEAD" else head + page.body
