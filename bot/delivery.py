"""A reply on its way to Discord: tried until it gets through, or nobody waits for it any more.

Discord waits for three seconds, and may be out of order for two of them. So a try that fails is
followed by another one soon; and beside one that nothing is heard of another one begins, since
Discord may still take the first.

Discord answers `already acknowledged` to whoever comes second: to the second try whose
first one had arrived after all, and to the second of two processes with one token. Either
way the person has an answer.

What was announced, and what is said in a channel, has longer: see `deliver_later`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto

import aiohttp
import discord

from bot.courtesy import Courtesy
from bot.one_try import TOO_MANY, UNSAID_S, NonsenseError, try_once
from bot.ops import answering
from bot.turns import let_others

log = logging.getLogger(__name__)

ALREADY_ACKNOWLEDGED = 40060
UNKNOWN_INTERACTION = 10062  # too late, or typed on: nobody waits for it any more
UNKNOWN_WEBHOOK = 10015  # of an answer that Discord knows nothing of
UNKNOWN_MESSAGE = 10008  # deleted, as by a try that was not heard back

# Names of the tasks that answer somebody; all but the last are discord.py's.
APOLOGY = "apology"
PICTURE = "a picture that came late"
ANSWERING = (
    *("CommandTree-invoker", "discord-ui-", "discord.py: on_interaction"),
    *("discord.py: on_message", APOLOGY, PICTURE),
)

Send = Callable[[], Awaitable[object]]

# The connection, Discord, or what stands before it, is out of order.
TRANSIENT = (aiohttp.ClientError, OSError, discord.DiscordServerError, NonsenseError)


@dataclass(frozen=True, slots=True)
class Patience:
    """In seconds: how long a reply is tried, and how often."""

    within: float  # after which no try begins
    heard: float  # the same for what is still on its way, and may arrive
    beside: float  # of silence, after which another try begins beside the one that is on its way
    each: float  # for one try
    pause: float  # after the first try that failed; half as long again after each
    longest_pause: float
    hasty: float  # before a try that a limit would have later than anybody waits


# Wherever in the three seconds Discord takes calls for one of them, a try meets it.
FIRST = Patience(2.9, 3.2, beside=0.9, each=3.2, pause=0.2, longest_pause=0.6, hasty=0.6)
LATER = Patience(60, 75, beside=15, each=15, pause=0.25, longest_pause=4, hasty=15)

# Such hasty tries, all replies together: Discord shuts out who is refused 10,000 times in ten
# minutes.
# Source: https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
HASTY_AT_ONCE, HASTY_EVERY_S = 2000, 0.2


class Outcome(Enum):
    """What became of a reply."""

    THROUGH = auto()
    ACKNOWLEDGED = auto()  # before: by an unheard try, or by another process
    REFUSED = auto()  # and would be again
    NOT_DELIVERED = auto()


Deliver = Callable[[Send, str], Awaitable[Outcome]]
_HASTY = Courtesy(at_once=HASTY_AT_ONCE, every_s=HASTY_EVERY_S)


async def deliver(send: Send, what: str) -> Outcome:
    """Let `send` get through, if it can; `what` names the reply in the log.

    It is the first answer to an interaction. Never raises for what Discord or the connection
    does: there is nobody left to tell.
    """
    return await _Delivery(send, what, FIRST).run()


async def deliver_later(send: Send, what: str) -> Outcome:
    """The same for what follows a first answer, and for messages: nobody counts three seconds.

    One try at a time; after one that failed others have the turn of who waits here.
    """
    return await _Delivery(send, what, LATER, let_others).run()


def delivering(*, announced: bool) -> Deliver:
    """The one of both that is for an answer which was announced, or was not."""
    return deliver_later if announced else deliver


class _Delivery:
    """One reply, and its tries that are on their way."""

    def __init__(
        self, send: Send, what: str, patience: Patience, failed: Callable[[], None] | None = None
    ) -> None:
        self._send = send
        self._what = what
        self._patience = patience
        self._failed = failed
        self._flying: set[asyncio.Task[Outcome | float | None]] = set()
        self._tries = 0

    async def run(self) -> Outcome:
        """Try until it is over."""
        try:
            outcome = await self._tried()
        finally:
            for task in self._flying:
                task.cancel()
        if outcome in (Outcome.THROUGH, Outcome.ACKNOWLEDGED):
            answering.reached()
        if outcome is Outcome.NOT_DELIVERED:
            answering.mark(answering.Outcome.UNDELIVERED)
            log.error("%s: not delivered in %d tries", self._what, self._tries)
        return outcome

    async def _tried(self) -> Outcome:
        patience, now = self._patience, asyncio.get_running_loop().time
        begun = again_at = now()
        end, pause = begun + patience.within, patience.pause
        while True:
            if again_at <= now() and (again_at < end or not self._tries):
                self._tries += 1
                self._flying.add(asyncio.create_task(self._once()))
                again_at = now() + patience.beside
            more = again_at < end
            until = again_at if more else begun + patience.heard
            if not more and (not self._flying or until <= now()):
                return Outcome.NOT_DELIVERED
            for task in await self._landed(until - now()):
                found = task.result()
                if isinstance(found, Outcome):
                    return found
                if self._failed is not None:
                    self._failed()
                again_at = now() + (pause if found is None else found)
                if again_at >= end and found is not None and _HASTY.take(0):
                    again_at = now() + patience.hasty
                pause = min(1.5 * pause, patience.longest_pause)

    async def _landed(self, wait_s: float) -> set[asyncio.Task[Outcome | float | None]]:
        """The tries that ended first."""
        if not self._flying:
            await asyncio.sleep(wait_s)
            return set()
        done, self._flying = await asyncio.wait(
            self._flying, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED
        )
        return done

    async def _once(self) -> Outcome | float | None:
        """How it ended; or, where it may be tried again, seconds to wait if that is told."""
        try_once()
        try:
            async with asyncio.timeout(self._patience.each):
                await self._send()
        except discord.InteractionResponded:
            return Outcome.ACKNOWLEDGED
        except TRANSIENT as error:
            self._say(error)
        except discord.RateLimited as error:
            self._say(error)
            return error.retry_after
        except discord.HTTPException as error:
            if error.status == TOO_MANY:  # after discord.py's own tries, or by no Discord
                self._say(error)
                return UNSAID_S
            return _noted(error, self._what)
        else:
            return Outcome.THROUGH
        return None

    def _say(self, error: Exception) -> None:
        """Once a reply: in an outage there are many, and many tries of each."""
        level = logging.WARNING if self._tries == 1 else logging.DEBUG
        kind = type(error).__name__
        log.log(level, "%s: did not get through (%s), try %d", self._what, kind, self._tries)


def _noted(error: discord.HTTPException, what: str) -> Outcome:
    """Discord's refusal, as grave as it is: those that are known leave nobody without an answer."""
    if error.code == ALREADY_ACKNOWLEDGED:
        log.info("%s: already acknowledged", what)
        return Outcome.ACKNOWLEDGED
    if error.code in (UNKNOWN_INTERACTION, UNKNOWN_WEBHOOK):
        answering.mark(answering.Outcome.TOO_LATE)
        log.info("%s: Discord waits for it no longer", what)
    elif error.code == UNKNOWN_MESSAGE:
        log.info("%s: the message is gone", what)
    else:
        answering.mark(answering.Outcome.FAILED)
        log.error("%s: Discord refuses it with %d, code %d", what, error.status, error.code)
    return Outcome.REFUSED


async def drain(seconds: float) -> None:
    """Wait for what is being answered, and give up on what takes longer than `seconds`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (answering := _answering()) and loop.time() < end:
        await asyncio.wait(answering, timeout=end - loop.time())
    for task in answering:
        task.cancel()
    if answering:
        log.warning("%d answers were given up", len(answering))
        await asyncio.wait(answering)


def is_quiet() -> bool:
    """Whether nobody is being answered."""
    return not _answering()


def _answering() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith(ANSWERING)]
