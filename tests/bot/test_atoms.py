"""Atoms: separators vanish, and what stands glued, joined or apart is remembered."""

import pytest

from bot.reading.atoms import LONGEST_NUMBER, atoms_of

TEXTS = {
    "Q4_K_M": ["q", "4", "k", "m"],
    "q4 k m": ["q", "4", "k", "m"],
    "8x7b": ["8", "x", "7", "b"],
    "4xA100": ["4", "x", "a", "100"],
    "r=16": ["r", "16"],
    "2.50": ["2.5"],
    "7.0B": ["7", "b"],
    "1,024 x": ["1024", "x"],
    "1,02": ["1", "02"],
    "-1": ["-1"],
    "lora-8": ["lora", "8"],
    "fp8e4m3": ["fp", "8", "e", "4", "m", "3"],
    ".5b": [".5", "b"],
    "": [],
    "-_/.,": [],
}


@pytest.mark.parametrize(("text", "atoms"), TEXTS.items())
def test_texts_of_atoms(text: str, atoms: list[str]) -> None:
    assert [atom.text for atom in atoms_of(text)] == atoms


@pytest.mark.parametrize(
    "text", ["-1", "0x10", "1e309", "2e-4", "1e309B", "9" * (LONGEST_NUMBER + 1)]
)
def test_numbers_that_nothing_can_have(text: str) -> None:
    first = atoms_of(text)[0]
    assert first.numeric
    assert first.number is None


@pytest.mark.parametrize(("text", "number"), [("16", 16), (".5", 0.5), ("1,024,000", 1024000)])
def test_numbers(text: str, number: float) -> None:
    assert atoms_of(text)[0].number == number


def test_how_an_atom_hangs_on_the_one_before() -> None:
    glued = atoms_of("L4")[1]
    hyphen = atoms_of("l-4")[1]
    space = atoms_of("l 4")[1]
    comma = atoms_of("l,4")[1]
    equals = atoms_of("r = 4")[1]
    assert (glued.glued, glued.joined) == (True, True)
    assert (hyphen.glued, hyphen.joined) == (False, True)
    assert (space.glued, space.joined, space.apart) == (False, False, False)
    assert comma.apart
    assert equals.assigned
    assert not space.assigned


@pytest.mark.parametrize(("text", "percent"), [("50%", True), ("5 %", True), ("50 a%", False)])
def test_a_number_knows_that_it_is_in_per_cent(text: str, *, percent: bool) -> None:
    assert atoms_of(text)[0].percent is percent


def test_an_atom_knows_its_place() -> None:
    text = "train 7B, lora"
    assert [text[atom.start : atom.end] for atom in atoms_of(text)] == ["train", "7", "B", "lora"]
