"""Numbers as they are written elsewhere, and numbers that are two: read rightly, or not at all."""

from typing import Any

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())

READ: dict[str, dict[str, Any]] = {
    "train 1,5B lora": {"model": "1.5B"},
    "train 0,5b lora": {"model": "0.5B"},
    "train 13,5 B lora, bs 4": {"model": "13.5B", "batch": 4},
    "train 7,000,000,000 parameters lora": {"model": "7B"},
    "train 350,000,000 params lora": {"model": "0.35B"},
    "train 007B lora": {"model": "7B"},
    "train 7B,lora,bs 4": {"model": "7B", "batch": 4},
    "train lora r=16,7B": {"model": "7B", "rank": 16},
    "infer 8B ctx 200 000": {"context": 200_000},
    "infer 8B ctx 200_000": {"context": 200_000},
    "infer 8B ctx 200'000": {"context": 200_000},
    "infer 8B ctx 200’000": {"context": 200_000},
    "infer 8B ctx 1 000 000": {"context": 1_000_000},
    "infer 8B ctx 131,072": {"context": 131_072},
    "infer 8B ctx 2^15": {"context": 2**15},
    "infer 8B ctx 32 k": {"context": 32_768},
    "infer 8B, 16 k context window": {"context": 16_384},
    "infer 8B 32 k tokens": {"context": 32_768},
    "infer 8B 32k context 4k output": {"context": 32_768, "new_tokens": 4096},
    "infer 8B ctx 32k, 2k input, 1k output": {"prompt": 2048, "new_tokens": 1024},
    "train 7B lora 512 tokens per sample 8 samples per batch": {"seq": 512, "batch": 8},
    "train 7B lora 4 sequences per batch": {"batch": 4},
}
REFUSED = {
    "train 7² B lora": {"task": "train", "method": "lora"},
    "infer 8B ctx 131 072": {"task": "infer", "model": "8B"},
    "train 7B lora seq 2–4k": {"task": "train", "model": "7B", "method": "lora"},
    "train 7B lora seq 2k-4k": {"task": "train", "model": "7B", "method": "lora"},
    "train 7B lora bs 2-4": {"task": "train", "model": "7B", "method": "lora"},
    "train 7B lora r 8-16": {"task": "train", "model": "7B", "method": "lora"},
    "train 7B lora bs 512k tokens": {"task": "train", "model": "7B", "method": "lora"},
}
IDLE = {
    "infer 8B 100 requests per second": "100 requests per second",
    "infer 8B at 5 qps": "5 qps",
    "train 7B lora vocab 128k": "vocab 128k",
}


@pytest.mark.parametrize(("line", "expected"), READ.items())
def test_a_number_is_what_was_written(line: str, expected: dict[str, Any]) -> None:
    fields = READER.read(line).fields
    assert {name: fields.get(name) for name in expected} == expected


@pytest.mark.parametrize(("line", "understood"), REFUSED.items())
def test_what_may_be_another_number_is_in_no_line(line: str, understood: dict[str, Any]) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.understood == understood
    for offered in caught.value.lines:
        assert not {"seq", "context", "batch", "rank"} & set(READER.read(offered).fields)


@pytest.mark.parametrize(("line", "words"), IDLE.items())
def test_what_counts_something_else_is_said(line: str, words: str) -> None:
    reading = READER.read(line)
    assert not {"users", "seq", "context"} & set(reading.fields)
    assert any(f"`{words}`" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("word", "weights"),
    [("w8a8", "int8"), ("w8a16", "int8"), ("w4a8", "int4"), ("w4a4", "int4"), ("w4a16", "int4"),
     ("fp8 w8a8", "fp8")],
)  # fmt: skip
def test_weights_and_activations_in_one_word(word: str, weights: str) -> None:
    assert READER.read(f"infer 8B {word}").fields["weights"] == weights


@pytest.mark.parametrize(
    ("size", "card"),
    [("24000MB", 24), ("24576 MiB", 24), ("24564MiB", 24), ("8192MiB", 8), ("81559MiB", 80)],
)
def test_megabytes_of_a_card(size: str, card: int) -> None:
    fields = READER.read(f"infer 7B q4 {size}").fields
    assert fields["gpus"] == [{"id": f"class-{card}gb", "count": 1}]


@pytest.mark.parametrize("word", ["file", "bilion", "stage", "cabbage"])
def test_a_word_that_is_no_slip_of_another_is_not_taken_for_one(word: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train 7B {word}")
    assert "Did you mean" not in caught.value.message
