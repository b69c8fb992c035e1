"""Cleaning: invisible characters, markup, mentions and foreign digits leave plain text."""

import pytest

from bot.reading.clean import clean, echo

CLEANED = {
    "  7B \n\t lora ": "7B lora",
    "7\u200bB lo\u200bra r=1\u200d6": "7B lora r=16",
    "ctx\u00a04k": "ctx 4k",
    "@ever\u202eyone 7B": "7B",
    "\u200f7B\u200e lora": "7B lora",
    "**7B** ||lora|| `r=16`": "7B lora r=16",
    "*7B* lora *r=16* bs 4": "7B lora r=16 bs 4",
    "```ansi\n\x1b[2;31mlora```": "lora",
    "[7B](https://x.invalid/a) lora": "7B , lora",
    "<@123> <@&45> <#67> <:llama:89> 7B": "7B",
    "</vram train:123456> 7B": "vram train 7B",
    "<t:1700000000:R> 7B": "7B",
    "@everyone @here 7B": "7B",
    "٧B ৩": "7B 3",
    "７Ｂ ｌｏｒａ": "7B lora",
    "2×3090 4*h100 2 * 4090": "2x3090 4xh100 2x4090",
    "lór\u0301a": "lóŕa",
    "7\u0301B": "7B",
    "\u0000\u0007": "",
    "\u3000\u2003 ": "",
}


@pytest.mark.parametrize(("typed", "plain"), CLEANED.items())
def test_what_is_left(typed: str, plain: str) -> None:
    assert clean(typed) == plain


@pytest.mark.parametrize("typed", CLEANED)
def test_clean_text_stays(typed: str) -> None:
    assert clean(clean(typed)) == clean(typed)


def test_an_echo_is_cut_and_holds_no_backtick() -> None:
    assert "`" not in echo("a`b")
    assert echo("x" * 100, 10) == "xxxxxxxxx…"
    assert echo("short", 10) == "short"
