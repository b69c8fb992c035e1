"""A client without discord.py: bare calls and bare frames, which may be wrong on purpose."""

import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import zstandard

from tests.wire.callbacks import Exchange
from tests.wire.compression import Compression
from tests.wire.people import Json
from tests.wire.standin import StandIn

AGENT = "DiscordBot (https://example.org, 1)"
PROPERTIES = {"os": "linux", "browser": "bare", "device": "bare"}


class BareRest:
    """Calls of the REST API."""

    def __init__(self, standin: StandIn, http: aiohttp.ClientSession) -> None:
        self._standin = standin
        self._http = http

    async def call(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, Any]:
        """One call with the token; returns the status and the JSON, or text that is none."""
        sent = {
            "Authorization": f"Bot {self._standin.token}",
            "User-Agent": AGENT,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        data = body if isinstance(body, str | aiohttp.FormData) else json.dumps(body)
        address = self._standin.api_base + path
        async with self._http.request(
            method, address, data=None if body is None else data, headers=sent
        ) as response:
            text = await response.text()
        try:
            return response.status, json.loads(text) if text else None
        except ValueError:
            return response.status, text

    async def answer(
        self, exchange: Exchange, kind: int, data: Json | None = None, query: str = ""
    ) -> tuple[int, Any]:
        """A callback."""
        body = {"type": kind} if data is None else {"type": kind, "data": data}
        path = f"/interactions/{exchange.id}/{exchange.token}/callback{query}"
        return await self.call("POST", path, body)

    async def webhook(
        self, method: str, exchange: Exchange, message: str | None = None, body: object = None
    ) -> tuple[int, Any]:
        """A follow-up, or what is done to a message of the interaction."""
        path = f"/webhooks/{self._standin.application_id}/{exchange.token}"
        path += "?wait=1" if message is None else f"/messages/{message}"
        return await self.call(method, path, body)


class BareSocket:
    """One socket of the gateway."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, compression: Compression) -> None:
        self._socket = socket
        self._zlib = zlib.decompressobj()
        self._zstd = zstandard.ZstdDecompressor().decompressobj()
        self._compression = compression

    async def send(self, opcode: int, data: object = None) -> None:
        await self.send_text(json.dumps({"op": opcode, "d": data}))

    async def send_text(self, text: str) -> None:
        await self._socket.send_str(text)

    async def send_bytes(self, content: bytes) -> None:
        await self._socket.send_bytes(content)

    async def frame(self) -> Json:
        """The next frame."""
        message = await self._socket.receive(timeout=5)
        text = message.data
        if message.type is aiohttp.WSMsgType.BINARY:
            unpack = self._zlib if self._compression is Compression.ZLIB else self._zstd
            text = unpack.decompress(message.data).decode()
        else:
            assert message.type is aiohttp.WSMsgType.TEXT, message
        frame: Json = json.loads(text)
        return frame

    async def until(self, name: str | int) -> Json:
        """The next event of a name, or frame of an opcode; what comes before is passed over."""
        while True:
            frame = await self.frame()
            if name in (frame["t"], frame["op"]):
                return frame

    async def closed(self) -> int | None:
        """The code that the socket is closed with, when it is; None where it just broke."""
        while True:
            message = await self._socket.receive(timeout=5)
            if message.type is aiohttp.WSMsgType.CLOSE:
                return int(message.data)
            if message.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR):
                return None

    async def identify(self, token: str, **more: object) -> Json:
        """Start a session; returns READY."""
        await self.send(2, {"token": token, "properties": PROPERTIES, "intents": 0, **more})
        return await self.until("READY")

    async def resume(self, token: str, session_id: str, seq: int) -> None:
        await self.send(6, {"token": token, "session_id": session_id, "seq": seq})

    async def close(self, code: int = 1000) -> None:
        await self._socket.close(code=code)


class BareClient:
    """Both halves."""

    def __init__(self, standin: StandIn, http: aiohttp.ClientSession) -> None:
        self.rest = BareRest(standin, http)
        self._standin = standin
        self._http = http

    async def connect(
        self,
        compression: Compression = Compression.NONE,
        *,
        url: str | None = None,
        query: str | None = None,
    ) -> BareSocket:
        """A new socket, before HELLO."""
        if query is None:
            packed = "" if compression is Compression.NONE else f"&compress={compression}"
            query = f"?v=10&encoding=json{packed}"
        address = (url or self._standin.gateway_url) + query
        return BareSocket(await self._http.ws_connect(address), compression)


@asynccontextmanager
async def bare_client(standin: StandIn) -> AsyncIterator[BareClient]:
    """Closed at the end, with whatever is open."""
    async with aiohttp.ClientSession() as http:
        yield BareClient(standin, http)
