"""Words between a count and its cards, and counts behind them → `2x 3090`.

`two used 3090s` and `a 3090, two of them` are both two cards; without this each would be one.
"""

import re

from bot.compiled import compiled
from bot.reading.counted_apart import NUMBERS

_N = r"\d{1,3}|two|three|four|five|six|seven|eight"
_MAKER = r"(?:nvidia|amd|intel|geforce|rtx|gtx|rx|radeon|tesla|quadro|instinct|arc)"
_NAME = (  # how cards are called
    r"(?:[ahlvtpbk]\d{2,3}[a-z]?|gh200|gb200|rtx pro 6000|[1-5]0[5-9]0|16[3-6]0|mi\d{2,3}x?"
    r"|[67][0-9]00|titan|[at][4-6]000|[al]4|[at]10g?|l40s?)"
)
_CARD = rf"(?:{_MAKER}\s+){{0,2}}{_NAME}(?![\w.]*\d)(?!\s?(?:gb|tok|ctx|steps|samples))"
_EPITHETS = (
    *("used", "second hand", "second-hand", "secondhand", "brand new", "brand-new", "new", "newer"),
    *("old", "older", "cheap", "cheapo", "refurbished", "refurb", "spare", "shiny", "beefy"),
    *("ex mining", "ex-mining", "mining", "water cooled", "watercooled", "identical", "separate"),
    *("individual", "physical", "rented", "cloud", "leftover", "extra", "ancient", "dusty"),
    *("ebay", "data center", "datacenter", "server", "consumer", "good ol", "good old", "lovely"),
    *("trusty", "modded", "chinese", "undervolted", "power limited", "pcs"),
    *(
        "pieces of",
        "units of",
        "of these",
        "of those",
        "of the",
        "of my",
        "of our",
        "of",
        "whole",
        "full",
        "entire",
    ),
)
_BETWEEN = compiled(
    rf"(?<![\w.])(?P<n>{_N})(?P<times>\s?[x×])?\s+(?:(?:{'|'.join(_EPITHETS)})\s+){{1,3}}"
    rf"(?={_CARD}s?\b)",
    re.IGNORECASE,
)
_BEHIND = compiled(
    rf"(?P<lead>(?P<own>\b(?:an?|the|my|one)\s+)?(?<![\w.-]))(?P<card>{_CARD})(?P<many>s?\b)"
    rf"(?P<between>[^\n]{{0,60}}?)(?P<told>[,(]?\s*"
    rf"(?:\b(?:got|have|with|i have|i got|there are|about)\s+)?"
    rf"\b(?P<n>{_N})\s*x?\s+of\s+(?:them|em|['’]em|those|these|it)\b\)?)"
    rf"(?!\s+{_CARD})",
    re.IGNORECASE,
)
_NUMBERED = compiled(  # `gpu 0 is a 4080 and gpu 1 a 3060`
    rf"(?<![\w.])(?:gpu|card|device|cuda|slot)\s?[:#]?\s?\d\b\s*(?:is|was|=|:|->)?\s*"
    rf"(?:(?:an?|the|my)\s+)?(?={_CARD})",
    re.IGNORECASE,
)
_ANY_CARD = compiled(rf"(?<![\w.]){_NAME}", re.IGNORECASE)
_COUNTED = compiled(rf"(?:(?<![\w.])(?:{_N})\s?[x×]?|[x×])\s*$", re.IGNORECASE)
PLACES = ("gpu", "card", "device", "cuda:", "cuda", "slot")
LONGEST_COUNT = 12  # characters before a card that may count it


def count_before_epithets(text: str) -> str:
    """`text` with each count right before its card."""
    if _ANY_CARD.search(text) is None:
        return text
    text = _BETWEEN.sub(lambda found: f"{_number(found['n'])}x ", text)
    words = text.casefold()
    if any(f"{name}0" in words or f"{name} 0" in words for name in PLACES):
        text = _NUMBERED.sub(", ", text)
    return _BEHIND.sub(_moved, text) if " of " in words else text


def _moved(found: re.Match[str]) -> str:
    """The count before the card, unless one stands there."""
    start = found.start("own") if found["own"] else found.start("card")
    before = found.string[max(0, start - LONGEST_COUNT) : start]
    other = re.search(_CARD, found["between"], re.IGNORECASE)
    if _COUNTED.search(before) or other:
        return found[0]
    return f"{_number(found['n'])}x {found['card']}{found['many']}{found['between']} "


def _number(word: str) -> int:
    return NUMBERS.index(word.casefold()) if word.casefold() in NUMBERS else int(word)
