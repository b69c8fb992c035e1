"""Sizes and numbers as programs print them → whole bytes and counts.

Programs mean 1024 by `G`, and most by `GB` too: `15.90 GB` of MPS, DeepSpeed or vLLM is GiB.
Who means 1000 says so to `bytes_of`.
"""

import re
from collections.abc import Sequence
from functools import cache

from bot.compiled import compiled
from estimator import KIB, THOUSAND

# What stands for a figure in a phrase, and what of a text it takes. All have an end, so that
# no text takes longer than its length.
_FIGURES = {
    "{size}": r"(-?(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,20})(?:\.\d{1,6})?"
    r"(?:\s{0,3}(?:[KMGTP]i?B|bytes?)|\x20?[KMGTPB])\b)",
    "{n}": r"(-?\d{1,3}(?:,\d{3}){1,5}|-?\d{1,20})",
    "{x}": r"(\d{1,9}(?:\.\d{1,6})?)",
    "{gib}": r"(\d{1,9}(?:\.\d{1,6})?)",
    "{mib}": r"(-?\d{1,12}(?:\.\d{1,6})?)",
    "{word}": r"([A-Za-z][\w-]{0,30})",
}
_SIZE = compiled(r"(-?\d{1,20}(?:\.\d{1,6})?)\s{0,3}([KMGTP]?)(i?)(?:B|bytes?)?", re.IGNORECASE)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


@cache
def phrase(text: str) -> re.Pattern[str]:
    """A regular expression in which a space is any white space, ` ?` may be none.

    `{size}`: a number with its unit, `{gib}`, `{mib}`: one whose unit stands elsewhere, `{n}`: a
    whole number, `{x}`: a number, `{word}`: a word. No phrase has two figures of different units.
    """
    for name, taken in _FIGURES.items():
        text = text.replace(name, taken)
    spaced = text.replace(" ?", r"\s{0,40}").replace(" ", r"\s{1,40}")
    return compiled(spaced, re.IGNORECASE)


def bytes_of(text: str, *, thousands: bool = False) -> int | None:
    """The bytes of `1.50 GiB`, `64 MB`, `0 bytes`; `thousands`: `GB` are powers of 1000."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    number, power, binary = match.groups()
    step = THOUSAND if thousands and not binary else KIB
    unit: int = step ** _POWERS[power.upper()]
    return round(float(number) * unit)


def amount_in(phrases: str | Sequence[str], text: str, *, thousands: bool = False) -> int | None:
    """The bytes that the first of `phrases` that stands in `text` names."""
    for one in (phrases,) if isinstance(phrases, str) else phrases:
        found = phrase(one).search(text)
        if found is None:
            continue
        unit = "GiB" if "{gib}" in one else "MiB" if "{mib}" in one else ""
        number = next(group for group in found.groups() if group)
        return bytes_of(number.replace(",", "") + unit, thousands=thousands)
    return None


def count_of(text: str) -> float:
    """The number of `116,032` or `0.9`; whole numbers are whole."""
    number = float(text.replace(",", ""))
    return int(number) if number.is_integer() else number
