"""The port that Discord's calls come to: so many at once, none for long, one call each.

TLS is what stands before it. Whoever reaches the port can hold connections, so each is cut
after a while, and the oldest is where there are too many: a call of Discord's takes
milliseconds, and who means harm is slow.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from bot.ops.health import opened
from bot.sections import EndpointSettings

MOST = 128  # connections at once, each with one body at most
LONGEST_S = 4.0  # from its first byte to its last; Discord waits for three
STOP_S = 0.5  # for calls that are under way: each is closed as soon as it was read
BUFFER = 1 << 14  # bytes that are read ahead of what is looked at

Receive = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

# Whoever sends no HTTP would have it written here, with a traceback.
silent = logging.getLogger(f"{__name__}.http")
silent.disabled = True


@asynccontextmanager
async def serve_endpoint(settings: EndpointSettings, receive: Receive) -> AsyncIterator[None]:
    """Take calls while the block runs. Raises ConfigError where the port cannot be had."""
    server = web.Server(
        receive,
        access_log=None,
        logger=silent,
        auto_decompress=False,  # no call of Discord's is packed, and what is may be a bomb
        read_bufsize=BUFFER,
    )
    loop = asyncio.get_running_loop()

    def connected() -> RequestHandler:
        before = server.connections  # the oldest first
        for oldest in before[: len(before) + 1 - MOST]:
            _cut(oldest)
        handler = server()
        loop.call_later(LONGEST_S, _cut, handler)
        return handler

    opening = loop.create_server(connected, settings.host, settings.port)
    listening = await opened(opening, "endpoint", settings.host, settings.port)
    try:
        yield
    finally:
        listening.close()
        server.pre_shutdown()
        await server.shutdown(STOP_S)


def _cut(handler: RequestHandler) -> None:
    """End a connection, if it has not ended."""
    if handler.transport is not None:
        handler.transport.abort()
