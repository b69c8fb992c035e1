"""Numbers as other languages write them, in digits: 两张, 一万, 70亿, 두 장, 4.096, 0,9.

A number of cards stands before a counter: `4张3090` becomes `4x 3090`, `3090 两张` `3090 x2`,
and `4卡` without a name beside it `4 gpus`.
"""

import re
from collections.abc import Iterable
from functools import cache

from bot.compiled import compiled
from bot.reading.atoms import LONGEST_NUMBER
from bot.reading.glossary import Glossary, load_glossary
from estimator import GB, KIB

TEN = 10
MOST_BEFORE = 24  # characters that a card's end and the word for cards take
_DIGITS = rf"\d{{1,{LONGEST_NUMBER}}}(?:\.\d{{1,{LONGEST_NUMBER}}})?"
_GROUPS = compiled(r"(?<![\w.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\w.]*\d)")
_COMMA = compiled(r"(?<![\w.,])(\d+),(\d+)(?![\w,]*\d)")
_SPACED = compiled(
    r"(?<=[^\W\d_] )([1-9]\d{0,2}) (\d{3})(?![\w.,]|\s(?:gb|go|x|bit|b)\b)", re.IGNORECASE
)
_SIZE = compiled(r"\d+(?:\.\d+)?\s?gi?b?(?![a-z0-9])\s*", re.IGNORECASE)

_NO_WORD = "(?<![\uac00-\ud7a3])"  # the 세조 of 미세조정 is no number
_CARD = compiled(  # what a card's name begins with, or its size on the box
    r"(?:\d+(?:\.\d+)?\s?gi?b?(?![a-z0-9])\s*|nvidia\s*|geforce\s*)*"
    r"(?:rtx|gtx|tesla|titan|radeon|rx|arc|instinct|quadro|nvidia|geforce|\d+(?:\.\d+)?\s?gi?b?(?![a-z0-9])"
    r"|(?:a|h|l|t|v|p|m|b|k|gh|gb|mi)\d{1,4}|\d{4}(?![\d.]|\s?b))",
    re.IGNORECASE,
)


def count_in_digits(text: str, glossary: Glossary) -> str:
    """`text` with its numbers in digits and its cards counted by an `x`."""
    if glossary.decimal_comma:
        text = _GROUPS.sub(lambda match: match[0].replace(".", ""), text)
        text = _SPACED.sub(r"\1\2", _COMMA.sub(r"\1.\2", text))
    folded = text.casefold()
    if any(scale in folded for scale in glossary.scales):
        text = _scaled(glossary.code).sub(lambda match: _value_of(match, glossary), text)
    if not glossary.counters:
        return text
    text = _sized(glossary.code).sub(
        lambda match: f" {_number(match['number'], glossary):g}x {match['size']} ", text
    )
    return _counted(glossary.code).sub(lambda match: _cards(match, text, glossary), text)


def _any_of(words: Iterable[str]) -> str:
    """A pattern of any of them, the longest first; of nothing where there are none."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"


@cache
def _scaled(code: str) -> re.Pattern[str]:
    glossary = load_glossary(code)
    numeral = _any_of(glossary.numerals)
    return re.compile(
        rf"(?P<number>{_DIGITS}|{_NO_WORD}(?:{numeral}))\s?(?P<scale>{_any_of(glossary.scales)})"
        rf"(?:(?P<more>{_DIGITS}|(?:{numeral}))\s?(?P<part>{_any_of(glossary.scales)})"
        rf"|(?P<tenths>{_any_of(_tenths(glossary))})(?!\s?(?:\d|{_any_of(glossary.counters)})))?"
        + ("(?![^\\W\\d_])" if glossary.spaced else ""),
        re.IGNORECASE,
    )


def _tenths(glossary: Glossary) -> list[str]:
    """Signs that may stand alone behind a scale, of which they are tenths: the 二 of 三万二."""
    if glossary.spaced:
        return []
    return [
        word for word, value in glossary.numerals.items() if len(word) == 1 and 1 <= value < TEN
    ]


@cache
def _counted(code: str) -> re.Pattern[str]:
    glossary = load_glossary(code)
    numeral = _any_of(glossary.numerals)
    links = rf"(?:\s*(?:{_any_of(glossary.links)}))?" if glossary.links else ""
    return re.compile(
        rf"(?P<number>(?<![\d.A-Za-z-])\d{{1,5}}|{_NO_WORD}(?:{numeral}))\s?(?:{_any_of(glossary.counters)}){links}\s*",
        re.IGNORECASE,
    )


@cache
def _sized(code: str) -> re.Pattern[str]:
    """`24GB 카드 3장`: cards by their size alone, and how many."""
    glossary = load_glossary(code)
    between = _any_of((*glossary.cards, *glossary.links))
    number = rf"\d{{1,5}}|(?:{_any_of(glossary.numerals)})"
    return re.compile(
        rf"(?<![a-z0-9.])(?<![a-z0-9] )(?P<size>{_DIGITS}\s?gi?b?)\s*(?:(?:{between})\s*)+"
        rf"(?:を|が|は)?\s*(?P<number>{number})\s?(?:{_any_of(glossary.counters)})",
        re.IGNORECASE,
    )


def _number(word: str, glossary: Glossary) -> float:
    return float(word) if word[0].isdigit() else glossary.numerals[word.casefold()]


def _value_of(match: re.Match[str], glossary: Glossary) -> str:
    """70亿 is 7B, 一万 10000, 3万2千 and 三万二 32000."""
    value = _number(match["number"], glossary) * glossary.scales[match["scale"].casefold()]
    if match["tenths"]:
        value += _number(match["tenths"], glossary) * glossary.scales[match["scale"]] / TEN
    if match["more"]:
        value += _number(match["more"], glossary) * glossary.scales[match["part"].casefold()]
    if value >= GB / 10:  # no card and no window has so many: a model's parameters
        return f" {value / GB:g}B "
    return f" {value:.0f} "


def _cards(match: re.Match[str], text: str, glossary: Glossary) -> str:
    """`4张3090` is `4x 3090`, `3090 4张` is `3090 x4`; without a card beside it `4 gpus`."""
    number = _number(match["number"], glossary)
    if number >= KIB:  # `4090 card`: a card's name
        return match[0]
    count, (start, end) = f"{number:g}", match.span()
    before = text[max(0, start - MOST_BEFORE) : start].rstrip()
    named = _named(glossary.code).search(before) is not None
    size = _SIZE.match(text, end) if named else None
    card = _CARD.match(text, end if size is None else size.end())
    if card is not None:
        return f" {count}x "
    return f" x{count} " if named else f" {count} gpus "


@cache
def _named(code: str) -> re.Pattern[str]:
    """The end of a card's name or size, with the word for cards behind it."""
    glossary = load_glossary(code)
    words = _any_of((*glossary.cards, *glossary.links))
    return re.compile(rf"[a-z0-9)]\s*(?:(?:{words})\s*)*$", re.IGNORECASE)
