"""One call of Discord's: looked at, handed over, and closed with a status.

What is said to an interaction goes by the callback route, as for one that came through the
gateway; the call itself is then closed with 202 and no body.
Source: https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback
So each answer gets the same second try, the same picture and the same late edit on both ways,
and no call is held open while an answer is made.

Who calls without a right signature learns of this program that it wants one.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any, Protocol

from aiohttp import web

from bot.endpoint.seen import Seen
from bot.endpoint.signed import LONGEST_S, SIGNATURE, TIMESTAMP, Signed, Verdict, could_be

log = logging.getLogger(__name__)

# Bytes of a body. The largest that Discord could send is a long message with its embeds, or a
# form full of text: 50,000 characters or so, of four bytes each.
LARGEST = 1 << 18
BODY_S = 2.0  # for all of it; Discord's arrives at once
CLIENT_S, LOOK_S = 1.5, 0.05  # for a client that logs in anew; half of Discord's three seconds
PING, KINDS = 1, (2, 3, 4, 5)  # a command, a component, a list, a form
PONG = b'{"type":1}'

Json = dict[str, Any]


class Taker(Protocol):
    """Who answers interactions."""

    @property
    def takes(self) -> bool:
        """Whether it does so now."""

    def take(self, interaction: Json) -> None:
        """Begin to answer."""


class RefusedError(Exception):
    """A call that is not answered: the status, and words for who called."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Receiving:
    """Takes calls at `path`; `client` gives who answers, where there is somebody."""

    def __init__(self, path: str, signed: Signed, client: Callable[[], Taker | None]) -> None:
        self._path = path
        self._signed = signed
        self._client = client
        self._seen = Seen()

    async def receive(self, request: web.BaseRequest) -> web.Response:
        """Any call whatever; never raises, and leaves no connection open."""
        try:
            response = await self._receive(request)
        except RefusedError as refused:
            response = web.Response(status=refused.status, text=f"{refused}\n")
            if refused.status == web.HTTPMethodNotAllowed.status_code:
                response.headers["Allow"] = "POST"
        except ConnectionError:
            response = web.Response(status=400)  # who called has left
        except Exception:
            log.exception("a call could not be received")
            response = web.Response(status=500)
        response.headers["Server"] = "-"  # aiohttp would say its version, and Python's
        response.headers["Cache-Control"] = "no-store"
        response.force_close()
        return response

    async def _receive(self, request: web.BaseRequest) -> web.Response:
        if request.rel_url.raw_path != self._path:
            raise RefusedError(404, "Nothing is here.")
        if request.method != "POST":
            raise RefusedError(405, "Only POST is answered.")
        interaction = _read(await self._genuine(request))
        if interaction["type"] == PING:
            return web.Response(body=PONG, content_type="application/json")
        await self._hand_over(interaction)
        return web.Response(status=202)

    async def _genuine(self, request: web.BaseRequest) -> bytes:
        """The body of a call that Discord signed just now."""
        signature = request.headers.get(SIGNATURE, "")
        timestamp = request.headers.get(TIMESTAMP, "")
        if not could_be(signature, timestamp):
            raise RefusedError(401, "This wants Discord's signature.")
        body = await _body(request)
        match self._signed.judge(signature, timestamp, body):
            case Verdict.FOREIGN:
                log.debug("a call that Discord did not sign")
                raise RefusedError(401, "This wants Discord's signature.")
            case Verdict.STALE:
                log.error(
                    "a call that Discord signed more than %d s away from this machine's clock: "
                    "it is an old one, or the clock is wrong",
                    LONGEST_S,
                )
                raise RefusedError(401, "The signature is not from now.")
            case Verdict.GENUINE:
                return body

    async def _hand_over(self, interaction: Json) -> None:
        """Let the client answer; each interaction once."""
        number = str(interaction["id"])
        if not self._seen.is_new(number):
            log.info("an interaction that was delivered twice")
            return
        client = await self._there()
        if client is None:
            self._seen.forget(number)
            log.warning("an interaction came while nobody was logged in to answer it")
            raise RefusedError(503, "Nobody answers now.")
        client.take(interaction)

    async def _there(self) -> Taker | None:
        """Who answers, as soon as there is one."""
        for _ in range(int(CLIENT_S / LOOK_S)):
            client = self._client()
            if client is not None and client.takes:
                return client
            await asyncio.sleep(LOOK_S)
        return None


async def _body(request: web.BaseRequest) -> bytes:
    """All of it, unless it is too much or too slow."""
    if (request.content_length or 0) > LARGEST:
        raise RefusedError(413, "The body is too large.")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.content.iter_any():
                body += part
                if len(body) > LARGEST:
                    raise RefusedError(413, "The body is too large.")
    except TimeoutError:
        raise RefusedError(408, "The body did not come.") from None
    return bytes(body)


def _read(body: bytes) -> Json:
    """An interaction, as far as one is needed to know where to answer."""
    try:
        said = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise RefusedError(400, "The body is not JSON.") from None
    match said:
        case {"type": int(kind)} if kind == PING:
            return dict(said)
        case {"type": int(kind), "id": str(number), "token": str()} if (
            kind in KINDS and number.isdecimal()
        ):
            return dict(said)
    raise RefusedError(400, "The body is no interaction.")
