"""The limits of application commands, as a bot sends them to be registered."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.wire.shapes import (
    Check,
    Rule,
    Violation,
    anything,
    at,
    by_type,
    many,
    number,
    one_of,
    record,
    repeated,
    snowflake,
    text,
    truth,
    whole,
)

CHAT_INPUT, USER, MESSAGE = 1, 2, 3
SUBCOMMAND, GROUP, STRING, INTEGER, CHANNEL, NUMBER = 1, 2, 3, 4, 7, 10
PLAIN = (5, 6, 8, 9, 11)  # options that take no more than a name, a description and `required`
MOST_OF_TYPE = {CHAT_INPUT: 100, USER: 15, MESSAGE: 15}
COMMAND_CHARACTERS = 8000
OPTIONS = 25
EXACT = 2**53
LOCALES = (
    *("id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl"),
    *("no", "pl", "pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi"),
    *("th", "zh-CN", "ja", "zh-TW", "ko"),
)


def _slash_name(value: object, path: str) -> Iterator[Violation]:
    """Letters, digits, dash, underscore, apostrophe; lower case where there is one."""
    found = list(text(1, 32)(value, path))
    yield from found
    name = str(value)
    if not found and (name != name.lower() or not all(map(_stands_in_a_name, name))):
        yield Violation(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")


def _stands_in_a_name(sign: str) -> bool:
    script = unicodedata.name(sign, "").split(" ")[0]
    return (
        sign in "-_'" or unicodedata.category(sign)[0] in "LN" or script in ("DEVANAGARI", "THAI")
    )


def _localised(words: Check) -> Check:
    """A mapping from Discord's locales to words."""
    return record({}, dict.fromkeys(LOCALES, words))


CHOICE_NAME = text(1, 100)
LOCALISED_CHOICE_NAME = _localised(CHOICE_NAME)
DESCRIPTION = text(1, 100)
LOCALISED = {
    "name_localizations": _localised(_slash_name),
    "description_localizations": _localised(DESCRIPTION),
}
NAMED = {"name": _slash_name, "description": DESCRIPTION}


def _choices(value: Check) -> Check:
    return many(
        record(
            {"name": CHOICE_NAME, "value": value},
            {"name_localizations": LOCALISED_CHOICE_NAME},
        ),
        0,
        OPTIONS,
    )


def _suggested_or_chosen(option: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Choices close a set that autocomplete opens, and no name stands for two values."""
    choices = option.get("choices") or ()
    if option.get("autocomplete") and choices:
        words = "Choices and autocomplete exclude each other"
        yield Violation(at(path, "choices"), "AUTOCOMPLETE_WITH_CHOICES", words)
    yield from repeated(
        (
            (at(at(at(path, "choices"), index), "name"), choice["name"])
            for index, choice in enumerate(choices)
        ),
        "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS",
        "Option choice names must be unique",
    )


def _least_to_most(least: str, most: str) -> Rule:
    """The lower bound does not lie above the upper one."""

    def rule(option: Mapping[str, Any], path: str) -> Iterator[Violation]:
        low, high = option.get(least), option.get(most)
        if low is not None and high is not None and low > high:
            words = f"Should be less than or equal to {high}"
            yield Violation(at(path, least), "NUMBER_TYPE_MAX", words)

    return rule


def _unique_names(holder: Mapping[str, Any], path: str) -> Iterator[Violation]:
    here = at(path, "options")
    yield from repeated(
        (
            (at(at(here, index), "name"), option["name"])
            for index, option in enumerate(holder.get("options") or ())
        ),
        "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
        "Option name already exists",
    )


def _required_first(holder: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """A required option stands before every optional one."""
    optional = False
    for index, option in enumerate(holder.get("options") or ()):
        if optional and option.get("required"):
            words = "Required options must be placed before non-required options"
            code = "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"
            yield Violation(at(at(path, "options"), index), code, words)
        optional = optional or not option.get("required")


def _option(kind: int, may: Mapping[str, Check], *rules: Rule) -> Check:
    return record({"type": one_of(kind), **NAMED}, {**LOCALISED, "required": truth, **may}, *rules)


def _counted(kind: int, value: Check) -> Check:
    """An option that takes a number."""
    may = {
        "choices": _choices(value),
        "autocomplete": truth,
        "min_value": value,
        "max_value": value,
    }
    return _option(kind, may, _suggested_or_chosen, _least_to_most("min_value", "max_value"))


VALUES: dict[int, Check] = {
    STRING: _option(
        STRING,
        {
            "choices": _choices(text(1, 100)),
            "autocomplete": truth,
            "min_length": whole(0, 6000),
            "max_length": whole(1, 6000),
        },
        _suggested_or_chosen,
        _least_to_most("min_length", "max_length"),
    ),
    INTEGER: _counted(INTEGER, whole(1 - EXACT, EXACT - 1)),
    NUMBER: _counted(NUMBER, number(-EXACT, EXACT)),
    CHANNEL: _option(CHANNEL, {"channel_types": many(whole(0, 255), distinct=True)}),
    **{kind: _option(kind, {}) for kind in PLAIN},
}
SUBCOMMAND_SHAPE = record(
    {"type": one_of(SUBCOMMAND), **NAMED},
    {**LOCALISED, "options": many(by_type(VALUES), 0, OPTIONS)},
    _unique_names,
    _required_first,
)
GROUP_SHAPE = record(
    {
        "type": one_of(GROUP),
        **NAMED,
        "options": many(by_type({SUBCOMMAND: SUBCOMMAND_SHAPE}), 1, OPTIONS),
    },
    LOCALISED,
    _unique_names,
)


def _one_kind(command: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """A command has subcommands and groups, or options, never both."""
    kinds = [option["type"] in (SUBCOMMAND, GROUP) for option in command.get("options") or ()]
    if any(kinds) and not all(kinds):
        words = "Sub-command and sub-command group option types are mutually exclusive to others"
        yield Violation(at(path, "options"), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", words)


def _not_too_large(command: Mapping[str, Any], path: str) -> Iterator[Violation]:
    size = command_characters(command)
    if size > COMMAND_CHARACTERS:
        words = f"Command exceeds maximum size ({COMMAND_CHARACTERS}): {size}"
        yield Violation(path, "APPLICATION_COMMAND_TOO_LARGE", words)


def command_characters(part: Mapping[str, Any]) -> int:
    """Names, descriptions and values, nested ones too; of each the longest localisation."""
    own = sum(
        max(map(len, (part.get(key) or "", *(part.get(f"{key}_localizations") or {}).values())))
        for key in ("name", "description")
    )
    within = (*(part.get("options") or ()), *(part.get("choices") or ()))
    return own + len(str(part.get("value", ""))) + sum(map(command_characters, within))


ANY_TYPE = {
    "id": snowflake,
    "default_member_permissions": snowflake,
    "dm_permission": truth,
    "contexts": many(one_of(0, 1, 2), 1, 3, distinct=True),
    "integration_types": many(one_of(0, 1), 1, 2, distinct=True),
    "nsfw": truth,
}
SLASH = record(
    NAMED,
    {
        "type": one_of(CHAT_INPUT),
        **LOCALISED,
        **ANY_TYPE,
        "options": many(
            by_type({**VALUES, SUBCOMMAND: SUBCOMMAND_SHAPE, GROUP: GROUP_SHAPE}), 0, OPTIONS
        ),
    },
    _unique_names,
    _one_kind,
    _required_first,
    _not_too_large,
)
MENU_NAME = text(1, 32, trimmed=True)
MENU = record(
    {"name": MENU_NAME, "type": one_of(USER, MESSAGE)},
    {
        "name_localizations": _localised(MENU_NAME),
        "description": text(0, 0),
        "options": many(anything, 0, 0),
        **ANY_TYPE,
    },
    _not_too_large,
)


def check_commands(commands: Sequence[Mapping[str, Any]]) -> list[Violation]:
    """What Discord would refuse of a list that replaces all commands."""
    shapes = by_type({CHAT_INPUT: SLASH, USER: MENU, MESSAGE: MENU})
    found = list(many(lambda one, path: shapes(_typed(one), path))(commands, ""))
    if found:
        return found
    kinds = Counter(_typed(command)["type"] for command in commands)
    for kind, count in kinds.items():
        if count > MOST_OF_TYPE[kind]:
            words = f"{count} commands of type {kind}, where {MOST_OF_TYPE[kind]} may be"
            found.append(Violation("", "30032", words))
    names = (
        (at(str(index), "name"), (_typed(command)["type"], command["name"]))
        for index, command in enumerate(commands)
    )
    words = "Application command names must be unique"
    found += repeated(names, "APPLICATION_COMMANDS_DUPLICATE_NAME", words)
    return found


def _typed(command: Any) -> Any:  # noqa: ANN401 - as it came
    """A command without a type is a slash command."""
    if isinstance(command, Mapping) and command.get("type") is None:
        return {**command, "type": CHAT_INPUT}
    return command
