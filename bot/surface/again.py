"""The question of an answer, out of the message that shows it.

The state of a conversation is in its messages: an answer ends in the line that asks for it, a
comparison in one for each side, and an error offers one. So a reply needs no memory.
"""

from collections.abc import Iterator, Sequence

import discord

from bot.compiled import compiled
from bot.localised import in_english
from bot.surface.embed import COMMAND
from bot.surface.limits import ELLIPSIS

TABLE = "fit"  # the word that a line begins with, which asks for one
LOG = "oom "  # a line that pastes a message, and asks nothing
_TYPED = compiled(rf"`{COMMAND} ([^`\n]+)`")


def asked_before(message: discord.Message | None, own: discord.abc.User | None) -> tuple[str, ...]:
    """The lines that a message of the bot's `own` can be asked again by; none of others."""
    if message is None or own is None or message.author.id != own.id:
        return ()
    return lines_in(message.content, message.embeds)


def lines_in(content: str, embeds: Sequence[discord.Embed]) -> tuple[str, ...]:
    """The lines of an answer with these words and embeds.

    A line that was cut to Discord's limits is none. Of what fits at all it is the first: those
    below ask for cells of the table.
    """
    for embed in embeds:
        if embed.fields:
            lines = tuple(_typed(embed.fields[-1].value or ""))
            return lines[:1] if lines and lines[0].startswith(TABLE) else lines
    return tuple(_typed(content))[:1]


def lines_offered(content: str, embeds: Sequence[discord.Embed]) -> tuple[str, ...]:
    """Every line that a message offers: those of its last field, or of the last that has some.

    Of a message without embeds, those in its words.
    """
    for embed in embeds:
        for field in reversed(embed.fields):
            if lines := tuple(_typed(field.value or "")):
                return lines
    return () if embeds else tuple(_typed(content))


def _typed(text: str) -> Iterator[str]:
    for line in map(in_english, _TYPED.findall(text)):
        if not line.endswith(ELLIPSIS) and not line.startswith(LOG):
            yield line
