"""Keeps a client running: a new one where one has ended, a clean stop where it is asked to.

discord.py's client ends on what it does not foresee. Then a fresh one is made, after a
wait that grows with each failure in a row. Only what no wait can mend ends the program: a
token that Discord refuses, or a set-up that it does not allow.
"""

import asyncio
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from time import monotonic

import discord

from bot.client import VramClient
from bot.delivery import ANSWERING
from bot.pace import Backoff

log = logging.getLogger(__name__)

DRAIN_S = 3.0  # how long a stop waits for what is being answered; Discord waits no longer
SIGNALS = (signal.SIGTERM, signal.SIGINT)

# Gateway close codes after which a client must not come back the same.
# Source: https://discord.com/developers/docs/topics/opcodes-and-status-codes
FATAL_CLOSES = {
    4004: "Discord does not accept the token",
    4010: "Discord does not accept the shard number",
    4011: "Discord wants more shards",
    4012: "Discord no longer has this version of its gateway",
    4013: "Discord does not know the intents",
    4014: "the application may not use the intents",
}


class Exit(IntEnum):
    """Exit statuses of the running bot."""

    STOPPED = 0
    CONFIGURATION = 78  # EX_CONFIG of sysexits.h


@dataclass(slots=True)
class Supervisor:
    """`make` gives a new client for each life; `token` is what it logs in with."""

    make: Callable[[], VramClient]
    token: str
    backoff: Backoff = field(default_factory=Backoff)
    drain_s: float = DRAIN_S
    client: VramClient | None = None
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Ask for the end; what is being answered is finished first."""
        log.info("stopping")
        self._stopping.set()

    def is_alive(self) -> bool:
        """Whether the event loop turns: whoever hears the answer knows it."""
        return True

    def is_ready(self) -> bool:
        """Whether every shard is connected and Discord sends it what people type."""
        client = self.client
        if client is None or client.is_closed() or not client.is_ready():
            return False
        return not any(shard.is_closed() for shard in client.shards.values())

    async def run(self) -> Exit:
        """Live until asked to stop, or until Discord will not have this client."""
        with _signals(self.stop):
            while not self._stopping.is_set():
                born = monotonic()
                why = await self._live()
                if why is not None:
                    log.critical("%s. Nothing but a change of the settings helps.", why)
                    return Exit.CONFIGURATION
                if not self._stopping.is_set():
                    await self._rest(self.backoff.failed(monotonic() - born))
        return Exit.STOPPED

    async def _live(self) -> str | None:
        """One client's life; why there must be no other, where there must not."""
        self.client = client = self.make()
        async with client:
            running = asyncio.create_task(client.start(self.token), name="client")
            stopping = asyncio.create_task(self._stopping.wait(), name="stopping")
            try:
                await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
                if not running.done():
                    await self._drain()
                    await client.close()
            finally:
                await _ended(stopping)
                await _ended(running)
        return _verdict(running)

    async def _drain(self) -> None:
        """Wait for what is being answered, but not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.drain_s):
                while answering := [
                    task for task in asyncio.all_tasks() if task.get_name().startswith(ANSWERING)
                ]:
                    await asyncio.wait(answering)

    async def _rest(self, seconds: float) -> None:
        """Wait before the next life; a stop ends the wait."""
        log.info("again in %.1f s", seconds)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


async def _ended(task: asyncio.Task[object]) -> None:
    """Cancel `task` if it runs, and wait until it is done."""
    task.cancel()
    await asyncio.wait((task,))


def _verdict(life: asyncio.Task[None]) -> str | None:
    """Why a life that ended must not be tried again; none where it may."""
    error = None if life.cancelled() else life.exception()
    match error:
        case None:
            return None
        case discord.LoginFailure():
            return FATAL_CLOSES[4004]
        case discord.PrivilegedIntentsRequired():
            return FATAL_CLOSES[4014]
        case discord.ConnectionClosed(code=code) if code in FATAL_CLOSES:
            return FATAL_CLOSES[code]
    log.error("the client ended", exc_info=error)
    return None


@contextmanager
def _signals(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and SIGINT call `stop`, where the event loop can hear them."""
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # on Windows, where Ctrl+C raises KeyboardInterrupt
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in SIGNALS:
                loop.remove_signal_handler(number)
