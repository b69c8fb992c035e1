"""Keeps a client running: a new one where one has ended, a clean stop where it is asked to.

discord.py's client ends on what it does not foresee. Then a fresh one is made, after a
wait that grows with each failure in a row. Only what no wait can mend ends the program: a
token that Discord refuses, or a set-up that it does not allow.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import aiohttp
import discord

from bot.client import VramClient
from bot.config import ConfigError
from bot.exits import Exit
from bot.one_try import NonsenseError
from bot.ops.exposition import Vitals
from bot.pace import Backoff, Pace, SpentError
from bot.stopping import told_to_stop

log = logging.getLogger(__name__)

PATIENCE_S = 120.0  # without Discord, after which a client is replaced
LOOKS = 20  # at it in that time
CANCEL_AGAIN_S = 0.1
SHARDING_REQUIRED = 4011  # mended by asking again how many, where settings leave it open

UNREACHABLE = (aiohttp.ClientError, OSError, discord.HTTPException, NonsenseError)

# Gateway close codes after which a client must not come back the same.
# Source: https://discord.com/developers/docs/topics/opcodes-and-status-codes
FATAL_CLOSES = {
    4004: "Discord does not accept the token: press Reset Token under Bot for a new one",
    4010: "Discord does not accept the shard number",
    4011: "Discord wants more shards",
    4012: "Discord no longer has this version of its gateway",
    4013: "Discord does not know the intents",
    4014: "the application may not use the intents",
}


@dataclass(slots=True)
class Supervisor:
    """`make` gives a new client for each life; `token` is what it logs in with."""

    make: Callable[[], VramClient]
    token: str = field(repr=False)
    backoff: Backoff
    pace: Pace
    patience_s: float = PATIENCE_S
    client: VramClient | None = None
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Ask for the end; what is being answered is finished first."""
        log.info("stopping")
        self._stopping.set()

    def is_ready(self) -> bool:
        """Whether every shard is connected and Discord sends it what people type."""
        client = self.client
        return client is not None and client.is_ready() and client.hears_discord

    def vitals(self) -> Vitals:
        """How the bot is; between two clients there is nothing to see."""
        return Vitals() if self.client is None else self.client.vitals()

    async def run(self) -> Exit:
        """Live until asked to stop, or until Discord will not have this client."""
        with told_to_stop(self.stop):
            while not self._stopping.is_set():
                born = monotonic()
                ended = await self._live()
                why = self._fatal(ended)
                if why is not None:
                    log.critical("%s. Nothing but a change of the settings helps.", why)
                    return Exit.CONFIGURATION
                if not self._stopping.is_set():
                    spent_s = ended.wait_s if isinstance(ended, SpentError) else 0.0
                    waits_s = (self.backoff.failed(monotonic() - born), spent_s, self.pace.wait_s())
                    await self._rest(max(waits_s))
        return Exit.DONE

    async def _live(self) -> BaseException | None:
        """One client's life, and what it died of."""
        self.client = client = self.make()
        async with client:
            running = asyncio.create_task(client.start(self.token), name="client")
            others = [
                asyncio.create_task(self._stopping.wait(), name="stopping"),
                asyncio.create_task(self._lost(client), name="lost"),
            ]
            try:
                await asyncio.wait((running, *others), return_when=asyncio.FIRST_COMPLETED)
                if self._stopping.is_set():
                    await client.leave()
                await client.close()
            finally:
                await _ended(running, *others)
        return None if running.cancelled() else running.exception()

    async def _lost(self, client: VramClient) -> None:
        """Return once Discord has been away for so long that a new client is the better try.

        discord.py waits longer and longer, up to 17 minutes, also when Discord is back.
        """
        since, sessions = monotonic(), client.sessions
        while monotonic() - since < self.patience_s + self.pace.gap_s * (client.shard_count or 1):
            await asyncio.sleep(self.patience_s / LOOKS)
            if self.is_ready() or client.sessions > sessions or self.pace.wait_s() > 0:
                since, sessions = monotonic(), client.sessions
        log.error("not connected for %.0f s: this client is replaced", monotonic() - since)

    def _fatal(self, ended: BaseException | None) -> str | None:
        """Why there must not be another life; none where there may."""
        match ended:
            case None:
                return None
            case SpentError():
                log.warning("too many sessions were begun: %s", ended)
                return None
            case ConfigError():
                return str(ended)
            case discord.LoginFailure():
                return FATAL_CLOSES[4004]
            case discord.PrivilegedIntentsRequired():
                return FATAL_CLOSES[4014]
            case discord.ConnectionClosed(code=code) if code in FATAL_CLOSES:
                asks = self.client is not None and self.client.asks_for_shards
                if code != SHARDING_REQUIRED or not asks:
                    return FATAL_CLOSES[code]
        if self._stopping.is_set():  # closed in the midst of a call: that call fails, as it must
            log.debug("the client was stopped: %s", type(ended).__name__)
            return None
        if isinstance(ended, UNREACHABLE):  # as everybody knows it: no need of a traceback
            log.error("Discord is not reached: %s: %s", type(ended).__name__, ended)
        else:
            log.error("the client ended", exc_info=ended)
        return None

    async def _rest(self, seconds: float) -> None:
        """Wait before the next life; a stop ends the wait."""
        log.info("again in %.1f s", seconds)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    """Cancel what runs, until it is done: a cancel that meets an end in `wait_for` is lost."""
    while any(not task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=CANCEL_AGAIN_S)
