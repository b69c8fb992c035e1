"""An embed with its picture, as a new message or in place of one: by a fixed name."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

import discord

from bot.surface.limits import MOST_ALT, cut

FILE = "memory.png"


@dataclass(frozen=True, slots=True)
class Image:
    """A PNG file, and what it shows in words."""

    png: bytes
    alt: str

    def file(self) -> discord.File:
        """The file to upload: a new one for each try, since a try reads it."""
        return discord.File(BytesIO(self.png), FILE, description=cut(self.alt, MOST_ALT))


def posted(embed: discord.Embed, image: Image | None) -> dict[str, Any]:
    """What a new message is sent with."""
    if image is None:
        return {"embed": embed}
    return {"embed": _around(embed), "file": image.file()}


def changed(embed: discord.Embed, image: Image | None) -> dict[str, Any]:
    """What a message is edited with: a picture that it had before goes."""
    if image is None:
        return {"embed": embed, "attachments": []}
    return {"embed": _around(embed), "attachments": [image.file()]}


def _around(embed: discord.Embed) -> discord.Embed:
    return embed.copy().set_image(url=f"attachment://{FILE}")
