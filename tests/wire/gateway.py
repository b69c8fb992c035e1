"""The gateway: sockets are taken, read and ended, and events find their sessions."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from tests.wire.compression import Compression
from tests.wire.connection import Connection
from tests.wire.errors import GatewayRefusal
from tests.wire.intents import heard
from tests.wire.opcodes import VERSION, Opcodes
from tests.wire.people import Json
from tests.wire.rest import cut
from tests.wire.sessions import Session, Sessions
from tests.wire.world import World

HELLO, RECONNECT = 10, 7
ENDS_SESSION = (4003, 4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014)
CLIENT_ENDS_SESSION = (1000, 1001)
NOT_THE_BOTS_FAULT = (4004, 4009)  # a wrong token is set-up; a late heartbeat may be our doing
LARGEST_MESSAGE_BYTES = 1 << 20  # so that what is over 4,096 gets Discord's code
CLOSE_WITHIN_S = 2.0


class Gateway:
    """All sockets and sessions."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sessions = Sessions(world.clock)
        self._opcodes = Opcodes(world, self._sessions)
        self.connections: list[Connection] = []

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/", self.handle)
        app.router.add_get("/resume/", self.handle)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One socket from its handshake to its end."""
        faults = self._world.faults
        by_resume_url = request.path == "/resume/"
        if by_resume_url and faults.dead_resume.take():
            return cut(request)
        if faults.refuse_connect.take():
            return cut(request)
        if faults.gateway_unavailable.take():
            return web.Response(status=503)
        ws = web.WebSocketResponse(timeout=CLOSE_WITHIN_S, max_msg_size=LARGEST_MESSAGE_BYTES)
        await ws.prepare(request)
        assert request.transport is not None
        connection = Connection(
            ws,
            request.transport,
            compression=_compression(request),
            text=self._world.settings.force_text,
            resume_url=by_resume_url,
            silent=self._silent,
            at=self._world.clock.now(),
        )
        self.connections.append(connection)
        self._world.changed.tell()
        try:
            _check_address(request)
            await self._serve(connection)
        except GatewayRefusal as refusal:
            await self._refuse(connection, refusal)
        except Exception as error:  # a test should not look for this in its bot
            self._world.violations.add(f"the stand-in's gateway failed: {error!r}")
            raise
        finally:
            self._end(connection)
        return ws

    async def _serve(self, connection: Connection) -> None:
        faults, settings = self._world.faults, self._world.settings
        if faults.close_before_hello.take():
            await connection.close(faults.close_before_hello.value or 1001)
            return
        if faults.reconnect_before_hello.take():
            await connection.say(RECONNECT)
        else:
            await connection.say(HELLO, {"heartbeat_interval": settings.heartbeat_ms})
        allowed_s = settings.heartbeat_ms / 1000 + settings.heartbeat_grace_s
        while True:
            late_s = asyncio.get_running_loop().time() - connection.heartbeat_at
            try:
                message = await connection.receive(allowed_s - late_s)
            except TimeoutError:
                raise GatewayRefusal(4009, "no heartbeat in time") from None
            match message.type:
                case WSMsgType.TEXT:
                    await self._opcodes.hear(connection, message.data)
                case WSMsgType.BINARY:
                    raise GatewayRefusal(4002, "clients send text")
                case WSMsgType.CLOSE:
                    if connection.closed_by_us is None:
                        connection.closed_by_client = message.data
                    return
                case _:
                    return

    async def _refuse(self, connection: Connection, refusal: GatewayRefusal) -> None:
        if refusal.code not in NOT_THE_BOTS_FAULT:
            self._world.violations.add(f"gateway: {refusal}")
        await self._close(connection, refusal.code, refusal.reason)

    async def _close(self, connection: Connection, code: int, reason: str = "") -> None:
        if code in ENDS_SESSION and connection.session is not None:
            self._sessions.drop(connection.session)
        await connection.close(code, reason)

    def _end(self, connection: Connection) -> None:
        connection.ready = False
        connection.ended = True
        connection.ended_at = self._world.clock.now()
        session = connection.session
        if session is not None:
            self._sessions.lose(session, connection)
            if connection.closed_by_client in CLIENT_ENDS_SESSION:
                self._sessions.drop(session)
        self._world.changed.tell()

    def _silent(self) -> bool:
        return self._world.faults.silent.take()

    @property
    def live(self) -> list[Connection]:
        """The sockets on which a session is under way."""
        return [each for each in self.connections if each.ready]

    @property
    def open(self) -> list[Connection]:
        return [each for each in self.connections if not each.ended]

    async def dispatch(
        self,
        event: str,
        data: Any,  # noqa: ANN401 - any event
        *,
        hears: Callable[[Session], bool] | None = None,
    ) -> int:
        """Send an event to its sessions, connected or waiting; returns how many there were."""
        guild_id = data.get("guild_id") if isinstance(data, dict) else None
        life_s = self._world.settings.session_life_s
        count = 0
        for session in self._sessions.alive(life_s):
            if not (hears(session) if hears else session.serves(guild_id)):
                continue
            shown = heard(event, data, session.intents, self._world.bot.id)
            if shown is None:
                continue
            count += 1
            frames = []
            if self._world.faults.unknown_dispatches.take():
                frames.append(session.number("NEVER_HEARD_OF", {"new": True}))
            frames.append(session.number(event, shown))
            if session.connection is not None:
                await session.connection.send(*frames)
        return count

    async def drop(self) -> None:
        """Reset every socket, as a crash of Discord's end does; sessions stay."""
        for connection in self.open:
            if connection.session is not None:
                self._sessions.lose(connection.session, connection)
            connection.drop()

    async def close(self, code: int, *, keep_session: bool | None = None) -> None:
        """Close every socket; the session ends where the code says so, unless told otherwise."""
        for connection in self.open:
            session = connection.session
            await self._close(connection, code)
            if session is not None and keep_session is True:
                self._sessions.add(session)
            if session is not None and keep_session is False:
                self._sessions.drop(session)

    async def ask_reconnect(self) -> None:
        """Op 7 to every socket."""
        for connection in self.live:
            connection.ready = False
            await connection.say(RECONNECT)

    async def invalidate(self, *, resumable: bool) -> None:
        """Op 9 to every socket."""
        for connection in self.live:
            await self._opcodes.invalidate(connection, resumable=resumable)

    async def send_text(self, text: str) -> None:
        """Anything, to every socket."""
        for connection in self.open:
            await connection.send_text(text)

    async def send_frame(self, frame: Json) -> None:
        await self.send_text(json.dumps(frame))


def _compression(request: web.Request) -> Compression:
    """What the address asks for; what is not known is not packed."""
    try:
        return Compression(request.query.get("compress", Compression.NONE))
    except ValueError:
        return Compression.NONE


def _check_address(request: web.Request) -> None:
    if request.query.get("encoding") != "json":
        raise GatewayRefusal(4002, "encodings other than JSON are not known here")
    if request.query.get("compress", Compression.NONE) != _compression(request):
        raise GatewayRefusal(4002, "unknown compression")
    if request.query.get("v") != str(VERSION):
        raise GatewayRefusal(4012, "invalid API version")
