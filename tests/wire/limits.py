"""Discord's limits on what a bot sends: callbacks here, messages and commands beside.

Lengths are counted in code points. Paths are those of Discord's error tree.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.command_limits import CHOICE_NAME, LOCALISED_CHOICE_NAME, check_commands
from tests.wire.message_limits import EMPTY_MESSAGE, EPHEMERAL, check_message, check_posted
from tests.wire.modal_limits import MODAL
from tests.wire.shapes import (
    Check,
    Violation,
    at,
    many,
    number,
    one_of,
    record,
    required,
    text,
)

__all__ = [
    "EMPTY_MESSAGE",
    "Violation",
    "check_callback",
    "check_commands",
    "check_message",
    "check_posted",
]

PONG, MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, SUGGESTIONS, FORM = 1, 4, 5, 6, 7, 8, 9
ALLOWED = {  # the kinds of callback for each type of interaction
    1: (PONG,),
    2: (MESSAGE, DEFERRED_MESSAGE, FORM),
    3: (MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, FORM),
    4: (SUGGESTIONS,),
    5: (MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE),
}
FROM_COMPONENT = (DEFERRED_UPDATE, UPDATE)  # they change the message that was pressed
CHOICES = 25
EXACT = 2**53


def _one_kind(data: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """The values of suggestions are all text, or all numbers: those of one option."""
    kinds = {isinstance(choice["value"], str) for choice in data["choices"]}
    if len(kinds) > 1:
        words = "Values are of more than one type"
        yield Violation(at(path, "choices"), "CHOICE_TYPES_REFUSED", words)


def _suggested(value: object, path: str) -> Iterator[Violation]:
    check = text(1, 100) if isinstance(value, str) else number(-EXACT, EXACT)
    yield from check(value, path)


CHOICE = record(
    {"name": CHOICE_NAME, "value": _suggested}, {"name_localizations": LOCALISED_CHOICE_NAME}
)
SHAPES: dict[int, Check] = {
    PONG: record({}, {}),
    DEFERRED_MESSAGE: record({}, {"flags": one_of(0, EPHEMERAL)}),
    DEFERRED_UPDATE: record({}, {}),
    SUGGESTIONS: record({"choices": many(CHOICE, 0, CHOICES)}, {}, _one_kind),
    FORM: MODAL,
}
WITHOUT_DATA = (PONG, DEFERRED_MESSAGE, DEFERRED_UPDATE)


def check_callback(
    kind: int,
    data: Mapping[str, Any] | None,
    *,
    interaction_type: int,
    from_component: bool = True,
) -> list[Violation]:
    """What Discord would refuse of an answer to an interaction.

    `from_component`: the interaction is a press, or a form that a press opened; a form that
    a command opened has no message to update.
    """
    allowed = ALLOWED.get(interaction_type, ())
    if not from_component:
        allowed = tuple(one for one in allowed if one not in FROM_COMPONENT)
    if kind not in allowed:
        words = f"Value must be one of {allowed} for an interaction of type {interaction_type}"
        return [Violation("type", "BASE_TYPE_CHOICES", words)]
    if data is None:
        return [] if kind in WITHOUT_DATA else [required("data")]
    if kind in (MESSAGE, UPDATE):
        return check_message(data, partial=kind == UPDATE, path="data")
    return list(SHAPES[kind](data, "data"))
