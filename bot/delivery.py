"""A reply on its way to Discord: sent again once where the connection broke under it.

Discord answers `already acknowledged` to whoever comes second: to the second try whose
first one had arrived after all, and to the second of two processes with one token. Either
way the person has an answer.
"""

import logging
from collections.abc import Awaitable, Callable

import aiohttp
import discord

log = logging.getLogger(__name__)

ALREADY_ACKNOWLEDGED = 40060
UNKNOWN_INTERACTION = 10062  # too late, or typed on: nobody waits for it any more
TRIES = 2

# Names of the tasks that answer somebody; all but the last are discord.py's.
APOLOGY = "apology"
ANSWERING = ("CommandTree-invoker", "discord-ui-", "discord.py: on_interaction", APOLOGY)

Send = Callable[[], Awaitable[object]]


async def deliver(send: Send, what: str) -> bool:
    """Whether `send` got through; `what` names the reply in the log. Never raises for Discord."""
    for attempt in range(1, TRIES + 1):
        try:
            await send()
        except discord.InteractionResponded:
            return True
        except discord.HTTPException as error:
            return _settled(error, what)
        except (aiohttp.ClientError, OSError) as error:
            log.warning(
                "%s: the connection broke (%s), try %d", what, type(error).__name__, attempt
            )
        else:
            return True
    log.error("%s: not delivered in %d tries", what, TRIES)
    return False


def _settled(error: discord.HTTPException, what: str) -> bool:
    """Whether Discord's refusal means that there is an answer."""
    if error.code == ALREADY_ACKNOWLEDGED:
        log.info("%s: already acknowledged", what)
        return True
    if error.code == UNKNOWN_INTERACTION:
        log.info("%s: Discord waits for it no longer", what)
        return False
    log.error("%s: Discord refuses it with %d, code %d", what, error.status, error.code)
    return False
