"""Cards in several machines, in every order of saying it; pairs and products of cards."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog
from tests.examples import examples

READER = Reader(load_locale(), load_catalog())
SHAPES = (
    "{n} nodes of {c}",
    "{n} nodes with {c} each",
    "{n} machines, {c} in each",
    "{n} servers, each with {c}",
    "{n} nodes, {c} per node",
    "{n} boxes of {c}",
    "{c} per node, {n} nodes",
    "{c} on each node, {n} nodes",
    "{n} nodes {c} each",
    "{n} nodes x {c}",
)
CARDS = ("{k}xH100", "{k} H100s", "{k}x H100 80GB", "{k} NVIDIA H100s")


@settings(max_examples=examples(400), deadline=None, derandomize=True)
@given(st.sampled_from(SHAPES), st.sampled_from(CARDS), st.integers(1, 32), st.integers(1, 16))
def test_cards_of_each_machine_are_counted(shape: str, card: str, nodes: int, cards: int) -> None:
    words = shape.format(n=nodes, c=card.format(k=cards))
    reading = READER.read(f"train 7B lora {words}")
    assert reading.fields["gpus"] == [{"id": "h100-sxm5-80gb", "count": nodes * cards}]
    assert any("cards in all" in note for note in reading.notes) == (nodes > 1)
    assert READER.read(reading.line).request == reading.request


@pytest.mark.parametrize("words", ["2 nodes with 8 gpus each", "2 nodes, 8 gpus per node"])
def test_a_number_of_cards_in_each(words: str) -> None:
    assert READER.read(f"train 7B lora {words}").fields["world"] == 16


@pytest.mark.parametrize("words", ["16 H100 on 2 nodes", "16x H100 across 4 machines"])
def test_cards_spread_over_machines_are_all_there_are(words: str) -> None:
    fields = READER.read(f"train 7B lora {words}").fields
    assert fields["gpus"] == [{"id": "h100-sxm5-80gb", "count": 16}]


def test_where_it_may_be_either_it_is_asked() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B lora 8xH100, 2 nodes")
    assert caught.value.code == "ambiguous"
    counts = [READER.read(line).fields["gpus"][0]["count"] for line in caught.value.lines]
    assert counts == [8, 16]


def test_machines_of_nothing_are_asked_about() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B lora 2 nodes")
    assert "how many cards in each" in caught.value.message


@pytest.mark.parametrize(
    ("words", "card", "count"),
    [
        ("2x8 A100 80GB", "a100-sxm4-80gb", 16),
        ("2x8xH100", "h100-sxm5-80gb", 16),
        ("a pair of 4090", "rtx-4090", 2),
        ("a couple of 3090s", "rtx-3090", 2),
        ("half a dozen 3090s", "rtx-3090", 6),
        ("one machine with 8 H100s", "h100-sxm5-80gb", 8),
        ("2x 24GB 3090", "rtx-3090", 2),
    ],
)
def test_products_and_pairs(words: str, card: str, count: int) -> None:
    assert READER.read(f"train 7B lora {words}").fields["gpus"] == [{"id": card, "count": count}]


@pytest.mark.parametrize(
    "words", ["on 5 gb", "on my 5gb gpu", "with 5gb vram", "on a 7gb card", "i have 7 GB"]
)
def test_a_size_that_is_a_card_s_and_that_none_has_is_refused(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"can I run 7b q4 {words}")
    assert "No common card" in caught.value.message
    assert "infer 7B Q4_K_M 8GB" in caught.value.lines
