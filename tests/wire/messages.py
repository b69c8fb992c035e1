"""Messages as Discord keeps them: built from what the bot sent, and found again."""

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.wire.clock import snowflake
from tests.wire.mentions import pinged
from tests.wire.people import Json

EPHEMERAL, LOADING, COMPONENTS_V2 = 64, 128, 32768
SENT = (
    "content",
    "embeds",
    "components",
    "attachments",
    "allowed_mentions",
    "flags",
    "tts",
    "poll",
)
EMBED_TEXTS = ("title", "description")


@dataclass
class Message:
    """`sent` is what the bot asked for, over all edits; `stored` is what others see.

    `by_api`: it was posted in a channel, and answers no interaction.
    """

    sent: Json
    stored: Json
    deleted: bool = False
    by_api: bool = False

    @property
    def id(self) -> str:
        return str(self.stored["id"])

    @property
    def loading(self) -> bool:
        return bool(self.stored["flags"] & LOADING)

    def change(self, body: Mapping[str, Any], files: Sequence[Json]) -> None:
        """Edit: what is named is replaced, what is not stays; unlisted attachments go."""
        self.sent = {**self.sent, **{key: body[key] for key in SENT if key in body}}
        before = {each["id"]: each for each in self.stored["attachments"]}
        attachments = list(before.values()) + list(files)
        if body.get("attachments") is not None:
            attachments = attach(body["attachments"], files, before)
        flags = self.stored["flags"] & ~LOADING | ((body.get("flags") or 0) & ~EPHEMERAL)
        self.stored.update(
            shown(self.sent, attachments),
            flags=flags,
            edited_timestamp=timestamp(),
        )


@dataclass
class Messages:
    """Every message there is, newest last."""

    by_id: dict[str, Message] = field(default_factory=dict)

    def add(self, message: Message) -> Message:
        self.by_id[message.id] = message
        return message

    def remove(self, message: Message) -> None:
        message.deleted = True
        self.by_id.pop(message.id, None)

    def holding(self, custom_id: str) -> Message | None:
        """The newest message with a component of this id."""
        for message in reversed(self.by_id.values()):
            if any(part.get("custom_id") == custom_id for part in parts_of(message.stored)):
                return message
        return None


def create(body: Mapping[str, Any], files: Sequence[Json], **fixed: Any) -> Message:  # noqa: ANN401
    """A new message; `fixed` is what the bot does not decide: author, channel, type."""
    sent = {key: body[key] for key in SENT if key in body}
    listed = body.get("attachments")
    attachments = list(files) if listed is None else attach(listed, files, {})
    stored = {
        "id": snowflake(),
        "type": 0,
        "timestamp": timestamp(),
        "edited_timestamp": None,
        "pinned": False,
        "flags": body.get("flags") or 0,
        **shown(sent, attachments),
        **fixed,
    }
    return Message(sent, stored)


def shown(sent: Mapping[str, Any], attachments: Sequence[Json]) -> Json:
    """The parts of a message that the bot decides, as Discord gives them back."""
    links = {each["filename"]: each for each in attachments}
    components = numbered(sent.get("components") or ())
    texts = [sent.get("content"), *(part.get("content") for part in walk(components))]
    return {
        **pinged("\n".join(filter(None, texts)), sent.get("allowed_mentions")),
        "content": (sent.get("content") or "").strip(),
        "tts": bool(sent.get("tts")),
        "embeds": [embed(each, links) for each in sent.get("embeds") or ()],
        "components": components,
        "attachments": [
            {key: value for key, value in each.items() if key != "part"} for each in attachments
        ],
    }


def attach(
    listed: Sequence[Mapping[str, Any]], files: Sequence[Json], before: Mapping[str, Json]
) -> list[Json]:
    """The attachments that are listed: old ones by their id, new ones by their part's number."""
    new = {each["part"]: each for each in files}
    attachments = []
    for entry in listed:
        found = before.get(str(entry["id"])) or new.get(int(entry["id"]))
        if found is not None:
            wanted = {key: entry[key] for key in ("filename", "description") if entry.get(key)}
            attachments.append({**found, **wanted})
    return attachments


def embed(sent: Mapping[str, Any], links: Mapping[str, Json]) -> Json:
    """An embed with its texts trimmed and its pictures found."""
    stored: Json = {"type": "rich", **copy.deepcopy(dict(sent))}
    for key in EMBED_TEXTS:
        if isinstance(stored.get(key), str):
            stored[key] = stored[key].strip()
    stored["fields"] = [
        {"inline": False, **each, "name": each["name"].strip(), "value": each["value"].strip()}
        for each in stored.get("fields") or ()
    ]
    if not stored["fields"]:
        del stored["fields"]
    for key in ("image", "thumbnail"):
        link = (stored.get(key) or {}).get("url", "")
        if link.startswith("attachment://"):
            found = links.get(link.removeprefix("attachment://"))
            stored[key] = {"url": found["url"], "proxy_url": found["proxy_url"]} if found else {}
    return stored


def numbered(components: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Components with the ids that Discord gives where the bot gave none."""
    copied = [copy.deepcopy(dict(each)) for each in components]
    taken = {part["id"] for part in walk(copied) if part.get("id")}
    free = (number for number in itertools.count(1) if number not in taken)
    for part in walk(copied):
        if not part.get("id"):
            part["id"] = next(free)
    return copied


def walk(components: Sequence[Json]) -> Iterator[Json]:
    """Every component, those inside others too."""
    for part in components:
        yield part
        yield from walk(part.get("components") or ())
        for key in ("component", "accessory"):
            if part.get(key):
                yield from walk([part[key]])


def parts_of(message: Mapping[str, Any]) -> Iterator[Json]:
    """Every component of a message."""
    return walk(message.get("components") or ())


def timestamp() -> str:
    return datetime.now(UTC).isoformat()
