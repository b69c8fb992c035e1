"""The Hugging Face Hub, asked about one model: remembered, once at a time, never for long.

The host is fixed here. No setting and no environment names another: what is asked is what
people type, and a token may go along.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path

import aiohttp
from pydantic import SecretStr

from bot.hub.fetching import Fetcher
from bot.hub.file import FileCache
from bot.hub.ids import is_id
from bot.hub.keeping import Memory, believed_s, outlives
from bot.hub.repository import Missed, MissedError, Outcome, Reason
from bot.hub.sparing import Sparing
from bot.hub.visiting import visit
from bot.ops.metrics import HUB

log = logging.getLogger(__name__)

UNKNOWN = (Reason.MISSING, Reason.GATED, Reason.NO_CONFIG, Reason.NO_LANGUAGE, Reason.UNKNOWN_SHAPE)
BASE = "https://huggingface.co"
PATIENCE_S = 2.0  # for a whole question
AT_ONCE = 4  # questions that are under way; the others wait within their own patience
MOST_WAITING = 24  # people who wait for the Hub; more would hold up who asks about known models
LONGEST_PAUSE_S = 900  # that the Hub is believed when it says to come back later
SHORTEST_PAUSE_S = 30


class Hub:
    """Asks `base`, which only a test names; `cache_file`: where answers outlive a stop."""

    def __init__(
        self,
        *,
        token: SecretStr | None = None,
        cache_file: Path | None = None,
        base: str | None = None,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._base = base or BASE
        self._token = token
        self._patience_s = patience_s
        self._clock = clock
        self._memory = Memory()
        self._file = None if cache_file is None else FileCache(cache_file)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._sparing = Sparing()
        self._asking: dict[str, asyncio.Task[Outcome]] = {}
        self._waiting = 0
        self._silent_until = 0.0  # the Hub said that it was asked too much

    async def recall(self, name: str) -> Outcome | None:
        """What is known of `name` without asking the Hub; also that it cannot be asked."""
        if not is_id(name):
            return Missed(id=name[:200], reason=Reason.MISSING)
        now = self._clock()
        outcome = self._memory.get(_key(name), now)
        if outcome is None and self._file is not None:
            kept = await self._file.get(_key(name), now)
            if kept is not None:
                outcome, until = kept
                self._memory.put(_key(name), outcome, until)
        if outcome is None and now < self._silent_until:
            return Missed(id=name, reason=Reason.RATE_LIMITED)
        return outcome

    async def look_up(self, name: str) -> Outcome:
        """What the Hub says of `name`; never raises, and takes no longer than its patience.

        Who asks about the same model meanwhile waits for the same answer.
        """
        known = await self.recall(name)
        if known is not None:
            HUB.add("hit")
            return known
        asked = _key(name) in self._asking  # by somebody else
        if self._waiting >= MOST_WAITING or not (asked or self._sparing.take()):
            HUB.add("failed")
            return Missed(id=name, reason=Reason.BUSY)
        self._waiting += 1
        try:
            return await asyncio.shield(self._task(name))
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Let go of what is under way, and close the file."""
        for task in list(self._asking.values()):
            task.cancel()
        if self._asking:
            await asyncio.wait(list(self._asking.values()))
        if self._file is not None:
            await self._file.close()

    def _task(self, name: str) -> asyncio.Task[Outcome]:
        key = _key(name)
        task = self._asking.get(key)
        if task is None:
            task = asyncio.create_task(self._ask(name), name="hub")
            self._asking[key] = task
            task.add_done_callback(lambda _done: self._asking.pop(key, None))
        return task

    async def _ask(self, name: str) -> Outcome:
        outcome = await self._asked(name)
        HUB.add(_counted_as(outcome))
        now = self._clock()
        kept_s = believed_s(outcome)
        if kept_s:
            self._memory.put(_key(name), outcome, now + kept_s)
            if self._file is not None and outlives(outcome):
                await self._file.put(_key(name), outcome, now + kept_s, now)
        return outcome

    async def _asked(self, name: str) -> Outcome:
        try:
            async with (
                asyncio.timeout(self._patience_s),
                self._turns,
                Fetcher(self._base, self._token) as fetcher,
            ):
                return await visit(fetcher, name)
        except MissedError as error:
            if error.reason is Reason.RATE_LIMITED:
                self._pause(error.detail)
            return Missed(id=name, reason=error.reason, detail=error.detail)
        except TimeoutError:
            return Missed(id=name, reason=Reason.SLOW)
        except (aiohttp.ClientResponseError, aiohttp.ClientPayloadError, aiohttp.InvalidURL) as bad:
            log.info("the Hub answered what cannot be read: %s", type(bad).__name__)
            reason = Reason.OFFLINE if _broke(bad) else Reason.MALFORMED
            return Missed(id=name, reason=reason)
        except (aiohttp.ClientError, OSError) as error:
            log.info("the Hub cannot be reached: %s", type(error).__name__)
            return Missed(id=name, reason=Reason.OFFLINE)
        except Exception:  # whatever it was: a question is answered all the same
            log.exception("what the Hub said could not be read")
            return Missed(id=name, reason=Reason.MALFORMED)

    def _pause(self, told: str) -> None:
        """Ask nothing for as long as the Hub says, within bounds."""
        wait_s = float(told) if told.isascii() and told.isdigit() else SHORTEST_PAUSE_S
        wait_s = min(max(wait_s, SHORTEST_PAUSE_S), LONGEST_PAUSE_S)
        self._silent_until = self._clock() + wait_s
        log.warning("the Hub is asked too often: nothing for %d s", wait_s)


def _broke(error: Exception) -> bool:
    """Whether a body ended before it was whole, as where a connection breaks."""
    return isinstance(error, aiohttp.ClientPayloadError)


def _counted_as(outcome: Outcome) -> str:
    if not isinstance(outcome, Missed):
        return "found"
    return "unknown" if outcome.reason in UNKNOWN else "failed"


def _key(name: str) -> str:
    return name.casefold()
