"""Programs that hold memory of the card are not asked about."""

from typing import Any

import pytest

from bot.ask import Replied, open_desk
from estimator import GIB

DESK = open_desk()


def answered(line: str) -> dict[str, Any]:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    return dict(found.fields)


@pytest.mark.parametrize(
    ("line", "engine", "gib"),
    [
        ("infer 7B vllm on a 4090, two llama-servers are taking 9 GB", "vllm", 9),
        ("infer 8B q4, 3090, ollama is already using 6gb", None, 6),
        ("infer 8B q4 next to sdxl using 8gb on a 4090", None, 8),
        ("infer 7B vllm 4090, 5 GB taken by another ollama", "vllm", 5),
    ],
)
def test_what_they_hold_is_in_use(line: str, engine: str | None, gib: int) -> None:
    fields = answered(line)
    assert (fields.get("engine"), fields["in_use_bytes"]) == (engine, gib * GIB)
    assert [card["count"] for card in fields["gpus"]] == [1]


@pytest.mark.parametrize(
    "line", ["infer 7B, does vllm take 20 GB", "2 vllm servers using 24gb cards, 7B"]
)
def test_the_program_that_is_asked_about_holds_nothing(line: str) -> None:
    assert "in_use_bytes" not in answered(line)


def test_unified_memory_is_a_cards() -> None:
    assert answered("infer 7B with 128GB of unified memory")["gpus"][0]["id"] == "class-128gb"
    assert answered("infer 7B, m4 max 128GB unified memory")["gpus"][0]["id"].startswith("apple-m4")
