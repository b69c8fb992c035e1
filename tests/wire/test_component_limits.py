"""Components: the largest that Discord takes, and the smallest that it refuses."""

from collections.abc import Sequence

import pytest

from tests.wire.limits import check_message
from tests.wire.payloads import (
    Build,
    Payload,
    button,
    buttons,
    found,
    options,
    row,
    rows,
    select,
    shown,
    v2,
)

COMPONENT_LIMITS: Sequence[tuple[Build, int, str, str]] = [
    (lambda n: rows(*buttons(n)), 5, "components", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: row(*buttons(n)), 5, "components.0.components", "BASE_TYPE_BAD_LENGTH"),
    (
        lambda n: row(button("x" * n)),
        *(100, "components.0.components.0.custom_id", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: row(button(label="x" * n)),
        *(80, "components.0.components.0.label", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        lambda n: row({"type": 2, "style": 5, "label": "l", "url": "https://" + "x" * (n - 8)}),
        *(512, "components.0.components.0.url", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: row(select(options=options(n))),
        *(25, "components.0.components.0.options", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: row(select(placeholder="x" * n)),
        *(150, "components.0.components.0.placeholder", "BASE_TYPE_MAX_LENGTH"),
    ),
    *(
        (
            lambda n, key=key: row(select(options=[{"label": "l", "value": "v", key: "x" * n}])),
            *(100, f"components.0.components.0.options.0.{key}", code),
        )
        for key, code in (
            ("label", "BASE_TYPE_BAD_LENGTH"),
            ("value", "BASE_TYPE_BAD_LENGTH"),
            ("description", "BASE_TYPE_MAX_LENGTH"),
        )
    ),
    (
        lambda n: row(select(options=options(5), max_values=n)),
        *(5, "components.0.components.0.max_values", "NUMBER_TYPE_MAX"),
    ),
    (
        lambda n: row({"type": 5, "custom_id": "s", "max_values": n}),
        *(25, "components.0.components.0.max_values", "NUMBER_TYPE_MAX"),
    ),
    (
        lambda n: row({"type": 5, "custom_id": "s", "min_values": n, "max_values": 3}),
        *(3, "components.0.components.0.min_values", "NUMBER_TYPE_MAX"),
    ),
    (lambda n: v2(shown("x" * n)), 4000, "components.0.content", "BASE_TYPE_BAD_LENGTH"),
    (
        lambda n: v2(shown("x" * 2000), shown("x" * (n - 2000))),
        *(4000, "components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"),
    ),
    (
        lambda n: v2({"type": 17, "components": [shown()] * 20}, *[shown()] * (n - 21)),
        *(40, "components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"),
    ),
    (
        lambda n: v2({"type": 9, "components": [shown()] * n, "accessory": button()}),
        *(3, "components.0.components", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: v2({"type": 12, "items": [{"media": {"url": "https://x"}}] * n}),
        *(10, "components.0.items", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: v2(
            {"type": 12, "items": [{"media": {"url": "https://x"}, "description": "x" * n}]}
        ),
        *(1024, "components.0.items.0.description", "BASE_TYPE_MAX_LENGTH"),
    ),
    (lambda n: v2({"type": 14, "spacing": n}), 2, "components.0.spacing", "NUMBER_TYPE_MAX"),
]


@pytest.mark.parametrize(("build", "largest", "path", "code"), COMPONENT_LIMITS)
def test_components_may_be_so_large(build: Build, largest: int, path: str, code: str) -> None:
    assert found(check_message(build(largest))) == []
    assert found(check_message(build(largest + 1))) == [(path, code)]


@pytest.mark.parametrize(
    ("good", "bad", "path", "code"),
    [
        (
            *(rows(button("a"), button("b")), rows(button("a"), button("a"))),
            *("components.1.components.0.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"),
        ),
        (
            *(row(button("a")), row(button(""))),
            *("components.0.components.0.custom_id", "BASE_TYPE_REQUIRED"),
        ),
        (
            *(row(button(label="l")), row(button(label=""))),
            *("components.0.components.0.label", "BASE_TYPE_REQUIRED"),
        ),
        (
            *(row(button(style=4)), row(button(url="https://x"))),
            *("components.0.components.0.url", "BUTTON_STYLE_REFUSED"),
        ),
        (
            *(row(button(style=1)), row({"type": 2, "style": 1, "label": "l"})),
            *("components.0.components.0.custom_id", "BASE_TYPE_REQUIRED"),
        ),
        (
            row(select()),
            row(select(), button()),
            "components.0.components",
            "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
        ),
        (
            *(row(select(options=options(2))), row(select(options=options(1) * 2))),
            *(
                "components.0.components.0.options.1.value",
                "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
            ),
        ),
        (row(button()), {"components": [button()]}, "components.0.type", "UNION_TYPE_CHOICES"),
        (row(button()), {"components": [shown()]}, "components.0.type", "UNION_TYPE_CHOICES"),
        (row(button()), {"components": [{"type": 99}]}, "components.0.type", "UNION_TYPE_CHOICES"),
        (
            *(v2(shown()), v2(shown(), content="x")),
            *("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"),
        ),
    ],
)
def test_components_may_be_the_one_not_the_other(
    good: Payload, bad: Payload, path: str, code: str
) -> None:
    assert found(check_message(good)) == []
    assert found(check_message(bad)) == [(path, code)]
