"""Twice the text is twice the work: what is counted is calls, and not time."""

import sys
from contextlib import suppress
from types import FrameType

import pytest

from bot.locale import load_locale
from bot.reading.clean import MOST_CHARACTERS
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())
USUAL = 240  # characters
SLACK = 1.15  # what a text's end and a refusal's own lines may add

PARTS = (
    *("8xA100 ", "3090 or 4090 ", "lora vs qlora vs ", "compare 7B, 13B, 8B, ", "bs 1 vs 2 vs 4 "),
    *("frobnicate ", "no lora ", "1 2 3 ", "bs 4 seq 8k r 16 ", "llama 8b ", "qwen vl ", "7B "),
    *("Qwen/Qwen2.5-7B ", "64 GB RAM ", "24GB card ", "$20 ", "q_proj v_proj ", "--foo-bar 3 "),
    *("bs 8 oomed, ", "full 32k ", "2048 a10g ", "q4 nah make it q5 ", "a 3090, two of them, "),
    *("p4d.24xlarge ", "我想用两张显卡训练模型，", "2x", "1.", "x", "9", "a/b ", "with a draft "),
    *("my friend has a 3090, i have a 4090, ", "10 users share 32k ", "half an a100 of "),
    *("merge my lora into ", "two llama-servers use 9 GB ", "671b a37b ", "two pairs of 3090 "),
)


@pytest.mark.parametrize("part", PARTS)
def test_twice_the_text_is_twice_the_calls(part: str) -> None:
    times = USUAL // len(part)
    once, twice = _calls(part * times), _calls(part * (2 * times))
    assert once > MOST_CHARACTERS // USUAL
    assert twice <= 2 * SLACK * once


@pytest.mark.parametrize("ending", ["awq", "gptq", "fp8", "mlx", "exl2", "hqq", "w4a16"])
def test_a_name_of_many_digits_is_no_riddle(ending: str) -> None:
    """A pattern that may cut digits in many ways would not come to an end here."""
    _read(f"serve some/model-8b-{ending}{'1' * 76}x")


def _calls(text: str) -> int:
    """How many functions are called to read it anew, when what parts of it mean is remembered."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    _read(text)
    sys.setprofile(count)
    try:
        _read(text)
    finally:
        sys.setprofile(None)
    return counted


def _read(text: str) -> None:
    with suppress(NotUnderstoodError):
        READER._read(text, None)  # noqa: SLF001  (anew: `read` remembers it)
