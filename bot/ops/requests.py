"""Calls of Discord's HTTP interface, counted by template: no id and no token is in one."""

from types import SimpleNamespace

import aiohttp
from yarl import URL

from bot.ops.metrics import OTHER, RATE_LIMITED, REQUESTS

WORDS = frozenset(
    {
        *("users", "@me", "oauth2", "applications", "gateway", "bot", "commands", "guilds"),
        *("interactions", "callback", "webhooks", "messages", "@original", "channels", "emojis"),
    }
)
WITH_TOKEN, TOKENS_PLACE = ("interactions", "webhooks"), 2
TOO_MANY = 429
SWITCHING = 101  # a WebSocket
HUNDRED = 100  # the class of a status is its first digit


def template(path: str) -> str:
    """`/interactions/{id}/{token}/callback` of a path below `/api/v10`."""
    parts = path.strip("/").split("/")
    if parts[:1] == ["api"]:
        parts = parts[2:]
    shown = []
    for place, part in enumerate(parts):
        if place == TOKENS_PLACE and parts[0] in WITH_TOKEN:
            shown.append("{token}")
        elif part in WORDS:
            shown.append(part)
        elif part.isascii() and part.isdigit():
            shown.append("{id}")
        else:
            return OTHER
    return "/" + "/".join(shown)


def counting() -> aiohttp.TraceConfig:
    """What counts each call of a session."""
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_ended)
    trace.on_request_exception.append(_broke)
    return trace


async def _ended(
    _session: aiohttp.ClientSession,
    _context: SimpleNamespace,
    params: aiohttp.TraceRequestEndParams,
) -> None:
    status = params.response.status
    if status == SWITCHING:
        return
    route = _route(params.url)
    REQUESTS.add(params.method, route, f"{status // HUNDRED}xx")
    if status == TOO_MANY:
        RATE_LIMITED.add(route)


async def _broke(
    _session: aiohttp.ClientSession,
    _context: SimpleNamespace,
    params: aiohttp.TraceRequestExceptionParams,
) -> None:
    if "/api/" in params.url.path:
        REQUESTS.add(params.method, _route(params.url), "error")


def _route(url: URL) -> str:
    path = url.raw_path
    return template(path[path.find("/api/") :] if "/api/" in path else path)
