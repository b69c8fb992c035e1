"""The REST API's front: every call is recorded, harmed if told so, checked, and answered."""

import asyncio
import json
import re
import socket
import struct
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from aiohttp import BodyPartReader, web

from tests.wire import faults
from tests.wire.answers import add_bucket, page, refusal, too_many
from tests.wire.callbacks import Exchange, State
from tests.wire.errors import ApiError
from tests.wire.files import Upload
from tests.wire.recorded import Request
from tests.wire.world import World

BASE = "/api/v10"
GLOBAL_LIMIT_A_SECOND = 50
WITHOUT_TOKEN = ("/interactions/", "/webhooks/", "/gateway")  # the path is the authority
RECORD = web.RequestKey("record", Request)
EXCHANGE = web.RequestKey("exchange", Exchange)
FILE_PART = re.compile(r"files\[(\d+)\]")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Front:
    """The middleware before every route."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._recent: deque[float] = deque()  # times of calls that count for the global limit
        self.closing = asyncio.Event()

    @web.middleware
    async def run(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """One call from its arrival to the last byte of its answer."""
        if not request.path.startswith(BASE):
            return await handler(request)  # the gateway, and files
        record = self._record(request)
        await self._read(request, record)
        striking = list(self._world.faults.striking(record.route, record.method, record.path))
        response = await self._before(request, striking)
        if response is None:
            response = await self._judged(request, record, handler)
        if faults.Cut(after=True) in striking:
            self._settled(request, response.status)
            return cut(request)
        for harm in striking:
            if isinstance(harm, faults.Delay) and harm.after:
                self._settled(request, response.status)
                await self._pause(harm.seconds)
        if record.route is not None and response.status != 429:
            spent = next((harm for harm in striking if isinstance(harm, faults.Spent)), None)
            if spent is None:
                add_bucket(response, record.route, time.time())
            else:
                add_bucket(
                    response,
                    record.route,
                    time.time(),
                    remaining=0,
                    reset_after_s=spent.reset_after_s,
                )
        with suppress(ConnectionError):  # who asked may have left
            await response.prepare(request)
            await response.write_eof()
        record.status = response.status
        self._settled(request, response.status)
        return response

    def _record(self, request: web.Request) -> Request:
        resource = request.match_info.route.resource
        template = None if resource is None else resource.canonical.removeprefix(BASE)
        record = Request(
            method=request.method,
            route=template,
            path=request.path.removeprefix(BASE),
            query=dict(request.query),
            headers=dict(request.headers),
            at=self._world.clock.now(),
        )
        self._world.requests.append(record)
        request[RECORD] = record
        self._world.changed.tell()
        return record

    async def _read(self, request: web.Request, record: Request) -> None:
        """The body as JSON, wherever in the call it stands; what is no JSON stays text."""
        text = ""
        if request.content_type == "multipart/form-data":
            async for part in await request.multipart():
                if not isinstance(part, BodyPartReader):
                    continue
                content = bytes(await part.read(decode=True))
                numbered = FILE_PART.fullmatch(part.name or "")
                if numbered:
                    record.uploads.append(
                        Upload(int(numbered[1]), part.filename or "unknown", content)
                    )
                elif part.name == "payload_json":
                    text = content.decode()
        else:
            text = await request.text()
        record.files = [each.filename for each in record.uploads]
        try:
            record.body = json.loads(text) if text else None
        except ValueError:
            record.body = text

    async def _before(
        self, request: web.Request, striking: list[faults.Harm]
    ) -> web.StreamResponse | None:
        """What goes wrong before the call is processed; None lets it through."""
        for harm in striking:
            match harm:
                case faults.Delay(seconds, after=False):
                    await self._pause(seconds)
                case faults.Cut(after=False):
                    return cut(request)
                case faults.Status(status, code, message):
                    return refusal(ApiError(status, code, message or f"{status}: out of order"))
                case faults.TooMany(retry_after_s, via, everywhere):
                    return too_many(retry_after_s, via=via, everywhere=everywhere)
                case faults.Html(status):
                    return page(status)
                case faults.Cut() | faults.Delay() | faults.Spent():
                    pass
        return None

    async def _judged(
        self, request: web.Request, record: Request, handler: Handler
    ) -> web.StreamResponse:
        try:
            limited = self._admitted(request, record)
            if limited is not None:
                return limited
            return await handler(request)
        except ApiError as error:
            self._refused(request, error)
            return refusal(error)
        except Exception as error:  # a test should not look for this in its bot
            where = f"{record.method} {record.path}"
            self._world.violations.add(f"the stand-in failed at {where}: {error!r}")
            raise

    def _admitted(self, request: web.Request, record: Request) -> web.StreamResponse | None:
        """There is such a route; with a token: the right one, a client with a name, not often."""
        if record.route is None:
            absent = ApiError(404, 0, "404: Not Found")
            raise self._world.refuse(f"{record.method} {record.path}", absent)
        if record.path.startswith(WITHOUT_TOKEN) and record.path != "/gateway/bot":
            return None
        if not request.headers.get("User-Agent", "").startswith("DiscordBot ("):
            raise ApiError(403, 40333, "internal network error")
        if request.headers.get("Authorization") != f"Bot {self._world.bot.token}":
            raise ApiError(401, 0, "401: Unauthorized")
        now = self._world.clock.now()
        while self._recent and now - self._recent[0] >= 1:
            self._recent.popleft()
        if len(self._recent) >= GLOBAL_LIMIT_A_SECOND:
            self._world.violations.add("more than 50 calls in one second")
            return too_many(1 - (now - self._recent[0]), via=True, everywhere=True)
        self._recent.append(now)
        return None

    def _refused(self, request: web.Request, error: ApiError) -> None:
        """Keep the reason with the interaction, for who waits for its answer."""
        exchange = self._world.exchanges.by_id.get(request.match_info.get("id", ""))
        if exchange is not None:
            exchange.refusals.append(f"{error} {error.errors or ''}".strip())

    def _settled(self, request: web.Request, status: int) -> None:
        """The call is over: who waits for its interaction, or for any call, may look."""
        exchange = request.get(EXCHANGE)
        if exchange is not None:
            if exchange.status is None and exchange.state is not State.NEW:
                exchange.status = status
            exchange.changed.tell()
        self._world.changed.tell()

    async def _pause(self, seconds: float) -> None:
        """Sleep, unless the stand-in closes."""
        try:
            async with asyncio.timeout(seconds):
                await self.closing.wait()
        except TimeoutError:
            pass


def cut(request: web.Request) -> web.Response:
    """Reset the connection under a call."""
    if request.transport is not None:
        reset(request.transport)
    return web.Response(status=500)


def reset(transport: asyncio.BaseTransport) -> None:
    """End a connection as a crash does: RST, not FIN."""
    sock = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if isinstance(transport, asyncio.WriteTransport):
        transport.abort()
