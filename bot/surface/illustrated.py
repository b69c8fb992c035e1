"""A message with its picture, new or in place of one: by a fixed name."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

import discord

from bot.surface.limits import MOST_ALT, cut

FILE = "memory.png"
Parts = dict[str, Any]  # of a message, as discord.py names them; `embed` is one


@dataclass(frozen=True, slots=True)
class Image:
    """A PNG file, and what it shows in words."""

    png: bytes
    alt: str

    def file(self) -> discord.File:
        """The file to upload: a new one for each try, since a try reads it."""
        return discord.File(BytesIO(self.png), FILE, description=cut(self.alt, MOST_ALT))


def posted(parts: Parts, image: Image | None) -> Parts:
    """What a new message is sent with."""
    return parts if image is None else {**_around(parts), "file": image.file()}


def changed(parts: Parts, image: Image | None) -> Parts:
    """What a message is edited with: a picture that it had before goes."""
    if image is None:
        return {**parts, "attachments": []}
    return {**_around(parts), "attachments": [image.file()]}


def _around(parts: Parts) -> Parts:
    embed: discord.Embed = parts["embed"]
    return {**parts, "embed": embed.copy().set_image(url=f"attachment://{FILE}")}
