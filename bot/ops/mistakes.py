"""What is wrong with a settings file, in words: one sentence a setting.

What was typed is repeated only where it is short and can be no secret.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, SecretStr, ValidationError
from rapidfuzz import fuzz, process

Sections = Mapping[str, type[BaseModel]]

NEAR = 60  # of 100: how alike two names are to be offered for one another
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
SHORT = re.compile(r"[^.]{0,20}|[^.]{0,9}\.[^.]{0,9}")  # a token is longer and has two dots
TOML_BITS = 64  # of a whole number
FORMERLY = {"shards": "shard_count"}  # settings that had another name


def mistakes(error: ValidationError, document: Mapping[str, Any], sections: Sections) -> list[str]:
    """One sentence for each setting of `document` that `error` is about."""
    found: dict[tuple[str, ...], str] = {}
    for detail in error.errors(include_url=False, include_input=False):
        where = tuple(str(part) for part in detail["loc"][:2])
        if where in found:  # a setting that may be of two kinds is told of twice
            continue
        match detail["type"], where:
            case "extra_forbidden", (name,):
                found[where] = _unknown_section(name, document[name], sections)
            case "extra_forbidden", (section, key):
                found[where] = _unknown_key(section, key, sections)
            case "value_error", (section, key):
                found[where] = f"`[{section}] {key}` {detail['ctx']['error']}."
            case _, (section, key):
                value = document[section][key]
                entry = detail["loc"][len(where)] if len(detail["loc"]) > len(where) else None
                if isinstance(value, Mapping):
                    value = value.get(entry, value)  # one entry of a table
                elif isinstance(value, list) and isinstance(entry, int):
                    value = value[entry]
                found[where] = _unfit(section, key, value, sections)
            case _:
                found[where] = (
                    f"`{where[0]}` is a section. Write `[{where[0]}]` on a line of its own, and "
                    "its settings below it."
                )
    return list(found.values())


def _unfit(section: str, key: str, value: object, sections: Sections) -> str:
    """A value of the wrong type, or out of range."""
    field = sections[section].model_fields[key]
    secret = SecretStr in getattr(field.annotation, "__args__", ())
    instead = "" if secret else f", not {_shown(value)}"
    return f"`[{section}] {key}` is {field.description}{instead}."


def _unknown_section(name: str, value: object, sections: Sections) -> str:
    if not isinstance(value, dict | list):
        hint = _elsewhere(name, sections) or "Settings stand below the name of their section."
        return f"{_named('{}', name)} stands outside a section. {hint}"
    near = _nearest(name, sections)
    hint = f"Did you mean `[{near}]`?" if near else _known(f"[{known}]" for known in sections)
    return f"I do not know the section {_named('[{}]', name)}. {hint}"


def _unknown_key(section: str, key: str, sections: Sections) -> str:
    here = sections[section].model_fields
    near = FORMERLY.get(key, "") if FORMERLY.get(key) in here else _nearest(key, here)
    hint = f"Did you mean `{near}`?" if near else _elsewhere(key, sections) or _known(here)
    return f"I do not know {_named(f'[{section}] {{}}', key)}. {hint}"


def _elsewhere(key: str, sections: Sections) -> str:
    """A question that offers the closest setting of any section."""
    homes: dict[str, str] = {}
    for name, model in sections.items():
        homes = dict.fromkeys(model.model_fields, name) | homes  # the first has it
    near = _nearest(key, homes)
    return f"Did you mean `[{homes[near]}] {near}`?" if near else ""


def _nearest(name: str, known: Iterable[str]) -> str:
    """The name most like `name`; empty where none is."""
    best = process.extractOne(name.casefold(), list(known), scorer=fuzz.ratio, score_cutoff=NEAR)
    return best[0] if best else ""


def _known(names: Iterable[str]) -> str:
    return f"What I know: {', '.join(f'`{name}`' for name in names)}."


def _named(shape: str, name: str) -> str:
    """A stranger's name in its place; one that a person would not type is not repeated."""
    if NAME.fullmatch(name):
        return f"`{shape.format(name)}`"
    return f"`{shape.format('…')}` (a name of {_length(name)})"


def _shown(value: object) -> str:
    """A value as it may stand in a message."""
    match value:
        case bool():
            return str(value).lower()
        case int() if value.bit_length() >= TOML_BITS:
            return "a number as large as this"
        case int() | float():
            return str(value)
        case str() if value.isascii() and value.isprintable() and SHORT.fullmatch(value):
            return f'"{value}"'
        case str():
            return f"a text of {_length(value)}"
        case list():
            return "a list"
        case dict():
            return "a section"
        case _:
            return "a date or a time"


def _length(text: str) -> str:
    return "1 character" if len(text) == 1 else f"{len(text)} characters"
