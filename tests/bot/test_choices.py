"""What Discord lists while a question is typed."""

import pytest

from bot.ask import Desk, open_desk
from bot.surface.choices import name_choices, understood_choices

DESK = open_desk()


def listed(typed: str, desk: Desk = DESK, task: str = "train") -> list[tuple[str, str]]:
    choices = understood_choices(typed, desk.ask(typed, {"task": task}).shown)
    return [(choice.name, choice.value) for choice in choices]


def test_the_first_says_what_was_understood_and_keeps_the_words() -> None:
    typed = "7b adam, lora please"
    assert listed(typed) == [("15.7 GiB (16.9 GB): train 7B lora adamw", typed)]


def test_what_is_wrong_is_said_and_lines_are_offered() -> None:
    first, *others = listed("mistrl lora")
    assert first == ("I do not know mistrl. Did you mean mistral?", "mistrl lora")
    assert others
    assert all(name == value for name, value in others)
    assert all("mistral" in value for _, value in others)


def test_nothing_typed_lists_examples_of_the_command() -> None:
    for task in ("train", "infer"):
        assert listed("", task=task)[0][1].startswith(task)


@pytest.mark.parametrize(
    "typed",
    [
        "7B lora " + " " * 120,
        "7B lora, " * 40,
        "x" * 4000,
        "7B " + "mistrl" * 300,
        "`" * 99,
        "@here",
    ],
)
def test_choices_are_within_the_limits_of_discord(typed: str) -> None:
    choices = listed(typed)
    assert len(choices) <= 25
    assert all(0 < len(name) <= 100 and 0 < len(value) <= 100 for name, value in choices)


def test_names_are_listed_once() -> None:
    choices = name_choices(["a", "b", "a", "", "c" * 101, *map(str, range(40))])
    assert [choice.value for choice in choices[:2]] == ["a", "b"]
    assert len(choices) == 25
