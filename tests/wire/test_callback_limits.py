"""Answers to interactions: which kind answers which, and what each may hold."""

from collections.abc import Mapping, Sequence

import pytest

from tests.wire.limits import check_callback
from tests.wire.payloads import Build, Payload, found, options

NAMES = {"name": "n", "value": "v"}
DATA: Mapping[int, Payload | None] = {
    1: None,
    4: {"content": "x"},
    5: None,
    6: None,
    7: {"content": "x"},
    8: {"choices": []},
    9: {"custom_id": "f", "title": "t", "components": [{"type": 10, "content": "x"}]},
    10: None,
}
ASKED = {4: 2, 5: 2, 6: 3, 7: 3, 8: 4, 9: 2}
ANSWERS = {1: {1}, 2: {4, 5, 9}, 3: {4, 5, 6, 7, 9}, 4: {8}, 5: {4, 5, 6, 7}}


def choices(count: int = 1, **parts: object) -> Payload:
    return {"choices": [{**NAMES, **parts}] * count}


def label(component: Payload, **parts: object) -> Payload:
    return {"type": 18, "label": "l", "component": component, **parts}


def typed(**parts: object) -> Payload:
    return {"type": 4, "custom_id": "c", "style": 1, **parts}


def form(*components: Payload, **parts: object) -> Payload:
    return {"custom_id": "f", "title": "t", "components": list(components), **parts}


def inputs(count: int) -> list[Payload]:
    return [label(typed(custom_id=str(n))) for n in range(count)]


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("asked", ANSWERS)
def test_each_kind_answers_its_own_interactions(asked: int, kind: int) -> None:
    violations = check_callback(kind, DATA[kind], interaction_type=asked)
    if kind in ANSWERS[asked]:
        assert found(violations) == []
    else:
        assert found(violations) == [("type", "BASE_TYPE_CHOICES")]


@pytest.mark.parametrize("kind", [6, 7])
def test_a_form_that_a_command_opened_has_no_message_to_update(kind: int) -> None:
    violations = check_callback(kind, DATA[kind], interaction_type=5, from_component=False)
    assert found(violations) == [("type", "BASE_TYPE_CHOICES")]


LIMITS: Sequence[tuple[int, Build, int, str, str]] = [
    (8, choices, 25, "choices", "BASE_TYPE_MAX_LENGTH"),
    (8, lambda n: choices(name="x" * n), 100, "choices.0.name", "BASE_TYPE_BAD_LENGTH"),
    (8, lambda n: choices(value="x" * n), 100, "choices.0.value", "BASE_TYPE_BAD_LENGTH"),
    (8, lambda n: choices(value=n), 2**53, "choices.0.value", "NUMBER_TYPE_MAX"),
    (
        *(8, lambda n: choices(name_localizations={"de": "x" * n})),
        *(100, "choices.0.name_localizations.de", "BASE_TYPE_BAD_LENGTH"),
    ),
    (9, lambda n: form(*inputs(1), title="x" * n), 45, "title", "BASE_TYPE_BAD_LENGTH"),
    (9, lambda n: form(*inputs(1), custom_id="x" * n), 100, "custom_id", "BASE_TYPE_BAD_LENGTH"),
    (9, lambda n: form(*inputs(n)), 5, "components", "BASE_TYPE_BAD_LENGTH"),
    (
        *(9, lambda n: form(label(typed(), label="x" * n))),
        *(45, "components.0.label", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        *(9, lambda n: form(label(typed(), description="x" * n))),
        *(100, "components.0.description", "BASE_TYPE_MAX_LENGTH"),
    ),
    *(
        (
            *(9, lambda n, key=key: form(label(typed(**{key: "x" * n})))),
            *(most, f"components.0.component.{key}", code),
        )
        for key, most, code in (
            ("value", 4000, "BASE_TYPE_MAX_LENGTH"),
            ("placeholder", 100, "BASE_TYPE_MAX_LENGTH"),
            ("custom_id", 100, "BASE_TYPE_BAD_LENGTH"),
        )
    ),
    *(
        (
            *(9, lambda n, key=key: form(label(typed(**{key: n})))),
            *(most, f"components.0.component.{key}", "NUMBER_TYPE_MAX"),
        )
        for key, most in (("min_length", 4000), ("max_length", 4000), ("style", 2))
    ),
    (
        *(9, lambda n: form(label(typed(value="x" * n, max_length=9)))),
        *(9, "components.0.component.value", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        *(9, lambda n: form(label(typed(min_length=n, max_length=9)))),
        *(9, "components.0.component.min_length", "NUMBER_TYPE_MAX"),
    ),
    *(
        (
            *(9, lambda n, kind=kind: form(label(asked(kind, n)))),
            *(10, "components.0.component.options", "BASE_TYPE_BAD_LENGTH"),
        )
        for kind in (21, 22)
    ),
    (
        *(9, lambda n: form(label({"type": 19, "custom_id": "c", "max_values": n}))),
        *(10, "components.0.component.max_values", "NUMBER_TYPE_MAX"),
    ),
]


def asked(kind: int, count: int) -> Payload:
    return {"type": kind, "custom_id": "c", "options": options(count)}


@pytest.mark.parametrize(("kind", "build", "largest", "path", "code"), LIMITS)
def test_an_answer_may_be_so_large(
    kind: int, build: Build, largest: int, path: str, code: str
) -> None:
    assert found(check_callback(kind, build(largest), interaction_type=ASKED[kind])) == []
    violations = check_callback(kind, build(largest + 1), interaction_type=ASKED[kind])
    assert found(violations) == [(f"data.{path}", code)]


@pytest.mark.parametrize(
    ("kind", "data", "path", "code"),
    [
        (4, None, "data", "BASE_TYPE_REQUIRED"),
        (4, {}, "data", "50006"),
        (5, {"flags": 4}, "data.flags", "BASE_TYPE_CHOICES"),
        (5, {"content": "x"}, "data.content", "UNKNOWN_KEY_REFUSED"),
        (6, {"content": "x"}, "data.content", "UNKNOWN_KEY_REFUSED"),
        (8, {}, "data.choices", "BASE_TYPE_REQUIRED"),
        (8, choices(name=""), "data.choices.0.name", "BASE_TYPE_REQUIRED"),
        (8, choices(value=True), "data.choices.0.value", "NUMBER_TYPE_COERCE"),
        (
            *(8, {"choices": [NAMES, {**NAMES, "value": 1}]}),
            *("data.choices", "CHOICE_TYPES_REFUSED"),
        ),
        (9, form(), "data.components", "BASE_TYPE_REQUIRED"),
        (9, form(typed()), "data.components.0.type", "UNION_TYPE_CHOICES"),
        (
            *(9, form(*inputs(1) * 2)),
            *("data.components.1.component.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"),
        ),
        (
            *(9, form(label(asked(21, 1)))),
            *("data.components.0.component.options", "BASE_TYPE_BAD_LENGTH"),
        ),
    ],
)
def test_an_answer_may_not_be(
    kind: int,
    data: Payload | None,
    path: str,
    code: str,
) -> None:
    assert found(check_callback(kind, data, interaction_type=ASKED[kind])) == [(path, code)]


@pytest.mark.parametrize("data", [{"flags": 64}, {}])
def test_a_deferred_answer_may_be_private(data: Payload) -> None:
    assert check_callback(5, data, interaction_type=2) == []


def test_an_old_form_has_one_input_a_row() -> None:
    row = {"type": 1, "components": [typed(label="l")]}
    assert check_callback(9, form(row), interaction_type=2) == []
