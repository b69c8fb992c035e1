"""A reply on its way to Discord: sent again once where the first try did not get through.

Discord waits for three seconds. So the first try is left early enough for a second one,
where Discord is silent, out of order, or the connection broke.

Discord answers `already acknowledged` to whoever comes second: to the second try whose
first one had arrived after all, and to the second of two processes with one token. Either
way the person has an answer.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

import aiohttp
import discord

from bot.ops.answering import Outcome, mark, reached

log = logging.getLogger(__name__)

ALREADY_ACKNOWLEDGED = 40060
UNKNOWN_INTERACTION = 10062  # too late, or typed on: nobody waits for it any more
PATIENCE_S = (1.2, 1.5)  # for each try; two and a pause go into three seconds
PAUSE_S = 0.2  # between them

# Names of the tasks that answer somebody; all but the last are discord.py's.
APOLOGY = "apology"
PICTURE = "a picture that came late"
ANSWERING = (
    *("CommandTree-invoker", "discord-ui-", "discord.py: on_interaction"),
    *("discord.py: on_message", APOLOGY, PICTURE),
)

Send = Callable[[], Awaitable[object]]


async def deliver(send: Send, what: str, patience_s: Sequence[float] = ()) -> None:
    """Let `send` get through, if it can; `what` names the reply in the log.

    `patience_s`: for each try, where nobody waits for three seconds.
    Never raises for what Discord or the connection does: there is nobody left to tell.
    """
    tries = patience_s or PATIENCE_S
    for attempt, longest_s in enumerate(tries):
        await asyncio.sleep(PAUSE_S if attempt else 0)
        try:
            async with asyncio.timeout(longest_s):
                await send()
        except discord.InteractionResponded:
            return
        except (aiohttp.ClientError, OSError, discord.DiscordServerError) as error:
            kind = type(error).__name__
            log.warning("%s: did not get through (%s), try %d", what, kind, attempt + 1)
        except discord.HTTPException as error:
            _note(error, what)
            return
        else:
            reached()
            return
    mark(Outcome.UNDELIVERED)
    log.error("%s: not delivered in %d tries", what, len(tries))


def _note(error: discord.HTTPException, what: str) -> None:
    """Discord's refusal, as grave as it is: the first two leave nobody without an answer."""
    if error.code == ALREADY_ACKNOWLEDGED:
        reached()
        log.info("%s: already acknowledged", what)
    elif error.code == UNKNOWN_INTERACTION:
        mark(Outcome.TOO_LATE)
        log.info("%s: Discord waits for it no longer", what)
    else:
        mark(Outcome.FAILED)
        log.error("%s: Discord refuses it with %d, code %d", what, error.status, error.code)


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


def _answering() -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith(ANSWERING)]
