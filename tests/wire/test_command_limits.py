"""Commands: the largest that Discord takes, and the smallest that it refuses."""

from collections.abc import Callable, Sequence

import pytest

from tests.wire.limits import check_commands
from tests.wire.payloads import Payload, found

Commands = Sequence[Payload]
TOO_LARGE = "APPLICATION_COMMAND_TOO_LARGE"
NAME_INVALID = "APPLICATION_COMMAND_INVALID_NAME"


def command(*options: Payload, **parts: object) -> Payload:
    return {"name": "vram", "description": "d", "options": list(options), **parts}


def option(kind: int = 3, name: str = "o", **parts: object) -> Payload:
    return {"type": kind, "name": name, "description": "d", **parts}


def choice(**parts: object) -> Payload:
    return {"name": "n", "value": "v", **parts}


def holding(kind: int, *options: Payload, name: str = "h") -> Payload:
    return option(kind, name, options=list(options))


def several(count: int, kind: int = 3, **parts: object) -> list[Payload]:
    return [option(kind, f"o{n}", **parts) for n in range(count)]


def named(count: int, **parts: object) -> Commands:
    return [{**command(), "name": f"c{n}", **parts} for n in range(count)]


def menus(count: int, kind: int) -> Commands:
    return [{"type": kind, "name": f"Menu {n}"} for n in range(count)]


def large(count: int) -> Payload:
    """A command of so many characters in all, in four options of up to 25 choices."""
    full, rest = divmod(count - len("vramd") - 4 * len("ad"), 100)
    sizes = (*[100] * full, rest)
    choices = [choice(name=f"{n:02}", value="x" * (size - 2)) for n, size in enumerate(sizes)]
    names = enumerate("abcd")
    return command(*(option(name=a, choices=choices[25 * n : 25 * (n + 1)]) for n, a in names))


LIMITS: Sequence[tuple[Callable[[int], Commands], int, str, str]] = [
    (lambda n: [command(name="x" * n)], 32, "0.name", "BASE_TYPE_BAD_LENGTH"),
    (lambda n: [command(description="x" * n)], 100, "0.description", "BASE_TYPE_BAD_LENGTH"),
    (
        lambda n: [command(name_localizations={"de": "x" * n})],
        *(32, "0.name_localizations.de", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: [command(description_localizations={"de": "x" * n})],
        *(100, "0.description_localizations.de", "BASE_TYPE_BAD_LENGTH"),
    ),
    (lambda n: [command(*several(n))], 25, "0.options", "BASE_TYPE_MAX_LENGTH"),
    (lambda n: [command(*several(n, 1))], 25, "0.options", "BASE_TYPE_MAX_LENGTH"),
    (
        lambda n: [command(holding(1, *several(n)))],
        *(25, "0.options.0.options", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        lambda n: [command(holding(2, *several(n, 1)))],
        *(25, "0.options.0.options", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: [command(option(choices=[choice(name=str(i)) for i in range(n)]))],
        *(25, "0.options.0.choices", "BASE_TYPE_MAX_LENGTH"),
    ),
    (
        lambda n: [command(option(choices=[choice(name="x" * n)]))],
        *(100, "0.options.0.choices.0.name", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: [command(option(choices=[choice(value="x" * n)]))],
        *(100, "0.options.0.choices.0.value", "BASE_TYPE_BAD_LENGTH"),
    ),
    (
        lambda n: [command(option(4, choices=[choice(value=n)]))],
        *(2**53 - 1, "0.options.0.choices.0.value", "NUMBER_TYPE_MAX"),
    ),
    (
        lambda n: [command(option(10, max_value=n))],
        2**53,
        "0.options.0.max_value",
        "NUMBER_TYPE_MAX",
    ),
    *(
        (
            lambda n, key=key: [command(option(**{key: n}))],
            *(6000, f"0.options.0.{key}", "NUMBER_TYPE_MAX"),
        )
        for key in ("min_length", "max_length")
    ),
    (
        lambda n: [command(option(min_length=n, max_length=9))],
        *(9, "0.options.0.min_length", "NUMBER_TYPE_MAX"),
    ),
    (
        lambda n: [command(option(4, min_value=n, max_value=9))],
        *(9, "0.options.0.min_value", "NUMBER_TYPE_MAX"),
    ),
    (lambda n: [large(n)], 8000, "0", TOO_LARGE),
    (named, 100, "", "30032"),
    (lambda n: menus(n, 2), 15, "", "30032"),
    (lambda n: menus(n, 3), 15, "", "30032"),
]


@pytest.mark.parametrize(("build", "largest", "path", "code"), LIMITS)
def test_commands_may_be_so_large(
    build: Callable[[int], Commands], largest: int, path: str, code: str
) -> None:
    assert found(check_commands(build(largest))) == []
    assert found(check_commands(build(largest + 1))) == [(path, code)]


@pytest.mark.parametrize(
    ("good", "bad", "path", "code"),
    [
        (command(name="vrâm"), command(name="Vram"), "0.name", NAME_INVALID),
        (command(name="it's-a_name"), command(name="a b"), "0.name", NAME_INVALID),
        (command(name="मेमोरी"), command(name="a.b"), "0.name", NAME_INVALID),
        (command(name="memória"), command(name=""), "0.name", "BASE_TYPE_REQUIRED"),
        (command(), {"name": "vram"}, "0.description", "BASE_TYPE_REQUIRED"),
        (command(), command(descripton="x"), "0.descripton", "UNKNOWN_KEY_REFUSED"),
        (
            *(command(name_localizations={"de": "x"}), command(name_localizations={"xx": "x"})),
            *("0.name_localizations.xx", "UNKNOWN_KEY_REFUSED"),
        ),
        (
            *(command(option(required=True), option(name="p")),),
            *(command(option(), option(name="p", required=True)),),
            *("0.options.1", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"),
        ),
        (
            *(command(option(autocomplete=True, choices=[])),),
            *(command(option(autocomplete=True, choices=[choice()])),),
            *("0.options.0.choices", "AUTOCOMPLETE_WITH_CHOICES"),
        ),
        (
            *(command(option(choices=[choice(), choice(name="m")])),),
            *(command(option(choices=[choice(), choice()])),),
            *(
                "0.options.0.choices.1.name",
                "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS",
            ),
        ),
        (
            *(
                command(option(4, choices=[choice(value=1)])),
                command(option(4, choices=[choice()])),
            ),
            *("0.options.0.choices.0.value", "NUMBER_TYPE_COERCE"),
        ),
        (
            *(command(option(min_length=1)), command(option(4, min_length=1))),
            *("0.options.0.min_length", "UNKNOWN_KEY_REFUSED"),
        ),
        (
            *(command(option(), option(name="p")), command(option(), option())),
            *("0.options.1.name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"),
        ),
        (
            *(command(holding(2, holding(1, option()))), command(holding(2, holding(2, option())))),
            *("0.options.0.options.0.type", "UNION_TYPE_CHOICES"),
        ),
        (
            *(command(holding(1, option())), command(holding(1, holding(1)))),
            *("0.options.0.options.0.type", "UNION_TYPE_CHOICES"),
        ),
        (
            *(command(holding(1), holding(2, holding(1), name="g")),),
            *(command(holding(1), option()),),
            *("0.options", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"),
        ),
        (
            command(holding(2, holding(1))),
            command(holding(2)),
            "0.options.0.options",
            "BASE_TYPE_REQUIRED",
        ),
        (command(contexts=[0, 1, 2]), command(contexts=[3]), "0.contexts.0", "BASE_TYPE_CHOICES"),
        (
            *(command(default_member_permissions="8"), command(default_member_permissions="x")),
            *("0.default_member_permissions", "NUMBER_TYPE_COERCE"),
        ),
        (command(contexts=[1]), command(contexts=[]), "0.contexts", "BASE_TYPE_REQUIRED"),
        (
            *(command(integration_types=[0, 1]), command(integration_types=[1, 1])),
            *("0.integration_types.1", "SET_TYPE_ALREADY_CONTAINS_VALUE"),
        ),
        (
            *({"type": 3, "name": "Estimate VRAM"},),
            *({"type": 3, "name": "Estimate VRAM", "description": "d"},),
            *("0.description", "BASE_TYPE_MAX_LENGTH"),
        ),
    ],
)
def test_a_command_may_be_the_one_not_the_other(
    good: Payload, bad: Payload, path: str, code: str
) -> None:
    assert found(check_commands([good])) == []
    assert found(check_commands([bad])) == [(path, code)]


def test_the_longest_localisation_of_each_field_counts() -> None:
    fits = large(8000 - 9)
    assert (
        check_commands([{**fits, "description_localizations": {"de": "x" * 10, "fr": "x"}}]) == []
    )
    over = {**fits, "description_localizations": {"de": "x" * 11, "fr": "x"}}
    assert found(check_commands([over])) == [("0", TOO_LARGE)]


def test_names_are_unique_within_a_type() -> None:
    menu = {"type": 3, "name": "vram"}
    assert check_commands([command(), menu]) == []
    violations = check_commands([command(), menu, menu])
    assert found(violations) == [("2.name", "APPLICATION_COMMANDS_DUPLICATE_NAME")]
