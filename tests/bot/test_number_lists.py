"""A number without a word is that of the number on the other side of its joint."""

import pytest

from bot.ask import Refused, Replied, Weighed, open_desk

DESK = open_desk()
NO_LISTS = (
    ("train 7B lora bs 4 8", "8"),  # no joint
    ("infer 8b 2 or 3", "2"),  # of nothing
    ("train 7B lora r=8 or", ""),
    ("train 7B 4 lora", "4"),
    ("infer 8b 4090 or 4", "4"),
)


@pytest.mark.parametrize(("line", "number"), NO_LISTS)
def test_numbers_of_nothing_are_still_asked_about(line: str, number: str) -> None:
    found = DESK.ask(line)
    if number:
        assert isinstance(found, Refused)
        assert f"`{number}`" in found.refusal.wrong
    else:
        assert isinstance(found, Replied)


@pytest.mark.parametrize(
    ("line", "sides"),
    [
        ("train 7B lora bs 1 vs 2 vs 4 vs 8", 4),
        ("train 7B lora r 8 / 16 / 32", 3),
        ("compare 7B lora seq 2k 4k 8k", 3),
        ("compare 7B lora bs 1 2 4", 3),
        ("train 7B lora 1/2/4 gpus", 3),
        ("infer 8B 1 or 10 users", 2),
        ("compare 7b lora 4 or 8 bit", 2),
        ("train 70B qlora 1, 2 or 4 h100s", 3),
        ("infer 8b one or two users", 2),
    ],
)
def test_lists_of_numbers_are_compared(line: str, sides: int) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Weighed), found.shown
    assert len(found.comparison.rows) == sides
    notes = [note for side in found.sides if isinstance(side, Replied) for note in side.notes]
    assert not any("Not read" in note for note in notes)


def test_one_side_that_is_no_number_at_all_is_refused() -> None:
    found = DESK.ask("train 7B lora bs 1 vs 0")
    assert isinstance(found, Refused)
    assert "whole number" in found.refusal.wrong or "cannot both" in found.refusal.wrong


@pytest.mark.parametrize(
    "line", ["7B lora bs 1 2 4", "7b lora r 8, 16, 32", "7B lora bs 1, 2 and 4"]
)
def test_the_command_takes_a_list_as_the_word_does(line: str) -> None:
    for found in (DESK.ask(line, {"compare": "compare"}), DESK.ask(f"compare {line}")):
        assert isinstance(found, Weighed), found.shown
        assert len(found.shown.rows) == 3


def test_formats_alone_are_compared_as_they_run() -> None:
    found = DESK.ask("4bit 8bit 13b", {"compare": "compare"})
    assert isinstance(found, Weighed)
    assert len(found.sides) == len(("4bit", "8bit"))
    assert {side.fields["task"] for side in found.sides if isinstance(side, Replied)} == {"infer"}
