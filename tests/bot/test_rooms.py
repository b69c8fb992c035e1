"""Memory that is free or in use is no card; a span of sizes is none either."""

from itertools import product

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import GIB, load_catalog

READER = Reader(load_locale(), load_catalog())
SHAPES = (
    "with {part} free of {whole}",
    "{part} of {whole}",
    "{part} out of my {whole}",
    "{part} of {whole} free",
    "{whole} with {part} free",
    "{whole}, {part} left",
    "{whole} gpu with {part} left",
    "{whole}, {part} of it free",
    "{part} used of {whole}",
    "{whole}, {part} in use",
    "{whole} but {part} is already used",
    "{whole} and {part} of vram available",
    "{whole} total, {part} available",
    "{whole}; {part} still free",
    "free vram: {part}, {whole} card",
    "available {part} of {whole}",
    "{whole}, only {part} usable",
    "{whole} (2gb used, {part} free)",
)
PARTS = ("6gb", "6 GB", "10gb", "5.5 GB")
WHOLES = {
    "12gb": "class-12gb",
    "24 GB": "class-24gb",
    "3090": "rtx-3090",
    "4090 24gb": "rtx-4090",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("part", "whole"), list(product(PARTS, WHOLES)))
def test_the_whole_card_is_taken_and_the_part_is_said(shape: str, part: str, whole: str) -> None:
    reading = READER.read("infer 7B q4 " + shape.format(part=part, whole=whole))
    assert reading.fields["gpus"] == [{"id": WHOLES[whole], "count": 1}]
    assert reading.fields["in_use_bytes"] > 0
    again = READER.read(reading.line)
    assert again.request == reading.request
    assert not again.notes


@pytest.mark.parametrize("words", ["6/8gb free", "6gb/8gb used", "6 of 8gb", "6 of my 8 GB free"])
def test_a_part_behind_a_slash_or_without_its_unit(words: str) -> None:
    reading = READER.read(f"infer 7B q4 {words}")
    assert reading.fields["gpus"] == [{"id": "class-8gb", "count": 1}]
    assert reading.fields["in_use_bytes"] > 0


@pytest.mark.parametrize("words", ["24gb available", "with 24 GB free", "24gb of vram left"])
def test_what_is_available_is_the_card_where_no_other_is_named(words: str) -> None:
    reading = READER.read(f"infer 7B q4 {words}")
    assert reading.fields["gpus"] == [{"id": "class-24gb", "count": 1}]
    assert any("Taken for a card" in note for note in reading.notes)


@pytest.mark.parametrize("words", ["12gb used", "12gb used, 12gb free"])
def test_what_is_in_use_is_no_card(words: str) -> None:
    reading = READER.read(f"infer 7B q4 {words}")
    assert "gpus" not in reading.fields
    assert reading.fields["in_use_bytes"] == 12 * GIB


@pytest.mark.parametrize("words", ["a used 3090", "a used 24gb 3090", "a free 3090"])
def test_a_used_card_is_a_card(words: str) -> None:
    fields = READER.read(f"will 7B q4 go on {words}").fields
    assert fields["gpus"] == [{"id": "rtx-3090", "count": 1}]


@pytest.mark.parametrize(
    "words",
    ["between 8gb and 12gb", "8gb to 12gb", "8 to 12gb", "8-12gb", "8gb-12gb", "8gb – 12 GB",
     "something from 8gb to 12 GB"],
)  # fmt: skip
def test_a_span_of_sizes_is_asked_back(words: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer 7B q4 {words}")
    assert caught.value.code == "ambiguous"
    assert {"infer 7B Q4_K_M 8GB", "infer 7B Q4_K_M 12GB"} <= set(caught.value.lines)


@pytest.mark.parametrize(
    "words",
    ["8gb vram 16gb shared", "8gb, 64gb swap", "8gb and 512gb ssd", "an 8gb gpu and 32 gb memory"],
)
def test_memory_that_is_no_card_s_counts_no_card(words: str) -> None:
    reading = READER.read(f"infer 7B q4 {words}")
    assert reading.fields["gpus"] == [{"id": "class-8gb", "count": 1}]
    assert reading.host is not None or any("without effect" in n for n in reading.notes)
