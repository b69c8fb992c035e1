"""An answer as a message in a channel, below the one that asked: once, however it gets there.

The message's id goes along as a nonce. Discord makes no second message of a nonce, so a try
that did arrive, another process with the same token and an event that comes twice all end in
one answer.
"""

import logging
from dataclasses import dataclass
from typing import Any

import discord

from bot.delivery import deliver

log = logging.getLogger(__name__)

PATIENCE_S = (15.0, 15.0)  # for each try: nobody's client counts the seconds, as for a command
UNKNOWN_MESSAGE = 10008
INVALID_FORM = 50035
NO_HISTORY = 160002  # a reply needs to read it; an answer does not
NO_PERMISSION = 50013  # to speak there, or only to embed
SHUT = (50001, NO_PERMISSION, 50007, 50083)  # channels and people that cannot be written to


@dataclass(frozen=True, slots=True)
class Post:
    """`words` stand alone, or in the place of `embed` where a channel allows none."""

    words: str
    embed: discord.Embed | None = None


async def post(asked: discord.Message, said: Post) -> bool:
    """Answer a message below it; False where its channel cannot be written to.

    Nothing is said to a message that was deleted meanwhile. Never raises for what Discord does.
    """
    closed = False

    async def send() -> None:
        nonlocal closed
        closed = not await _send(asked, said)

    await deliver(send, "an answer to a message", patience_s=PATIENCE_S)
    return not closed


async def _send(asked: discord.Message, said: Post) -> bool:
    """Send it as far as the channel lets it: without the reference, or without the embed."""
    below, embedded = True, said.embed is not None
    while True:
        how: dict[str, Any] = {"embed": said.embed} if embedded else {"content": said.words}
        if below:
            how["reference"] = asked
        try:
            await asked.channel.send(nonce=str(asked.id), mention_author=False, **how)
        except discord.HTTPException as error:
            if error.code == NO_HISTORY and below:
                below = False
            elif error.code == NO_PERMISSION and embedded:
                embedded = False
            elif _is_gone(error):
                log.info("a message was deleted before its answer")
                return True
            elif error.code in SHUT:
                log.info("a channel cannot be written to: code %d", error.code)
                return False
            else:
                raise
        else:
            return True


def _is_gone(error: discord.HTTPException) -> bool:
    """Whether the message that asked is no longer there."""
    return error.code == UNKNOWN_MESSAGE or (
        error.code == INVALID_FORM and "message_reference" in error.text
    )
