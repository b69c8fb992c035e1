"""Words of an answer: its title, and how much is trained."""

import pytest

from bot.ask import Replied, open_desk
from bot.presenting.presentation import Presentation

DESK = open_desk()


def presented(line: str) -> Presentation:
    found = DESK.ask(line)
    assert isinstance(found, Replied), found.shown
    return found.presentation


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("train 8B lora", "Training 8B, lora"),
        ("train 8B full pretrain", "Training 8B, full"),
        ("train 8B lora dpo", "Training 8B, lora, DPO"),
        ("train 8B lora grpo", "Training 8B, lora, GRPO"),
        ("train 8B lora ppo", "Training 8B, lora, PPO"),
        ("train 8B qlora reward model", "Training 8B, qlora, reward model"),
        ("train 3B full distill from 8B", "Training 3B, full, distilled from 8B"),
        (
            "train 3B full distill from deepseek-r1-distill-llama-70b",
            "Training 3B, full, distillation",
        ),
    ],
)
def test_a_title_says_what_is_optimised(line: str, title: str) -> None:
    assert presented(line).title == title


@pytest.mark.parametrize(
    ("line", "at_a_time"),
    [
        ("train 8B freeze last 4 layers", False),
        ("train 8B badam", True),
        ("train 8B lisa", True),
    ],
)
def test_only_blocks_that_change_are_trained_at_a_time(line: str, *, at_a_time: bool) -> None:
    (counts,) = [one for one in presented(line).details if " parameters, " in one]
    assert " of them trained" in counts
    assert ("at a time" in counts) is at_a_time


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("train 8B full", "The GPU guide"),
        ("train 8B lora", "The GPU guide"),
        ("train 8B vera", "The GPU guide, were every weight trained"),
        ("train 8B badam", "The GPU guide, were every weight trained at once"),
        ("train 3B full distill from 8B", "To run it, 16-bit, student alone"),
        ("train 8B full dpo", "Full, 16 bytes a parameter, policy alone"),
    ],
)
def test_a_rule_about_another_run_says_so_in_its_name(line: str, name: str) -> None:
    assert name in [one.label for one in presented(line).opinions]
