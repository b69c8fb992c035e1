"""Typing errors in other languages' words."""

import pytest

from bot.ask import Replied, open_desk
from bot.reading.facts import Said
from bot.reading.slips import mend_words

DESK = open_desk()

SLIPS = [
    ("pt-BR", "trienar um 7b", "treinar um 7b", [("trienar", "treinar")]),
    ("es-ES", "nesesito correr un 7b", "necesito correr un 7b", []),
    ("fr", "faire tounrer un 7b", "faire tourner un 7b", [("tounrer", "tourner")]),
]
LEFT = [
    ("pt-BR", "treinar o Treinor 7b"),
    ("es-ES", "entrenar modelo-x con lora"),
    ("fr", "sur org/entrainerr et sur rope"),
]


@pytest.mark.parametrize(("code", "typed", "meant", "told"), SLIPS)
def test_a_slip_is_put_right_and_told_where_it_matters(
    code: str, typed: str, meant: str, told: list[tuple[str, str]]
) -> None:
    said = Said()
    assert mend_words(typed, code, said, frozenset()) == meant
    assert said.corrections == told


@pytest.mark.parametrize(("code", "typed"), LEFT)
def test_names_and_short_words_are_left(code: str, typed: str) -> None:
    assert mend_words(typed, code, Said(), frozenset()) == typed


def test_an_english_word_is_no_slip() -> None:
    assert mend_words("atencion o attention", "es-ES", Said(), frozenset({"attention"})) == (
        "atencion o attention"
    )
    found = DESK.ask("sin gradient checkpointing ni flash attention, 7b lora, seq 2k")
    assert isinstance(found, Replied)
    assert found.notes == ()
