"""The question of an answer, out of the message that shows it."""

import discord
import pytest

from bot.ask import Refused, open_desk
from bot.surface.again import lines_in
from bot.surface.embed import embed_of
from bot.surface.limits import MOST_FIELD
from bot.surface.private import refusal_text
from bot.surface.public import in_words, short_refusal

DESK = open_desk()
LINES = [
    ("train 7B lora", ("train 7B lora",)),
    ("train 7B lora vs qlora", ("train 7B qlora", "train 7B lora")),
    ("fit 4090", ("fit rtx-4090",)),
    ("70B", ("train 70B",)),
    ("train 7B full on a 3090", ("train 7B full, rtx-3090",)),  # with advice, which has a line too
]


def shown(question: str, *, embedded: bool = True) -> tuple[str, ...]:
    """The lines of the bot's own answer to `question`."""
    found = DESK.ask(question)
    if isinstance(found, Refused):
        text = refusal_text if embedded else short_refusal
        return lines_in(text(found.refusal), [])
    if not embedded:
        return lines_in(in_words(found.shown), [])
    return lines_in("", [discord.Embed.from_dict(embed_of(found.shown).to_dict())])


@pytest.mark.parametrize(("question", "lines"), LINES)
def test_an_answer_tells_what_it_was_asked(question: str, lines: tuple[str, ...]) -> None:
    assert shown(question) == lines
    assert shown(question, embedded=False) == lines[:1]


@pytest.mark.parametrize(
    "text", ["", "`train 7B`", "/vram train 7B", "`/vram oom CUDA`", "`/vram `", "`/vram a\nb`"]
)
def test_words_without_a_line_tell_nothing(text: str) -> None:
    assert lines_in(text, []) == ()


def test_a_line_that_was_cut_is_none() -> None:
    line = f"`/vram train {'x' * MOST_FIELD}"[: MOST_FIELD - 2] + "…`"
    assert lines_in("", [discord.Embed(title="t").add_field(name="Again", value=line)]) == ()
