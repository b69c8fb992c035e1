"""The limits of components: what may stand in a message, and what in a modal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.shapes import (
    Check,
    Rule,
    Violation,
    at,
    by_type,
    many,
    one_of,
    record,
    repeated,
    required,
    snowflake,
    text,
    truth,
    url,
    whole,
)

Placed = tuple[str, Mapping[str, Any]]

ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER = 9, 10, 11, 12, 13, 14, 17
ENTITY_SELECTS = (5, 6, 7, 8)
LINK, PREMIUM = 5, 6
BUTTONS_IN_ROW = 5
LONGEST_TEXT = 4000
COMPONENTS_IN_ALL = 40
LARGEST = 2**31 - 1

CUSTOM_ID = text(1, 100)
EMOJI = record({}, {"id": snowflake, "name": text(1, 32), "animated": truth})
MEDIA = record({"url": url(2048, "https?", "attachment")}, {})
COLOUR = whole(0, 0xFFFFFF)


def shape(kind: int, needed: Mapping[str, Check], may: Mapping[str, Check], *rules: Rule) -> Check:
    """A component: its type and its id beside its own keys."""
    return record({"type": one_of(kind), **needed}, {"id": whole(0, LARGEST), **may}, *rules)


def _button(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """A link has an address, a premium button a product, every other a custom_id; only that."""
    own = {LINK: "url", PREMIUM: "sku_id"}.get(value["style"], "custom_id")
    if value.get(own) is None:
        yield required(at(path, own))
    for other in {"url", "sku_id", "custom_id"} - {own}:
        if value.get(other) is not None:
            message = f"A button of style {value['style']} takes no {other}"
            yield Violation(at(path, other), "BUTTON_STYLE_REFUSED", message)
    if own == "sku_id":
        return
    if not value.get("label") and not value.get("emoji"):
        yield required(at(path, "label"))


def values_agree(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """No more values asked for than there are, and no more preset than may be taken."""
    least, most = value.get("min_values"), value.get("max_values")
    least, most = 1 if least is None else least, 1 if most is None else most
    if least > most:
        message = f"Should be less than or equal to {most}"
        yield Violation(at(path, "min_values"), "NUMBER_TYPE_MAX", message)
    options = value.get("options")
    if options is None:
        return
    if most > len(options):
        message = f"Should be less than or equal to {len(options)}"
        yield Violation(at(path, "max_values"), "NUMBER_TYPE_MAX", message)
    if sum(bool(option.get("default")) for option in options) > most:
        message = f"More than {most} options are preset"
        yield Violation(at(path, "options"), "SELECT_DEFAULTS_REFUSED", message)


def distinct_values(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """No two options of one value."""
    yield from repeated(
        (
            (at(at(at(path, "options"), index), "value"), option["value"])
            for index, option in enumerate(value["options"])
        ),
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used",
    )


def _row(value: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Up to five buttons, or one select."""
    kinds = [part["type"] for part in value["components"]]
    if len(kinds) > 1 and any(kind != BUTTON for kind in kinds):
        message = "The specified component exceeds the maximum width"
        yield Violation(at(path, "components"), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", message)


OPTION = {"label": text(1, 100), "value": text(1, 100)}
OPTION_MORE = {"description": text(0, 100), "default": truth}
SELECT_MORE = {
    "placeholder": text(0, 150),
    "min_values": whole(0, 25),
    "max_values": whole(1, 25),
    "disabled": truth,
    "required": truth,
}
BUTTON_SHAPE = shape(
    BUTTON,
    {"style": whole(1, 6)},
    {
        "custom_id": CUSTOM_ID,
        "label": text(0, 80),
        "url": url(512, "https?", "discord"),
        "sku_id": snowflake,
        "emoji": EMOJI,
        "disabled": truth,
    },
    _button,
)
STRING_SELECT_SHAPE = shape(
    STRING_SELECT,
    {
        "custom_id": CUSTOM_ID,
        "options": many(record(OPTION, {**OPTION_MORE, "emoji": EMOJI}), 1, 25),
    },
    SELECT_MORE,
    values_agree,
    distinct_values,
)
DEFAULT = record({"id": snowflake, "type": one_of("user", "role", "channel")}, {})
ENTITY_SELECT_SHAPES = {
    kind: shape(
        kind,
        {"custom_id": CUSTOM_ID},
        {
            **SELECT_MORE,
            "default_values": many(DEFAULT, 0, 25),
            "channel_types": many(whole(0, 255)),
        },
        values_agree,
    )
    for kind in ENTITY_SELECTS
}
SELECT_SHAPES = {STRING_SELECT: STRING_SELECT_SHAPE, **ENTITY_SELECT_SHAPES}
ROW_SHAPE = shape(
    ROW,
    {"components": many(by_type({BUTTON: BUTTON_SHAPE, **SELECT_SHAPES}), 1, BUTTONS_IN_ROW)},
    {},
    _row,
)
TEXT_SHAPE = shape(TEXT, {"content": text(1, LONGEST_TEXT)}, {})
THUMBNAIL_SHAPE = shape(
    THUMBNAIL, {"media": MEDIA}, {"description": text(0, 1024), "spoiler": truth}
)
INNER_SHAPES = {
    ROW: ROW_SHAPE,
    TEXT: TEXT_SHAPE,
    SECTION: shape(
        SECTION,
        {
            "components": many(by_type({TEXT: TEXT_SHAPE}), 1, 3),
            "accessory": by_type({BUTTON: BUTTON_SHAPE, THUMBNAIL: THUMBNAIL_SHAPE}),
        },
        {},
    ),
    GALLERY: shape(
        GALLERY,
        {
            "items": many(
                record({"media": MEDIA}, {"description": text(0, 1024), "spoiler": truth}), 1, 10
            )
        },
        {},
    ),
    FILE: shape(FILE, {"file": record({"url": url(2048, "attachment")}, {})}, {"spoiler": truth}),
    SEPARATOR: shape(SEPARATOR, {}, {"divider": truth, "spacing": whole(1, 2)}),
}
CONTAINER_SHAPE = shape(
    CONTAINER,
    {"components": many(by_type(INNER_SHAPES), 1, COMPONENTS_IN_ALL)},
    {"accent_color": COLOUR, "spoiler": truth},
)
MESSAGE_COMPONENTS = many(by_type({**INNER_SHAPES, CONTAINER: CONTAINER_SHAPE}))


def every(components: Sequence[Mapping[str, Any]], path: str) -> Iterator[Placed]:
    """Every component with its path, those within others after the one that holds them."""
    for index, part in enumerate(components):
        here = at(path, index)
        yield here, part
        yield from every(part.get("components") or (), at(here, "components"))
        for key in ("accessory", "component"):
            if isinstance(part.get(key), Mapping):
                yield at(here, key), part[key]


def duplicated_ids(components: Sequence[Mapping[str, Any]], path: str) -> Iterator[Violation]:
    """A `custom_id` or an `id` that a component before has too."""
    placed = tuple(every(components, path))
    yield from repeated(
        (
            (at(here, "custom_id"), part["custom_id"])
            for here, part in placed
            if part.get("custom_id")
        ),
        "COMPONENT_CUSTOM_ID_DUPLICATED",
        "Component custom id cannot be duplicated",
    )
    yield from repeated(
        ((at(here, "id"), part["id"]) for here, part in placed if part.get("id")),
        "COMPONENT_ID_DUPLICATED",
        "Component id cannot be duplicated",
    )
