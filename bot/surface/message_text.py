"""What a message says: its own words, those of a message that it forwards, those of its embeds."""

from collections.abc import Iterator

import discord


def text_of(message: discord.Message) -> str:
    """The words of a message, the nearest to its author first; empty where it has none."""
    return next((text for text in map(str, _texts(message)) if text.strip()), "")


def has_files(message: discord.Message) -> bool:
    """Whether something hangs on it that is not opened here."""
    forwarded = (snapshot.attachments for snapshot in message.message_snapshots)
    return bool(message.attachments) or any(map(bool, forwarded))


def replied_to(message: discord.Message) -> discord.Message | None:
    """The message that another one replies to, where Discord sent it along."""
    resolved = None if message.reference is None else message.reference.resolved
    return resolved if isinstance(resolved, discord.Message) else None


def _texts(message: discord.Message) -> Iterator[str]:
    yield message.content
    yield from (snapshot.content for snapshot in message.message_snapshots)
    yield "\n".join(map(_embedded, message.embeds))
    yield "\n".join(_embedded(one) for each in message.message_snapshots for one in each.embeds)


def _embedded(embed: discord.Embed) -> str:
    """An embed's title, description and fields, as another bot may have posted a log."""
    fields = (part for field in embed.fields for part in (field.name, field.value))
    return "\n".join(str(part) for part in (embed.title, embed.description, *fields) if part)
