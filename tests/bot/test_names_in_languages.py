"""Names of models and cards that hold a word of another language are read there as in English."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.glossary import load_glossary, plain
from bot.reading.read import Reader
from estimator import load_catalog

CATALOG = load_catalog()
READER = Reader(load_locale("en"), CATALOG)

TRAINED = {
    "en": "I want to train the {} with lora",
    "pt-BR": "quero treinar o {} com lora",
    "es-ES": "quiero entrenar el {} con lora",
    "fr": "je veux entraîner le {} avec lora",
}
RUN = {
    "en": "can I run a 7b q4 on my {}?",
    "pt-BR": "consigo rodar um 7b q4 na minha {}?",
    "es-ES": "¿puedo correr un 7b q4 en mi {}?",
    "fr": "je peux faire tourner un 7b q4 sur ma {} ?",
}
LANGUAGES = ("pt-BR", "es-ES", "fr")


@cache
def fields_of(line: str) -> Any:  # noqa: ANN401  (fields, or the code of a refusal)
    try:
        return dict(READER.read(line).fields)
    except NotUnderstoodError as error:
        return error.code


def names_of_models() -> Iterator[str]:
    for row in CATALOG.models.rows:
        short = row.id.split("/")[-1]
        yield from (row.id, short, short.replace("-", " "), *row.aliases)


def names_of_cards() -> Iterator[str]:
    for row in CATALOG.gpus.rows:
        yield from (row.id, row.name, *row.aliases, *row.shared)


def with_words_of(code: str, names: Iterator[str]) -> list[str]:
    """Those that hold a word of the language, which are the ones that could be spoilt."""
    words = {
        word.rstrip("*") for phrase, _ in load_glossary(code).entries() for word in phrase.split()
    }
    return [
        name
        for name in dict.fromkeys(names)
        if words & {word for word in re.findall("[^\\W\\d_]+", plain(name)) if len(word) > 1}
    ]


def spoilt(code: str, names: list[str], lines: dict[str, str]) -> list[str]:
    """Those that are read otherwise than in English."""
    mine, english = lines[code], lines["en"]
    pairs = [(name, mine.format(name), english.format(name)) for name in names]
    return [name for name, one, other in pairs if fields_of(one) != fields_of(other)]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_model_is_the_same_in_another_language(code: str) -> None:
    names = with_words_of(code, names_of_models())
    assert names
    assert spoilt(code, names, TRAINED) == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_card_is_the_same_in_another_language(code: str) -> None:
    names = with_words_of(code, names_of_cards())
    assert names
    assert spoilt(code, names, RUN) == []
