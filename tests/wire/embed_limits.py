"""The limits of embeds: every part, and all of them together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.component_limits import COLOUR
from tests.wire.shapes import (
    Violation,
    anything,
    at,
    instant,
    many,
    one_of,
    record,
    required,
    text,
    truth,
    url,
    whole,
)

EMBED_CHARACTERS = 6000
IMAGES = (".jpg", ".jpeg", ".png", ".webp", ".gif")
ATTACHED = "attachment://"

LINK = url(2048, "https?")
IMAGE_LINK = url(2048, "https?", "attachment")
PICTURE = record(
    {"url": IMAGE_LINK},
    {"height": anything, "width": anything, "proxy_url": anything, "description": text(0, 4096)},
)
FIELD = record(
    {"name": text(1, 256, trimmed=True), "value": text(1, 1024, trimmed=True)}, {"inline": truth}
)


def _shows_something(embed: Mapping[str, Any], path: str) -> Iterator[Violation]:
    shown = ("title", "description", "fields", "author", "footer", "image", "thumbnail")
    if not any(embed.get(key) for key in shown):
        yield required(at(path, "description"))


EMBED = record(
    {},
    {
        "type": one_of("rich"),
        "title": text(0, 256, trimmed=True),
        "description": text(0, 4096, trimmed=True),
        "url": LINK,
        "timestamp": instant,
        "color": COLOUR,
        "flags": whole(0, 0),
        "fields": many(FIELD, 0, 25),
        "image": PICTURE,
        "thumbnail": PICTURE,
        "footer": record(
            {"text": text(1, 2048, trimmed=True)},
            {"icon_url": IMAGE_LINK, "proxy_icon_url": anything},
        ),
        "author": record(
            {"name": text(1, 256, trimmed=True)},
            {"url": LINK, "icon_url": IMAGE_LINK, "proxy_icon_url": anything},
        ),
    },
    _shows_something,
)


def embeds_in_all(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """All text of all embeds together, white space at the ends of each not counted."""
    count = sum(embed_characters(embed) for embed in message.get("embeds") or ())
    if count > EMBED_CHARACTERS:
        words = f"Embed size exceeds maximum size of {EMBED_CHARACTERS}: {count}"
        yield Violation(at(path, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", words)


def embed_characters(embed: Mapping[str, Any]) -> int:
    """What of an embed counts towards the 6,000."""
    texts = [embed.get("title"), embed.get("description")]
    texts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for field in embed.get("fields") or ():
        texts += [field["name"], field["value"]]
    return sum(len(part.strip()) for part in texts if part)


def attached_pictures(embeds: Sequence[Mapping[str, Any]], path: str) -> Iterator[tuple[str, str]]:
    """Where an embed shows a file of its own message, and the name of the file."""
    for index, embed in enumerate(embeds):
        for key in ("image", "thumbnail"):
            link = (embed.get(key) or {}).get("url", "")
            if link.startswith(ATTACHED):
                yield at(at(at(path, index), key), "url"), link.removeprefix(ATTACHED)


def only_pictures(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """An embed shows a file only where it is a picture."""
    for here, name in attached_pictures(message.get("embeds") or (), at(path, "embeds")):
        if not name.lower().endswith(IMAGES):
            words = f"{name} ends in none of {IMAGES}"
            yield Violation(here, "ATTACHMENT_NOT_A_PICTURE_REFUSED", words)
