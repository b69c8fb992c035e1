"""Cards named in a list: naming one twice means two, whatever stands between."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog
from tests.examples import examples

READER = Reader(load_locale(), load_catalog())
CARDS = {
    "3090": "rtx-3090",
    "RTX 3090": "rtx-3090",
    "NVIDIA RTX 4090": "rtx-4090",
    "4090": "rtx-4090",
    "A100 80GB": "a100-sxm4-80gb",
    "3060 12gb": "rtx-3060-12gb",
    "7900 xtx": "rx-7900-xtx",
    "h100": "h100-sxm5-80gb",
}
SIZES = {"24gb": "class-24gb", "12 GB": "class-12gb", "16gb card": "class-16gb"}
JOINTS = (
    *(" + ", "+", ", ", ",", "; ", " and ", " and a ", ", and a ", " & ", " · ", "\n", " | "),
    *(" plus a ", " with a ", " and another ", ", another ", " and a second ", ", then a "),
    *(" along with a ", " as well as a "),
)
ONE = {
    "on my 3090, is 3090 enough": "rtx-3090",
    "3090 or 3090": "rtx-3090",
    "3090/3090": "rtx-3090",
    "3090? the 3090 has 24gb": "rtx-3090",
    "3090, flash, 3090": "rtx-3090",
    "24gb vram. does 24gb do": "class-24gb",
}


def line_of(cards: list[str], joints: list[str]) -> str:
    parts = [cards[0], *(joint + card for joint, card in zip(joints, cards[1:], strict=False))]
    return "infer 70B q6 on " + "".join(parts)


@settings(max_examples=examples(600), deadline=None, derandomize=True)
@given(
    st.one_of(
        st.lists(st.sampled_from(sorted(CARDS)), min_size=1, max_size=5),
        st.lists(st.sampled_from(sorted(SIZES)), min_size=1, max_size=5),
    ),
    st.lists(st.sampled_from(JOINTS), min_size=5, max_size=5),
)
def test_as_many_cards_as_are_named(cards: list[str], joints: list[str]) -> None:
    reading = READER.read(line_of(cards, joints))
    known = CARDS | SIZES
    found = {str(card["id"]): card["count"] for card in reading.fields["gpus"]}
    assert found == Counter(known[card] for card in cards)
    assert READER.read(reading.line).request == reading.request


@settings(max_examples=examples(300), deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(sorted(CARDS))), min_size=1, max_size=4),
    st.lists(st.sampled_from((", ", " + ", " and ", "; ", " plus ")), min_size=4, max_size=4),
)
def test_counts_of_one_card_add_up(cards: list[tuple[int, str]], joints: list[str]) -> None:
    reading = READER.read(line_of([f"{count}x {card}" for count, card in cards], joints))
    expected: Counter[str] = Counter()
    for count, card in cards:
        expected[CARDS[card]] += count
    assert {card["id"]: card["count"] for card in reading.fields["gpus"]} == expected


@pytest.mark.parametrize(("words", "card"), ONE.items())
def test_a_card_spoken_of_again_is_the_same_card(words: str, card: str) -> None:
    fields = READER.read(f"infer 70B q4 {words}, please do").fields
    assert fields["gpus"] == [{"id": card, "count": 1}]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("on my 2x 3090, is a 3090 enough", 2),
        ("will it fit a 3090? i have 2x 3090", 2),
        ("on my 3090, but i have a second 3090", 2),
        ("3090 (24gb) and 3090 (24gb), do they do", 2),
        ("gpus: [3090, 3090]", 2),
        ("gpus=3090,3090", 2),
        ("one 3090 and one 3090", 2),
        ("2x NVIDIA RTX 3090", 2),
        ("2x3090 + 3090", 3),
    ],
)
def test_how_many_of_one_card(words: str, count: int) -> None:
    assert READER.read(f"infer 70B q4 {words}").fields["gpus"] == [
        {"id": "rtx-3090", "count": count}
    ]


@pytest.mark.parametrize(
    "words", ["with 2x 3090, i could use 4x 3090", "my 2x 3090 so now 4x 3090"]
)
def test_two_counts_of_one_card_are_asked_back(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer 70B q4 {words}")
    assert "together, or one of them?" in caught.value.message


def test_another_of_which_nothing_is_named_is_said() -> None:
    (note,) = READER.read("infer 70B q4 on my 3090 and another please").notes
    assert "`another`" in note


def test_an_option_with_a_list_of_cards() -> None:
    reading = READER.read("infer 70B q4", {"gpus": "3090, 3090"})
    assert reading.line == "infer 70B Q4_K_M, 2x rtx-3090"


def test_macs_are_counted() -> None:
    assert READER.read("infer 70B q4 2x mac studio 192gb").fields["gpus"] == [
        {"id": "apple-m2-ultra-192gb", "count": 2}
    ]
