"""How the bot is, over HTTP on this machine: `/livez`, `/readyz`, `/metrics`; and who asks.

- `/livez`: the process runs and its event loop answers: any answer says so.
  It says nothing of Discord: were it to fail while Discord is down, whoever restarts what is
  not alive would restart the bot all through an outage, and each start spends one of the
  log-ins that Discord allows in a day.
- `/readyz`: every shard has a session and its heartbeats are acknowledged, so commands are
  answered. For people, for monitoring, and for a deploy that waits before it stops the old
  process. The body says which shards are not, and why.
- `/metrics`: see `bot.ops.exposition`.

Docker knows one state of a container, and what watches it restarts an unhealthy one. So
HEALTHCHECK, by `python -m bot health`, asks `/livez`.
"""

import asyncio
import errno
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import ip_address
from typing import Any, TypeVar

from aiohttp import ClientError, ClientSession, ClientTimeout
from yarl import URL

from bot.config import ConfigError
from bot.ops.exposition import CONTENT_TYPE, Look, Vitals, load, page
from bot.ops.pages import Page, served
from bot.ops.shards import ShardState
from bot.ops.token import plain
from bot.sections import HealthSettings

Opened = TypeVar("Opened")
Make = Callable[[], Awaitable[Page]]

LIVE, READY, METRICS = "/livez", "/readyz", "/metrics"
MOST_SHOWN = 20  # shards that are not ready, by name
OK, UNAVAILABLE = 200, 503
PATIENCE_S = 2  # for all of an answer
LONGEST_BODY = 512  # bytes; ours are shorter
WORDS = {
    (LIVE, True): "The process runs and answers.",
    (READY, True): "Connected to Discord: commands are answered.",
    (READY, False): "Not connected to Discord: no command is answered now.",
}
TAKEN = {
    errno.EADDRINUSE: "is in use by another program. Write another `port`",
    errno.EACCES: "is not for this user. Write a `port` above 1023",
    errno.EADDRNOTAVAIL: "is not on this machine. Write another `host`, such as 127.0.0.1",
}


@asynccontextmanager
async def serve_health(
    settings: HealthSettings, ready: Callable[[], bool], look: Look = Vitals
) -> AsyncIterator[None]:
    """Answer while the block runs; nothing at all where it is turned off.

    `look`: how the shards are, and what else there is to see.

    Raises ConfigError where the port cannot be had.
    """
    if not settings.enabled:
        yield
        return
    pages = {LIVE: _answering(LIVE, lambda: True), READY: _answering(READY, ready, look)}
    if settings.metrics:
        pages[METRICS] = _showing(look)
    host, port = settings.host, settings.port
    async with AsyncExitStack() as stack:
        opening = stack.enter_async_context(served(pages, host, port))
        await opened(opening, "health", host, port)
        yield


def probe(settings: HealthSettings) -> int:
    """Ask the bot on this machine whether it is alive; print it; 0 for yes, 1 for anything else."""
    healthy, words = _asked(settings)
    print(f"{'healthy' if healthy else 'not healthy'}: {words}", flush=True)
    return 0 if healthy else 1


async def opened(opening: Awaitable[Opened], section: str, host: str, port: int) -> Opened:
    """What `opening` gives; raises ConfigError where the port of a section cannot be had."""
    try:
        return await opening
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that no host can have
        number = error.errno if isinstance(error, OSError) else None
        reason = TAKEN.get(number or 0, "cannot be listened on. Write another `host`")
        problem = (
            f"[{section}]: port {port} of {plain(host)} {reason}, "
            f"or `enabled = false`, under `[{section}]` in config.toml."
        )
    raise ConfigError([problem])


def _answering(path: str, holds: Callable[[], bool], look: Look | None = None) -> Make:
    async def answer() -> Page:
        yes = holds()
        shards = None if look is None else look().shards
        body = _body(path, yes=yes, shards=shards)
        return Page(body, "application/json", OK if yes else UNAVAILABLE)

    return answer


def _showing(look: Look) -> Make:
    async def show() -> Page:
        await asyncio.to_thread(load)
        return Page(page(look), CONTENT_TYPE)

    return show


def _body(path: str, *, yes: bool, shards: Sequence[ShardState] | None = None) -> bytes:
    said: dict[str, Any] = {"ok": yes, "says": WORDS[path, yes]}
    if shards is not None:
        waited_for = [shard for shard in shards if not shard.is_ready]
        said["shards"] = {
            "known": len(shards),
            "ready": len(shards) - len(waited_for),
            "not_ready": [
                {"shard": shard.id, "why": shard.why_not} for shard in waited_for[:MOST_SHOWN]
            ],
        }
    return json.dumps(said).encode()


def _asked(settings: HealthSettings) -> tuple[bool, str]:
    """Whether the bot is alive, and the words for it; only our own words, whoever answers."""
    if not settings.enabled:
        return False, "nobody to ask, since `[health] enabled` is false."
    host = _reachable(settings.host)
    where = f"port {settings.port} of {plain(host)}"
    try:
        status, body = asyncio.run(_answer_of(host, settings.port))
    except TimeoutError:
        return False, f"{where} did not answer within {PATIENCE_S} seconds."
    except (ClientError, OSError, ValueError):  # ValueError: a name that no host can have
        return False, f"nothing that answers as the bot does at {where}."
    if (status, body) == (OK, _body(LIVE, yes=True)):
        return True, WORDS[LIVE, True]
    return False, f"another program answers at {where}."


async def _answer_of(host: str, port: int) -> tuple[int, bytes]:
    """The status, and the body as far as one of ours could go; all of it within one deadline."""
    address = URL.build(scheme="http", host=host, port=port, path=LIVE)
    async with (
        ClientSession(timeout=ClientTimeout(total=PATIENCE_S)) as session,
        session.get(address, allow_redirects=False) as response,
    ):
        body = b""
        async for part in response.content.iter_any():
            body += part
            if len(body) > LONGEST_BODY:
                break
        return response.status, body


def _reachable(host: str) -> str:
    """Where to ask what listens on every address of the machine: on its own."""
    try:
        every = ip_address(host)
    except ValueError:
        return host
    if not every.is_unspecified:
        return host
    return "127.0.0.1" if every.version == 4 else "::1"  # noqa: PLR2004
