"""The limits of a message as a whole, and of what is neither embed nor component."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.component_limits import (
    COMPONENTS_IN_ALL,
    LONGEST_TEXT,
    MESSAGE_COMPONENTS,
    ROW,
    TEXT,
    duplicated_ids,
    every,
)
from tests.wire.embed_limits import EMBED, attached_pictures, embeds_in_all, only_pictures
from tests.wire.shapes import (
    Check,
    Violation,
    anything,
    at,
    many,
    one_of,
    record,
    repeated,
    snowflake,
    text,
    truth,
    whole,
)

EMPTY_MESSAGE = "50006"  # an error of its own at Discord, not one of a form
EPHEMERAL, COMPONENTS_V2 = 64, 32768
SETTABLE = 4 | EPHEMERAL | 4096 | 8192 | COMPONENTS_V2
ROWS = 5


def _parse_excludes(mentions: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """All of a kind, or a list of them."""
    for kind in ("users", "roles"):
        if kind in (mentions.get("parse") or ()) and mentions.get(kind):
            message = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive'
            yield Violation(path, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)


MENTIONS = record(
    {},
    {
        "parse": many(one_of("roles", "users", "everyone"), distinct=True),
        "users": many(snowflake, 0, 100, distinct=True),
        "roles": many(snowflake, 0, 100, distinct=True),
        "replied_user": truth,
    },
    _parse_excludes,
)
KEPT = ("content_type", "size", "url", "proxy_url", "width", "height", "ephemeral", "spoiler")
ATTACHMENT = record(
    {"id": snowflake},
    {
        "filename": text(1, 1024),
        "description": text(0, 1024),
        "title": text(0, 1024),
        "is_spoiler": truth,
        **dict.fromkeys(KEPT, anything),  # of one that stood in the message before
    },
)


def _flags(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    odd = (message.get("flags") or 0) & ~SETTABLE
    if odd:
        yield Violation(at(path, "flags"), "FLAGS_REFUSED", f"Flags {odd} are not ours to set")


def _layout(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Either text, embeds and rows, or Components V2 with nothing beside them."""
    components = message.get("components") or ()
    here = at(path, "components")
    yield from duplicated_ids(components, here)
    if (message.get("flags") or 0) & COMPONENTS_V2:
        for key in ("content", "embeds", "poll"):
            if message.get(key):
                code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
                words = f"The '{key}' field cannot be used with IS_COMPONENTS_V2"
                yield Violation(at(path, key), code, words)
        yield from _v2_totals(components, here)
        return
    if len(components) > ROWS:
        yield Violation(here, "BASE_TYPE_MAX_LENGTH", f"Must be {ROWS} or fewer in length")
    for index, part in enumerate(components):
        if part["type"] != ROW:
            words = f'Value of field "type" must be one of ({ROW},)'
            yield Violation(at(at(here, index), "type"), "UNION_TYPE_CHOICES", words)


def _v2_totals(components: Sequence[Mapping[str, Any]], here: str) -> Iterator[Violation]:
    placed = [part for _, part in every(components, here)]
    if len(placed) > COMPONENTS_IN_ALL:
        words = f"{len(placed)} components in all, where {COMPONENTS_IN_ALL} may be"
        yield Violation(here, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", words)
    shown = sum(len(part["content"]) for part in placed if part["type"] == TEXT)
    if shown > LONGEST_TEXT:
        words = f"{shown} characters of text in all, where {LONGEST_TEXT} may be"
        yield Violation(here, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", words)


def _listed_once(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """No two attachments of one id."""
    here = at(path, "attachments")
    yield from repeated(
        (
            (at(at(here, index), "id"), str(part["id"]))
            for index, part in enumerate(message.get("attachments") or ())
        ),
        "SET_TYPE_ALREADY_CONTAINS_VALUE",
        "The set already contains this value",
    )


def _missing_files(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """A picture that an embed of a new message shows is among its attachments."""
    names = {part.get("filename") for part in message.get("attachments") or ()}
    for here, name in attached_pictures(message.get("embeds") or (), at(path, "embeds")):
        if name not in names:
            words = f"No attachment is called {name}"
            yield Violation(here, "ATTACHMENT_ABSENT_REFUSED", words)


PARTS: dict[str, Check] = {
    "content": text(0, 2000),
    "embeds": many(EMBED, 0, 10),
    "components": MESSAGE_COMPONENTS,
    "attachments": many(ATTACHMENT, 0, 10),
    "allowed_mentions": MENTIONS,
    "flags": whole(0, 2**53),
    "tts": truth,
    "poll": anything,
}
RULES = (embeds_in_all, only_pictures, _flags, _layout, _listed_once)
MESSAGE = record({}, PARTS, *RULES)
REFERENCE = record(
    {"message_id": snowflake},
    {
        "channel_id": snowflake,
        "guild_id": snowflake,
        "fail_if_not_exists": truth,
        "type": one_of(0, 1),
    },
)


def _nonce(value: object, path: str) -> Iterator[Violation]:
    """Digits or other text of up to 25 characters."""
    yield from text(1, 25)(str(value) if isinstance(value, int) else value, path)


def _seen_by_all(message: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Only an interaction can be answered for one person alone."""
    if (message.get("flags") or 0) & EPHEMERAL:
        yield Violation(at(path, "flags"), "FLAGS_REFUSED", "A channel's message is for everybody")


POSTED = record(
    {},
    {**PARTS, "message_reference": REFERENCE, "nonce": _nonce, "enforce_nonce": truth},
    *RULES,
    _seen_by_all,
)


def _empty(message: Mapping[str, Any], *, partial: bool) -> bool:
    """Nothing to show; an edit is so only where it takes all that could show away."""
    if partial and not {"content", "embeds", "components"} <= set(message):
        return False
    shown = ("embeds", "components", "attachments", "poll")
    return not (message.get("content") or "").strip() and not any(map(message.get, shown))


def check_message(
    data: Mapping[str, Any], *, partial: bool = False, path: str = ""
) -> list[Violation]:
    """What Discord would refuse of a message; `partial`: an edit, where absent means unchanged.

    `path` is what stands before the paths: `data` within a callback.
    """
    found = list(MESSAGE(data, path))
    if found:
        return found
    if _empty(data, partial=partial):
        return [Violation(path, EMPTY_MESSAGE, "Cannot send an empty message")]
    return [] if partial else list(_missing_files(data, path))


def check_posted(data: Mapping[str, Any]) -> list[Violation]:
    """What Discord would refuse of a message that is posted in a channel."""
    found = list(POSTED(data, ""))
    if not found and _empty(data, partial=False):
        return [Violation("", EMPTY_MESSAGE, "Cannot send an empty message")]
    return found or list(_missing_files(data, ""))
