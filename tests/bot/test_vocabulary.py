"""The vocabulary: the longest phrase wins, and every word of the interface has one."""

import pytest

from bot.locale import load_locale
from bot.reading.atoms import atoms_of
from bot.reading.facts import Said
from bot.reading.line import Line
from bot.reading.read import Reader
from bot.reading.recalling import Recalling
from bot.reading.vocabulary import Kind, Meaning, Vocabulary, vocabulary_of
from estimator import (
    AttentionKernel,
    Checkpointing,
    Loss,
    Master,
    Method,
    Objective,
    Offload,
    Reference,
    Strategy,
    load_catalog,
)

CATALOG = load_catalog()
LOCALE = load_locale()
VOCABULARY = vocabulary_of(LOCALE, CATALOG)
READER = Reader(LOCALE, CATALOG)
CLOSED = {
    "method": Method,
    "checkpointing": Checkpointing,
    "attention": AttentionKernel,
    "loss": Loss,
    "objective": Objective,
    "reference": Reference,
    "strategy": Strategy,
    "offload": Offload,
}


def small() -> Vocabulary:
    vocabulary = Vocabulary()
    vocabulary.add("flash", Meaning(Kind.VALUE, "attention", "flash"))
    vocabulary.add("flash attention 2", Meaning(Kind.VALUE, "attention", "flash2"))
    vocabulary.add("L4", Meaning(Kind.CARD, "gpus", "l4"))
    vocabulary.add("GB10", Meaning(Kind.CARD, "gpus", "gb10"))
    return vocabulary


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("flash", "flash"),
        ("flash attention", "flash"),
        ("Flash_Attention-2", "flash2"),
        ("flash, attention 2", "flash"),
        ("L4", "l4"),
        ("l 4", None),
        ("gb10", "gb10"),
        ("gb 10", None),
        ("other", None),
    ],
)
def test_the_longest_phrase_wins(text: str, value: str | None) -> None:
    match = small().longest(atoms_of(text), 0)
    assert (None if match is None else match.meanings[0].value) == value


def test_no_phrase_ends_inside_a_joined_name() -> None:
    text = "fused adamw_8bit"
    line = Line(list(atoms_of(text)), text, Recalling(VOCABULARY), LOCALE, Said())
    match = line.match(0)
    assert match is not None
    assert match.length == 1
    assert line.crossing(0, 2) == 1


def test_a_shorter_phrase_can_be_asked_for() -> None:
    match = small().longest(atoms_of("flash attention 2"), 0, below=3)
    assert match is not None
    assert match.length == 1


@pytest.mark.parametrize(("text", "spelt"), [("qlora", True), ("unsloth", False), ("foo", False)])
def test_what_is_spelt_by_words_that_say_something(text: str, *, spelt: bool) -> None:
    assert VOCABULARY.spells(text) is spelt


@pytest.mark.parametrize(
    ("field", "value"), [(f, str(v)) for f, values in CLOSED.items() for v in values]
)
def test_every_word_of_a_closed_set_has_natural_phrases(field: str, value: str) -> None:
    phrases = LOCALE.reading.values[field][value]
    start = "train 7B zero3" if field == "offload" else "train 7B"  # which offloads all there is
    for phrase in phrases:
        assert READER.read(f"{start}, {phrase}").fields[field] == value


@pytest.mark.parametrize("master", list(Master))
def test_every_master_is_said(master: Master) -> None:
    phrase = {"fp32": "fp32 master", "none": "pure"}[master]
    assert READER.read(f"train 7B {phrase}").fields["master"] == master


@pytest.mark.parametrize("engine", CATALOG.engines.ids)
def test_every_engine_is_said(engine: str) -> None:
    assert READER.read(f"7B {engine}").fields["engine"] == engine


@pytest.mark.parametrize("weights", CATALOG.formats.ids)
def test_every_format_is_said(weights: str) -> None:
    assert READER.read(f"infer 7B {weights}").fields["weights"] == weights


@pytest.mark.parametrize("card", [*CATALOG.gpus.ids])
def test_every_card_is_said(card: str) -> None:
    assert READER.read(f"infer 7B, 2x {card}").fields["gpus"] == [{"id": card, "count": 2}]


@pytest.mark.parametrize("word", ["vl", "no", "dense"])
def test_weak_words_are_never_a_slip(word: str) -> None:
    assert word not in VOCABULARY.words
