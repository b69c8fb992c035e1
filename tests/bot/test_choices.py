"""What Discord lists while a question is typed."""

import pytest

from bot.ask import Desk, open_desk
from bot.surface.choices import line_choices, value_choices

DESK = open_desk()


def listed(typed: str, desk: Desk = DESK, task: str = "train") -> list[tuple[str, str]]:
    choices = line_choices(typed, desk.ask(typed, {"task": task}).shown)
    return [(choice.name, choice.value) for choice in choices]


def test_the_first_says_what_was_understood_and_keeps_the_words() -> None:
    typed = "7b adam, lora please"
    assert listed(typed) == [("15.7 GiB (16.9 GB): train 7B lora adamw", typed)]


def test_what_is_wrong_is_said_and_lines_are_offered() -> None:
    first, *others = listed("mistrol lora")
    assert first == ("I do not know mistrol. Did you mean mistral?", "mistrol lora")
    assert others
    assert all(name == value for name, value in others)
    assert all("mistral" in value for _, value in others)


def test_an_unfinished_word_is_said_before_what_is_understood() -> None:
    shown = DESK.ask("7B lora", {"task": "train"}).shown
    first, second = line_choices("7B lora", shown, ["7B lora rmsprop"], "Not finished: r. So far ")
    assert first.name == "Not finished: r. So far 15.7 GiB (16.9 GB): train 7B lora"
    assert (first.value, second.value) == ("7B lora", "7B lora rmsprop")


def test_lines_alone_are_listed_where_nothing_is_understood() -> None:
    choices = line_choices("", None, ["lora 7B", "qlora 7B"])
    assert [choice.value for choice in choices] == ["lora 7B", "qlora 7B"]


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("7b lora 3090", "yes"),
        ("7b full 3090", "no"),
        ("7b lora 16gb", "unlikely"),
        ("7b lora 3090, 1x 16gb", "unlikely"),
    ],
)
def test_where_cards_are_given_the_first_says_whether_they_hold_it(
    typed: str, verdict: str
) -> None:
    assert listed(typed)[0][0].startswith(f"{verdict}, ")


def test_nothing_typed_lists_examples_of_the_command() -> None:
    for task in ("train", "infer"):
        assert listed("", task=task)[0][1].startswith(task)


@pytest.mark.parametrize(
    "typed",
    [
        "7B lora " + " " * 120,
        "7B lora, " * 40,
        "x" * 4000,
        "7B " + "mistrol" * 300,
        "`" * 99,
        "@here",
    ],
)
def test_choices_are_within_the_limits_of_discord(typed: str) -> None:
    choices = listed(typed)
    assert len(choices) <= 25
    assert all(0 < len(name) <= 100 and 0 < len(value) <= 100 for name, value in choices)


def test_values_are_listed_once_with_what_they_mean() -> None:
    values = [
        ("4090x2", "2x rtx-4090"),
        ("b", ""),
        ("b", "c"),
        ("", ""),
        (" ", ""),
        ("c" * 101, ""),
    ]
    choices = value_choices([*values, *((str(n), "") for n in range(40))])
    assert [(choice.name, choice.value) for choice in choices[:2]] == [
        ("4090x2 → 2x rtx-4090", "4090x2"),
        ("b", "b"),
    ]
    assert choices[2].value == "0"
    assert len(choices) == 25
