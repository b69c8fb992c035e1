"""The estimator's words in another language: every one that an answer or an error holds."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.ask import open_desk
from bot.phrasebook import Phrasebook
from bot.reading.facts import NotUnderstoodError
from estimator import EstimatorError, answer
from tests.locales.estimator_texts import texts

ROWS = Path(__file__).parents[1] / "accuracy" / "own_queries.jsonl"
TOLD = re.compile(r"⟦[^⟦⟧]*⟧")  # the innermost, time and again
ASIDE = re.compile(
    r"`[^`]*`|(?:; )?\(base \+ trainable.*$"
)  # fields, and a rule typed as a formula
WORD = re.compile(r"[a-z]{3,}")
DESK = open_desk()
BOOK = Phrasebook({text: f"⟦{text}⟧" for text in texts()})


def said_of(text: str) -> Iterator[str]:
    """What the estimator says to one question."""
    try:
        reading = DESK.reader.read(text)
        if reading.tables:
            return
        found = answer(reading.request, DESK.catalog)
    except NotUnderstoodError:
        return
    except EstimatorError as error:
        yield error.message
        return
    yield from (one.why for one in found.assumed)
    yield from found.warnings
    yield from (one.note for one in found.opinions)


def test_a_phrase_is_found_with_what_fills_it() -> None:
    book = Phrasebook({"{gap} less than {cards}": "{cards}: {gap} zu wenig", "one card": "1 Karte"})
    assert book.phrased("2 GiB less than one card") == "1 Karte: 2 GiB zu wenig"
    assert book.phrased("one card") == "1 Karte"
    assert book.phrased("two cards") == "two cards"


def test_the_phrase_with_the_most_words_is_meant() -> None:
    book = Phrasebook({"{a} of {b}": "{b}/{a}", "{a} of the model": "Modell: {a}"})
    assert book.phrased("8 GiB of the model") == "Modell: 8 GiB"


def test_sentences_are_found_one_by_one() -> None:
    book = Phrasebook({"It does not fit.": "Passt nicht.", "Take {n} cards.": "Nimm {n} Karten."})
    assert book.phrased("It does not fit. Take 2 cards.") == "Passt nicht. Nimm 2 Karten."
    assert book.phrased("It does not fit. Really.") == "Passt nicht. Really."


@pytest.mark.parametrize("text", list(texts()))
def test_each_text_is_itself_with_names_filled_in(text: str) -> None:
    assert BOOK.found(text.replace("{{", "{").replace("}}", "}")) is not None


def test_nothing_that_is_said_to_our_questions_stays_english() -> None:
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    said = {one for row in rows for one in said_of(row["text"]) if one}
    assert len(said) > 100
    left = {one: untold(BOOK.phrased(one)) for one in said}
    assert {one: rest for one, rest in left.items() if WORD.search(rest)} == {}


def untold(text: str) -> str:
    """What no phrase has told."""
    inner = TOLD.sub("", text)
    return ASIDE.sub("", text) if inner == text else untold(inner)
