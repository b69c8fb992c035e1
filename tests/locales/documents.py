"""The files of languages as they are, flat: each text by where it stands."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from bot.languages import SPOKEN
from bot.locale import ENGLISH

OTHERS = tuple(code for code in SPOKEN if code != ENGLISH)
OF_TOPICS = ("topics", "topic_headings", "topic_asking", "topic_groups")
OWN = ("glossary", "estimator", "capital_nouns", "reading", *OF_TOPICS)

Place = tuple[str, ...]
READ = ("words",)  # tables of what is typed: as many words as a language has


@cache
def document(code: str) -> Mapping[str, Any]:
    """A language's file."""
    file = resources.files("bot").joinpath("locales", f"{code}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def texts_of(code: str) -> Mapping[Place, str]:
    """Its sentences by their places; without what reading and the estimator's words are."""
    tables = {name: part for name, part in document(code).items() if name not in OWN}
    return {place: text for place, text in _flat(tables, ()) if place[1:2] != READ}


def _flat(value: Any, place: Place) -> Iterator[tuple[Place, str]]:  # noqa: ANN401  (any shape)
    match value:
        case str():
            yield place, value
        case dict():
            for key, part in value.items():
                yield from _flat(part, (*place, key))
        case list():
            for number, part in enumerate(value):
                yield from _flat(part, (*place, str(number)))
