"""Nouns in the form that their number asks for."""

import pytest

from bot.ask import open_desk
from bot.presenting.agreement import agreed
from bot.presenting.spoken import spoken


@pytest.mark.parametrize(
    ("number", "noun"),
    [
        ("1", "токен"), ("2", "токена"), ("5", "токенов"), ("11", "токенов"), ("12", "токенов"),
        ("21", "токен"), ("512", "токенов"), ("1\u00a0024", "токена"), ("4\u00a0096", "токенов"),
        ("131\u00a0072", "токена"), ("2,5", "токена"), ("0", "токенов"),
    ],
)  # fmt: skip
def test_a_noun_agrees_with_its_number(number: str, noun: str) -> None:
    assert agreed(f"ещё {number} токен(|а|ов).") == f"ещё {number} {noun}."


def test_a_noun_without_a_number_is_of_many() -> None:
    assert agreed("16k токен(|а|ов) × слов(о|а|)") == "16k токенов × слов"


@pytest.mark.parametrize("text", ["f(a|b)", "`2 x(|a|b)`", "a | b | c", "2 tokens (|)"])
def test_what_is_no_such_noun_stays(text: str) -> None:
    assert agreed(text) == text


def test_a_reply_says_it_so() -> None:
    desk = open_desk("ru")
    found = desk.ask("8B fp16 vllm 3090")
    said = str(spoken(found.shown, desk.locale))
    assert "(|" not in said
    assert "токен" in said
