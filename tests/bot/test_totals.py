"""A batch of all cards together is divided, or asked back; it is never one card's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog
from tests.examples import examples

READER = Reader(load_locale(), load_catalog())
SAID = (
    "total batch {n}",
    "total batch size of {n}",
    "{n} total batch size",
    "batch {n} total",
    "batch size {n} in total",
    "bs {n} overall",
    "batch of {n} altogether",
    "global batch size: {n}",
    "global_batch_size={n}",
    "effective batch size {n}",
    "effective bs={n}",
)
CARDS = {"8 gpus": 8, "4xH100": 4, "2x 3090": 2, "two 4090s": 2, "3090, 3090, 4090": 3}


@settings(max_examples=examples(500), deadline=None, derandomize=True)
@given(
    said=st.sampled_from(SAID),
    cards=st.sampled_from(sorted(CARDS)),
    batch=st.integers(1, 64),
    accumulation=st.one_of(st.none(), st.integers(1, 16)),
    first=st.booleans(),
)
def test_a_total_is_divided_by_cards_and_accumulation(
    said: str, cards: str, batch: int, accumulation: int | None, *, first: bool
) -> None:
    total = batch * CARDS[cards] * (accumulation or 1)
    parts = [said.format(n=total), *([f"ga {accumulation}"] if accumulation else []), cards]
    words = ", ".join(reversed(parts) if first else parts)
    reading = READER.read(f"train 7B lora, {words}")
    assert reading.fields["batch"] == batch
    assert reading.fields.get("accumulation") == accumulation
    assert any("is taken as" in note for note in reading.notes)
    again = READER.read(reading.line)
    assert again.request == reading.request
    assert not again.notes


@pytest.mark.parametrize("words", ["batch 32 across 8 gpus", "bs 32 over all 8 gpus",
                                   "batch 32 across all gpus, 8xH100"])  # fmt: skip
def test_a_batch_across_cards_is_a_total(words: str) -> None:
    assert READER.read(f"train 7B lora {words}").fields["batch"] == 4


@pytest.mark.parametrize("words", ["batch 32 on 8 gpus", "bs 32, total vram on 8 gpus",
                                   "batch 32 per gpu, 8 gpus"])  # fmt: skip
def test_a_batch_of_each_card_stays_what_it_is(words: str) -> None:
    fields = READER.read(f"how much for a 7B lora train {words}").fields
    assert fields["batch"] == 32


@pytest.mark.parametrize("said", SAID)
def test_a_total_of_what_nothing_says_is_asked_back(said: str) -> None:
    for cards in ("", ", rtx-3090"):
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(f"train 7B lora {said.format(n=32)}{cards}")
        assert caught.value.code == "ambiguous"
        assert "batch" not in caught.value.understood
        asked = [READER.read(line).fields for line in caught.value.lines]
        assert [(f["batch"], f.get("accumulation")) for f in asked] == [(32, None), (1, 32)]


@pytest.mark.parametrize(
    ("words", "batch", "accumulation"),
    [
        ("effective batch 32, bs 4", 4, 8),
        ("global batch 64, micro batch 2, 8 gpus", 2, 4),
        ("effective batch 32, bs 4, ga 8", 4, 8),
        ("total batch 8, bs 1, 8 gpus", 1, 1),
    ],
)
def test_what_one_card_takes_tells_the_accumulation(
    words: str, batch: int, accumulation: int
) -> None:
    fields = READER.read(f"train 7B lora {words}").fields
    assert (fields["batch"], fields.get("accumulation", 1)) == (batch, accumulation)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("total batch 30 on 8 gpus", "train 7B lora bs 4 world 8"),
        ("total batch 4 on 8 gpus", "train 7B lora bs 1 world 8"),
        ("effective batch 32, bs 4, ga 4", "train 7B lora bs 4 accum 4 world 2"),
        ("total batch 64, bs 5, 4 gpus", "train 7B lora bs 5 accum 3 world 4"),
    ],
)
def test_a_total_that_does_not_come_out_is_refused(words: str, line: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B lora {words}")
    assert caught.value.code == "contradiction"
    assert line in caught.value.lines


def test_in_serving_a_total_is_the_users() -> None:
    assert READER.read("infer 8B vllm total batch 32, 2x 4090").fields["users"] == 32


def test_the_option_for_a_batch_takes_the_total_s_place() -> None:
    reading = READER.read("train 7B lora total batch 32 on 8 gpus", {"batch": 2})
    assert reading.fields["batch"] == 2
    assert any("wins over `total batch 32`" in note for note in reading.notes)
