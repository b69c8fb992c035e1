"""Sockets to Discord that leave nothing behind: no thread, no open connection, no long wait.

discord.py has a thread for the heartbeats of each socket, which ends where the socket is closed
in the common ways. In others it would beat on for as long as the program runs, on a socket that
nobody listens to.

Rests on what discord.py keeps to itself, so `tests/bot/test_sockets.py` looks that it is there.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

import discord
from discord.gateway import (
    DiscordClientWebSocketResponse,
    DiscordWebSocket,
    KeepAliveHandler,
)

CLOSE_S = 0.5  # for the other end to say goodbye, which one that is gone never does


class QuickSocket(DiscordClientWebSocketResponse):
    """Waits no half a minute for the goodbye of who is gone."""

    async def close(self, *, code: int = 4000, message: bytes = b"") -> bool:
        try:
            async with asyncio.timeout(CLOSE_S):
                return await super().close(code=code, message=message)
        except TimeoutError:
            return True


class SteadySocket(DiscordWebSocket):
    """Its heart stops where it is left, however that comes about."""

    async def poll_event(self) -> None:
        if self._keep_alive is None:  # before HELLO
            await self._connecting(super().poll_event())
            return
        try:
            await super().poll_event()
        except BaseException:  # what broke may have been no close; who listens is gone
            self._stop_heart()
            raise

    async def identify(self) -> None:
        await self._connecting(super().identify())

    async def resume(self) -> None:
        await self._connecting(super().resume())

    async def _connecting(self, step: Coroutine[Any, Any, None]) -> None:
        """One step of a connect; nobody knows of the socket where that is given up half way."""
        try:
            await step
        except BaseException:  # most of all a cancel
            self._stop_heart()
            await self.socket.close(code=4000)
            raise

    def _stop_heart(self) -> None:
        if self._keep_alive is not None:
            self._keep_alive.stop()


class Heart(KeepAliveHandler):
    """Ends without a word with the event loop that it beats for."""

    def run(self) -> None:
        try:
            super().run()
        except RuntimeError:  # told to stop in the very moment in which it was about to beat
            if not self.ws.loop.is_closed():
                raise


def quick() -> None:
    """Make all sockets of this process such ones."""
    setattr(discord.http, DiscordClientWebSocketResponse.__name__, QuickSocket)
    setattr(discord.shard, DiscordWebSocket.__name__, SteadySocket)
    setattr(discord.gateway, KeepAliveHandler.__name__, Heart)
