"""What only the asker sees: what is wrong, what was understood, one line to type."""

import pytest

from bot.ask import Refused, open_desk
from bot.surface.private import refusal_text, sentence

DESK = open_desk()
WRONG = (
    "train 7B lora r=64 frobadam",
    "",
    "x" * 4000,
    "x" * 5000,
    "mistrol 7b",
    "train 7B `@everyone` <@123456789012345678> [x](http://evil.example) **b**",
    "train foo/bar-7b-`rm` lora",
    "train 7B 13B 70B 8B lora",
    "train 7B " + "frobnicate " * 300,
)


def refused(text: str) -> Refused:
    found = DESK.ask(text, {"task": "train"})
    assert isinstance(found, Refused), text
    return found


@pytest.mark.parametrize("text", WRONG)
def test_three_things_are_said(text: str) -> None:
    found = refused(text)
    said = refusal_text(found.refusal)
    first, understood, typed, *_ = said.splitlines()
    assert first.startswith("**")
    assert found.refusal.wrong.split("`")[0] in first
    assert understood.startswith(f"Understood: `{found.refusal.understood}")
    assert typed == f"Type: `/vram {found.refusal.lines[0]}`"


@pytest.mark.parametrize("text", WRONG)
def test_it_is_short_and_harmless(text: str) -> None:
    said = refusal_text(refused(text).refusal)
    assert len(said) <= 2000
    assert said.count("`") % 2 == 0
    outside = "".join(said.split("`")[::2])
    assert not set("@<>[]") & set(outside)
    assert "@everyone" not in said
    assert "<@" not in said
    assert "http" not in outside


def test_a_sentence_ends_in_a_line_to_type() -> None:
    said = sentence(DESK.locale, "no_longer", "train 7B adam lora")
    assert said.endswith("`/vram train 7B adam lora`")
