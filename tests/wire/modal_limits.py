"""The limits of a modal: a title, and one to five parts that ask something."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.wire.component_limits import (
    CUSTOM_ID,
    OPTION,
    OPTION_MORE,
    ROW,
    SELECT_SHAPES,
    TEXT,
    TEXT_INPUT,
    TEXT_SHAPE,
    distinct_values,
    duplicated_ids,
    shape,
    values_agree,
)
from tests.wire.shapes import (
    Violation,
    at,
    by_type,
    many,
    record,
    text,
    truth,
    whole,
)

LABEL, UPLOAD, RADIO, CHECKBOXES, CHECKBOX = 18, 19, 21, 22, 23


def _lengths_agree(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """The shortest is no longer than the longest, and what is prefilled is no longer either."""
    most = value.get("max_length")
    if most is None:
        return
    if (value.get("min_length") or 0) > most:
        message = f"Should be less than or equal to {most}"
        yield Violation(at(path, "min_length"), "NUMBER_TYPE_MAX", message)
    if len(value.get("value") or "") > most:
        message = f"Must be {most} or fewer in length"
        yield Violation(at(path, "value"), "BASE_TYPE_MAX_LENGTH", message)


INPUT_MORE = {
    "min_length": whole(0, 4000),
    "max_length": whole(1, 4000),
    "required": truth,
    "value": text(0, 4000),
    "placeholder": text(0, 100),
}
INPUT = {"custom_id": CUSTOM_ID, "style": whole(1, 2)}
ROW_SHAPE = shape(
    ROW,
    {
        "components": many(
            by_type(
                {
                    TEXT_INPUT: shape(
                        TEXT_INPUT, {**INPUT, "label": text(1, 45)}, INPUT_MORE, _lengths_agree
                    )
                }
            ),
            1,
            1,
        )
    },
    {},
)
CHOICES = record(OPTION, OPTION_MORE)
ASKING = {
    **SELECT_SHAPES,
    TEXT_INPUT: shape(
        TEXT_INPUT, INPUT, {**INPUT_MORE, "label": text(1, 45)}, _lengths_agree
    ),  # a label of its own is of old, and goes unused
    UPLOAD: shape(
        UPLOAD,
        {"custom_id": CUSTOM_ID},
        {"min_values": whole(0, 10), "max_values": whole(1, 10), "required": truth},
        values_agree,
    ),
    RADIO: shape(
        RADIO,
        {"custom_id": CUSTOM_ID, "options": many(CHOICES, 2, 10)},
        {"required": truth},
        distinct_values,
    ),
    CHECKBOXES: shape(
        CHECKBOXES,
        {"custom_id": CUSTOM_ID, "options": many(CHOICES, 1, 10)},
        {"min_values": whole(0, 10), "max_values": whole(1, 10), "required": truth},
        distinct_values,
    ),
    CHECKBOX: shape(CHECKBOX, {"custom_id": CUSTOM_ID}, {"default": truth}),
}
LABEL_SHAPE = shape(
    LABEL, {"label": text(1, 45), "component": by_type(ASKING)}, {"description": text(0, 100)}
)


def _ids_are_unique(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
    yield from duplicated_ids(value["components"], at(path, "components"))


MODAL = record(
    {
        "custom_id": CUSTOM_ID,
        "title": text(1, 45),
        "components": many(by_type({ROW: ROW_SHAPE, TEXT: TEXT_SHAPE, LABEL: LABEL_SHAPE}), 1, 5),
    },
    {},
    _ids_are_unique,
)
