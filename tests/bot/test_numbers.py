"""Numbers with what they count."""

import pytest

from bot.locale import load_locale
from bot.reading.atoms import atoms_of
from bot.reading.facts import CardsSaid, Value
from bot.reading.numbers import quantity_at
from bot.reading.quantity import BadNumberError
from bot.reading.vocabulary import vocabulary_of
from estimator import load_catalog

VOCABULARY = vocabulary_of(load_locale(), load_catalog())

FACTS: dict[str, tuple[str, Value]] = {
    "7B": ("size", "7B"),
    "7 billion params": ("size", "7B"),
    "0.5b": ("size", "0.5B"),
    "350M": ("size", "350M"),
    "8x7b": ("size", "8x7B"),
    "1.5T": ("size", "1.5T"),
    "7b tokens": ("dataset", 7_000_000_000.0),
    "50M trainable": ("dataset", 50_000_000.0),
    "64 GB RAM": ("ram", 64.0),
    "8k": ("length", 8192.0),
    "10k": ("length", 10000.0),
    "128K tokens": ("length", 131072.0),
    "2048 tokens": ("length", 2048.0),
    "two thousand tokens": ("length", 2000.0),
    "8k ctx": ("context", 8192.0),
    "1M context": ("context", 1000000),
    "4 users": ("users", 4.0),
    "4 batch size": ("batch", 4.0),
    "4096 seq": ("seq", 4096.0),
    "2048 tokens ctx": ("context", 2048.0),
    "10k steps": ("ignored", 10000.0),
    "50% dropout": ("lora_dropout", 0.5),
    "20GB activations": ("rule_activation_bytes", 20_000_000_000),
    "24GB": ("gpus", CardsSaid(1, "", 24.0)),
    "3x 24 gig": ("gpus", CardsSaid(3, "", 24.0, counted=True)),
    "2x3090": ("gpus", CardsSaid(2, "rtx-3090", counted=True)),
    "two 3090s": ("gpus", CardsSaid(2, "rtx-3090", counted=True)),
    "24 3090": ("gpus", CardsSaid(24, "rtx-3090", counted=True, bare=True)),
    "3090 x2": ("gpus", CardsSaid(2, "rtx-3090", counted=True)),
    "4090 24GB": ("gpus", CardsSaid(1, "rtx-4090", 24.0)),
    "48GB a6000": ("gpus", CardsSaid(1, "rtx-a6000", 48.0)),
    "2x 24GB 3090": ("gpus", CardsSaid(2, "rtx-3090", 24.0, counted=True)),
    "20k instructions": ("dataset", 20000.0),
    "5k chat samples": ("dataset", 5000.0),
    "50k rows": ("dataset", 50000.0),
    "500 examples": ("dataset", 500.0),
    "10k alpaca conversations": ("dataset", 10000.0),
    "50k sequences": ("dataset", 50000.0),
    "16 sequences": ("users", 16.0),
    "1M records": ("dataset", 1_000_000.0),
    "1.2 million documents": ("dataset", 1_200_000.0),
    "30 tokens/s": ("speed", 30.0),
    "15 tok per sec": ("speed", 15.0),
    "16 tokens per second": ("speed", 16.0),
    "20 tps": ("speed", 20.0),
    "20 t/s": ("speed", 20.0),
    "20.5 tok/s": ("speed", 20.5),
    "5 bit": ("precision", "5bit"),
    "2.5 bits": ("precision", "2.5bit"),
    "six-bit": ("precision", "6bit"),
    "30B-A3B": ("size", "30B-A3B"),
    "30ba3b": ("size", "30B-A3B"),
    "235b a22b": ("size", "235B-A22B"),
}


@pytest.mark.parametrize(("text", "fact"), FACTS.items())
def test_what_a_quantity_says(text: str, fact: tuple[str, Value]) -> None:
    atoms = atoms_of(text)
    quantity = quantity_at(atoms, 0, VOCABULARY)
    assert quantity is not None
    assert quantity.facts == (fact,)
    assert quantity.length == len(atoms)


@pytest.mark.parametrize(
    "text",
    ["16", "4 bs=2", "4, users", "7 x", "10 A10B", "4 bs 8", "4 bs 8 ga 2", "50% 3090", "4 r 0x1"],
)
def test_a_number_without_its_word_is_plain(text: str) -> None:
    quantity = quantity_at(atoms_of(text), 0, VOCABULARY)
    assert quantity is not None
    assert quantity.plain
    assert not quantity.facts


@pytest.mark.parametrize(
    ("text", "name"),
    [("4 bs 8 ga", "batch"), ("4 users 8k ctx", "users"), ("4 bs 8bit", "batch"),
     ("1 ctx 350M", "context"), ("4 users 2x3090", "users"), ("8k ctx 4 users", "context")],
)  # fmt: skip
def test_a_number_is_of_the_key_behind_it_that_has_no_other(text: str, name: str) -> None:
    quantity = quantity_at(atoms_of(text), 0, VOCABULARY)
    assert quantity is not None
    assert quantity.facts[0][0] == name


@pytest.mark.parametrize("key", ["bs", "users", "tp", "r", "ga", "layers", "new tokens"])
def test_a_length_is_never_taken_by_a_key_with_a_number_of_its_own(key: str) -> None:
    for length in ("8k", "2048 tokens"):
        quantity = quantity_at(atoms_of(f"{length} {key} 4"), 0, VOCABULARY)
        assert quantity is not None
        assert quantity.facts[0][0] == "length"


def test_a_claimed_number_is_no_count_of_the_card_behind_it() -> None:
    free = quantity_at(atoms_of("2 80GB"), 0, VOCABULARY)
    claimed = quantity_at(atoms_of("2 80GB"), 0, VOCABULARY, keyed=False)
    assert free is not None
    assert claimed is not None
    assert free.facts
    assert not claimed.facts


@pytest.mark.parametrize("text", ["-1", "0x10", "1e309"])
def test_no_number_raises(text: str) -> None:
    with pytest.raises(BadNumberError):
        quantity_at(atoms_of(text), 0, VOCABULARY)


def test_words_that_say_something_else_stay_beside_a_data_set() -> None:
    quantity = quantity_at(atoms_of("10k training examples"), 0, VOCABULARY)
    assert quantity is not None
    assert (quantity.facts, quantity.length) == ((("dataset", 10000.0),), 2)


@pytest.mark.parametrize("text", ["4 samples", "8k ctx 500 prompts"])
def test_a_claimed_number_counts_no_samples(text: str) -> None:
    quantity = quantity_at(atoms_of(text), 0, VOCABULARY, keyed="ctx" in text)
    assert quantity is not None
    assert "dataset" not in [name for name, _ in quantity.facts]


def test_a_word_is_no_quantity() -> None:
    assert quantity_at(atoms_of("lora"), 0, VOCABULARY) is None
