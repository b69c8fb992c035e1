"""One gateway socket: what it sends, what came in, and how it ended."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.wire.compression import Compression, Packer, packer_of
from tests.wire.people import Json
from tests.wire.rest import reset
from tests.wire.sessions import Session

NAMES = {  # of what is no event
    1: "HEARTBEAT",
    2: "IDENTIFY",
    3: "PRESENCE_UPDATE",
    4: "VOICE_STATE_UPDATE",
    6: "RESUME",
    7: "RECONNECT",
    8: "REQUEST_GUILD_MEMBERS",
    9: "INVALID_SESSION",
    10: "HELLO",
    11: "HEARTBEAT_ACK",
    31: "REQUEST_SOUNDBOARD_SOUNDS",
    43: "REQUEST_CHANNEL_INFO",
}
CLOSE_FRAME = b"\x88\x00"  # of a server, which need not mask it


class Connection:
    """Frames go out in the order in which they were given, packed as the client asked."""

    def __init__(
        self,
        ws: web.WebSocketResponse,
        transport: asyncio.BaseTransport,
        *,
        compression: Compression,
        text: bool,
        resume_url: bool,
        silent: Callable[[], bool],
        at: float,
    ) -> None:
        self.compression = compression
        self.resume_url = resume_url  # whether it came by the address for resuming
        self.opened_at = at
        self.began_at: float | None = None  # when READY or RESUMED was sent
        self.ended_at: float | None = None
        self.resumed = False  # whether it went on with a session
        self.session: Session | None = None
        self.ready = False  # READY or RESUMED was sent, and nothing ended it since
        self.received: list[Json] = []
        self.received_at: list[float] = []
        self.heartbeat_at = asyncio.get_running_loop().time()
        self.closed_by_client: int | None = None  # the code, if the client closed first
        self.closed_by_us: int | None = None
        self.dropped = False
        self.ended = False
        self.frozen = False
        self._ws = ws
        self._transport = transport
        self._packer: Packer | None = None if text else packer_of(compression)
        self._silent = silent
        self._order = asyncio.Lock()

    @property
    def shard(self) -> tuple[int, int] | None:
        return self.session.shard if self.session else None

    def begin(self) -> None:
        """READY or RESUMED was sent; if the socket is not lost already, its session is on."""
        self.ready = not (self.ended or self.dropped or self.closed_by_us is not None)

    async def say(self, opcode: int, data: object = None) -> None:
        """Send what is no event."""
        await self.send({"op": opcode, "d": data, "s": None, "t": None})

    async def send(self, *frames: Json) -> None:
        """Send frames with nothing in between."""
        await self.send_text(*(json.dumps(frame) for frame in frames))

    async def send_text(self, *texts: str) -> None:
        async with self._order:
            for text in texts:
                if self._ws.closed or self.frozen or self._silent():
                    return
                try:
                    if self._packer is None:
                        await self._ws.send_str(text)
                    else:
                        await self._ws.send_bytes(self._packer.pack(text))
                except ConnectionError:
                    return

    async def receive(self, timeout: float | None) -> Any:  # noqa: ANN401, ASYNC109
        """The next message of the socket."""
        async with asyncio.timeout(timeout):
            return await self._ws.receive()

    async def close(self, code: int, reason: str = "") -> None:
        """Close, with the code that the client acts upon."""
        self.ready = False
        if self._ws.closed or self.frozen:
            return
        self.closed_by_us = code
        await self._ws.close(code=code, message=reason.encode()[:120])

    def close_without_code(self) -> None:
        """Say goodbye, and not why."""
        self.ready = False
        assert isinstance(self._transport, asyncio.WriteTransport)
        self._transport.write(CLOSE_FRAME)

    def freeze(self) -> None:
        """Neither read nor say anything any more; the socket stays open, as that of a dead host."""
        self.ready = False
        self.frozen = True
        assert isinstance(self._transport, asyncio.ReadTransport)
        self._transport.pause_reading()

    def end_stream(self) -> None:
        """End without a goodbye, and without a reset."""
        self.ready = False
        self._transport.close()

    def drop(self) -> None:
        """End as a crash does."""
        self.ready = False
        self.dropped = True
        reset(self._transport)
