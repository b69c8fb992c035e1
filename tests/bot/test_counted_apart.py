"""What is mine of more, sums of parts, and numbers as code and other languages write them."""

from typing import Any

import pytest

from bot.ask import Replied, Tabled, open_desk

DESK = open_desk()
CARD = "rtx-3090"


def cards(count: int, name: str = CARD) -> dict[str, Any]:
    return {"gpus": [{"id": name, "count": count}]}


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("infer 8B q4 with 2 of my 4 3090s", cards(2)),
        ("infer 8B q4 on one of my two 3090s", cards(1)),
        ("infer 8B q4 2 out of 8 h100", cards(2, "h100-sxm5-80gb")),
        ("infer 32B q4 total 48 GB over 2 cards", cards(2, "class-24gb")),
        ("infer 70B q4 96 GB total 4 gpus", cards(4, "class-24gb")),
        ("infer 70B q4 48GB (2x24GB)", cards(2, "class-24gb")),
        ("train 7B lora batch size 16 (4 per gpu)", {"batch": 4}),
        ("infer 8B q4 ctx 8kb", {"context": 8192}),
        ("infer 8B q4 ctx 2**15", {"context": 32768}),
        ("infer 8B q4 ctx 32*1024", {"context": 32768}),
        ("обучить 7B lora seq 8 192", {"seq": 8192}),
        ("entraîner 7B lora lot 1 024", {"batch": 1024}),
        ("qwen2.5 vl 7b lora 4 images 1280x720", {"images": 4}),
        ("12 GB of my 24 GB are in use, infer 8B q4", {"in_use_bytes": 12 * 2**30}),
    ],
)
def test_each_number_is_of_what_it_counts(line: str, fields: dict[str, Any]) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert fields.items() <= dict(found.fields).items()


def test_a_size_of_a_screen_is_no_context() -> None:
    found = DESK.ask("infer 8b q4 4k monitor on 3060")
    assert isinstance(found, Replied)
    assert "context" not in found.fields


@pytest.mark.parametrize("ways", ["lora or full", "lora vs qlora", "train lora or full"])
def test_tables_of_several_ways_are_answered(ways: str) -> None:
    assert isinstance(DESK.ask(f"fit 24GB {ways}"), Tabled)
