"""An answer as a message in a channel, below the one that asked: once, however it gets there.

The message's id goes along as a nonce. Discord makes no second message of a nonce, so a try
that did arrive, another process with the same token and an event that comes twice all end in
one answer.
"""

import logging
from dataclasses import dataclass
from typing import Any

import discord

from bot.ask import Answered
from bot.delivery import UNKNOWN_MESSAGE, deliver_later
from bot.one_try import sound
from bot.surface.illustrated import Image, posted

log = logging.getLogger(__name__)

INVALID_FORM = 50035
NO_HISTORY = 160002  # a reply needs to read it; an answer does not
NO_PERMISSION = 50013  # to speak there, or only to embed, or to attach a file
SHUT = (50001, NO_PERMISSION, 50007, 50083)  # channels and people that cannot be written to


@dataclass(frozen=True, slots=True)
class Post:
    """`words` stand alone, or in the place of `embed` where a channel allows none.

    `view`: what can be pressed below either. `found`: the answer that the embed shows; `image`: the
    picture of it.
    """

    words: str
    embed: discord.Embed | None = None
    view: discord.ui.View | None = None
    found: Answered | None = None
    image: Image | None = None


@dataclass(slots=True)
class Posted:
    """What became of it: the message, where there is one; what the channel does not take."""

    message: discord.Message | None = None
    closed: bool = False
    no_files: bool = False


async def post(asked: discord.Message, said: Post) -> Posted:
    """Answer a message below it.

    Nothing is said to a message that was deleted meanwhile. Never raises for what Discord does.
    """
    done = Posted()
    await deliver_later(lambda: _send(asked, said, done), "an answer to a message")
    return done


async def _send(asked: discord.Message, said: Post, done: Posted) -> None:
    """Send it as far as the channel lets it: without reference, picture or embed."""
    below, embed, image = True, said.embed, said.image
    while True:
        how: dict[str, Any] = (
            {"content": said.words} if embed is None else posted({"embed": embed}, image)
        )
        if said.view is not None:
            how["view"] = said.view
        if below:
            how["reference"] = asked
        try:
            done.message = await sound(
                asked.channel.send(nonce=str(asked.id), mention_author=False, **how)
            )
        except discord.HTTPException as error:
            if error.code == NO_HISTORY and below:
                below = False
            elif error.code == NO_PERMISSION and image is not None:
                image = None
            elif error.code == NO_PERMISSION and embed is not None:
                embed = None
            elif _is_gone(error):
                log.info("a message was deleted before its answer")
                return
            elif error.code in SHUT:
                log.info("a channel cannot be written to: code %d", error.code)
                done.closed = True
                return
            else:
                raise
        else:
            done.no_files = image is None and said.image is not None
            return


def _is_gone(error: discord.HTTPException) -> bool:
    """Whether the message that asked is no longer there."""
    return error.code == UNKNOWN_MESSAGE or (
        error.code == INVALID_FORM and "message_reference" in error.text
    )
