"""What `/vram measured` offers to be typed is answered when it is typed, in every language."""

import asyncio
import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ask import Desk, open_desk
from bot.languages import SPOKEN
from bot.localised import in_english
from bot.measuring.measuring import NAME, Said, measured
from bot.presenting.presentation import Refusal
from bot.presenting.sheet import Sheet
from bot.surface.sheet import sheet_embed
from tests.examples import examples

DESK = open_desk()
TYPED = re.compile(r"`/vram ([^`\n]+)`")
TOO_SMALL = (  # their estimates are more than the cards have
    *("train 72B lora, 8x ascend-910b-64gb", "mixtral 8x7b qlora, 2x titan-rtx", "70B full, 3060"),
    *("train 7B full, t4", "infer 70B bf16 transformers, rtx-4090", "405B lora, 8x a100 40gb"),
)
LARGE_ENOUGH = ("7B qlora, rtx-4090", "8B q4_k_m 3090", "7B lora", "7B adam lora, h100")
NUMBERS = st.one_of(
    st.integers(-2, 10**7).map(str),
    st.floats(0, 300).map(lambda size: f"{size:.3g}"),
    st.sampled_from(("nan", "inf", "1e400", "-1", "0", "9" * 40, "", "lots", "\u0663")),
)
UNITS = st.sampled_from(("", " GiB", "GB", " MiB", " TB", " bytes"))


def said(desk: Desk, text: str, peak: str | None = None) -> Said:
    return asyncio.run(measured(desk, text, peak, "", None))


def is_answered(desk: Desk, line: str) -> bool:
    """Whether a line that begins with the command is compared."""
    command, _, rest = in_english(line).partition(" ")
    return command == NAME and isinstance(said(desk, rest), Sheet)


@settings(deadline=None, max_examples=examples(150))
@given(st.sampled_from((*TOO_SMALL, *LARGE_ENOUGH)), NUMBERS, UNITS)
def test_a_refused_peak_comes_with_one_that_is_taken(line: str, number: str, unit: str) -> None:
    found = said(DESK, line, f"{number}{unit}")
    if isinstance(found, Refusal):
        assert found.lines
        assert all(is_answered(DESK, one) for one in found.lines if one.startswith(NAME))


@pytest.mark.parametrize(("code", "line"), [*product(SPOKEN, (*TOO_SMALL[:2], LARGE_ENOUGH[0]))])
def test_the_line_that_records_a_peak_is_taken_as_it_stands(code: str, line: str) -> None:
    desk = DESK.speaking(code)
    found = said(desk, line)
    assert isinstance(found, Sheet)
    recording = [
        typed
        for field in sheet_embed(found).fields
        for typed in TYPED.findall(field.value or "")
        if in_english(typed).startswith(NAME)
    ]
    assert recording
    assert all(is_answered(desk, typed) for typed in recording)
