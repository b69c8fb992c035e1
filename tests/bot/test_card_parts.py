"""A part of a card, and cards in sets."""

from typing import Any

import pytest

from bot.ask import Refused, Replied, open_desk
from estimator import GIB

DESK = open_desk()


def answered(line: str) -> dict[str, Any]:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    return dict(found.fields)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("infer 70B q4 on two pairs of 3090", 4),
        ("infer 70B q4 on a pair of 3090s", 2),
        ("infer 70B q4, a couple 3090s", 2),
        ("infer 70B q4 on half of my 4 3090s", 2),
        ("train 7B lora on a third 3090", 1),
    ],
)
def test_cards_in_sets_are_counted(line: str, count: int) -> None:
    assert answered(line)["gpus"] == [{"id": "rtx-3090", "count": count}]


@pytest.mark.parametrize(
    ("line", "gib"),
    [
        ("infer 8B q4 on half a 4090", 12),
        ("infer 8B q4 with 75% of my 4090", 6),
        ("infer 8B q4 on a quarter of a 3090", 18),
        ("infer 8B q4, another job uses 50% of my 4090", 12),
        ("infer 8B q4 on a 4090 that is half used", 12),
    ],
)
def test_the_rest_of_a_part_is_in_use(line: str, gib: int) -> None:
    assert round(answered(line)["in_use_bytes"] / GIB) == gib


def test_a_server_is_given_its_share() -> None:
    assert answered("infer 8B vllm with 60% of an h100")["utilization"] == 0.6


@pytest.mark.parametrize("line", ["infer 8B q4 on half a gpu", "infer 8B q4 half a 4090 vs a 3090"])
def test_a_part_of_no_card_is_asked_back(line: str) -> None:
    assert isinstance(DESK.ask(line), Refused)


@pytest.mark.parametrize(
    "line", ["infer 7B half precision on a 3090", "infer 7B, half of it, 3090"]
)
def test_half_of_something_else_is_no_part(line: str) -> None:
    assert "in_use_bytes" not in answered(line)
