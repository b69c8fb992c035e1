"""Sides are called by what they alone have, with the defaults that were taken for the rest."""

import pytest

from bot.ask import Weighed, open_desk

DESK = open_desk()


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("compare lora qlora 7B", ["qlora", "lora"]),
        ("7B lora 1 vs 4 gpus", ["1 card", "4 cards"]),
        (
            "infer 70b q4 2x3090 and a 4090 vs a100 80gb",
            ["2× RTX 3090 + RTX 4090", "A100 SXM4 80 GB"],
        ),
        (
            "infer Qwen/Qwen2.5-7B-Instruct vs Qwen/Qwen2.5-7B-Instruct-AWQ",
            ["awq4", "bf16"],
        ),
        ("lora bs 4 vs qlora bs 8 vs full 7B", ["lora bs 4", "qlora bs 8", "full bs 1"]),
        (
            "qlora vs lora 7B on 3090 or 4090",
            ["qlora on RTX 3090", "qlora on RTX 4090", "lora on RTX 3090", "lora on RTX 4090"],
        ),
        ("infer 8B vllm vs sglang", ["sglang", "vllm"]),
    ],
)
def test_names_tell_the_sides_apart(line: str, names: list[str]) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Weighed), found.shown
    rows = [row.name for row in found.comparison.rows]
    assert sorted(rows) == sorted(names)
    assert len(set(rows)) == len(rows)


def test_a_refused_side_has_a_name_as_well() -> None:
    found = DESK.ask("compare awq gptq for infer 8B on v100 32gb or 3090")
    assert isinstance(found, Weighed)
    assert all(row.name for row in found.comparison.rows)
