"""Machines by the names of their makers → their cards: `2 dgx h100`, `3 mac studios 192gb`.

The rules also take counts in Spanish right before a card.

NVIDIA's DGX A100, H100, H200, B200 and B300 have eight cards each (docs.nvidia.com/dgx). Where the
cards are named as well, the machine's name says nothing more.
"""

import re

from bot.compiled import compiled
from bot.reading.counted_apart import NUMBERS
from bot.reading.rules import Rule

CARDS = 8  # in each of them
NEAR = 60  # characters beside a machine's name, in which its cards stand
SERIES = ("dgx h100", "dgx h200", "dgx b200", "dgx a100 80gb", "dgx a100 40gb")  # to choose from

_N = r"\d{1,3}|half an?|an?|one|two|three|four|five|six|seven|eight"
_CARD = r"a100|[hb]200|h100|b300"
_OTHER = compiled(r"\b(?:\d{1,4}\s?x?\s?)?(?:nvidia\s)?[abhv]\d{2,3}s?\b", re.IGNORECASE)
_DGX = compiled(
    rf"(?:(?<![\w.-])(?P<n>{_N})\s?[x×]?\s+)?\b(?:nvidia\s)?dgx[ -](?P<card>{_CARD})s?\b"
    r"(?:[ -](?P<all>\d{3,4})\s?gb\b)?(?:\s(?:node|system|server|box|machine|station)(?:e?s)?\b)?"
    r"(?:\s?[x×]\s?(?P<m>\d{1,3})\b)?",
    re.IGNORECASE,
)
_BARE = compiled(r"\b(?:nvidia\s)?dgx(?:e?s)?\b(?![ -](?:spark|station|[abhv]\d))", re.IGNORECASE)
_MANY = compiled(
    r"\b(?P<name>mac (?:studio|mini|pro)|macbook (?:pro|air)|imac pro|dgx spark|framework desktop"
    r"|strix halo)s\b",
    re.IGNORECASE,
)
_HALO = r"(?:amd\s)?(?:ryzen ai max(?: ?\+)?(?: pro)?(?: 395)?|strix halo)"
_SAME = compiled(  # one machine by two names
    rf"\bframework desktop\b(?=[\s(,]{{1,3}}(?:(?:with|w)\s)?(?:(?:an?|the)\s)?{_HALO})"
    rf"|(?<=strix halo)[\s(,]{{1,3}}framework desktop\)?",
    re.IGNORECASE,
)


_COUNTED = compiled(  # not `llama 3 mac studio`
    rf"(?P<lead>^\s*|[,;+(]\s*|\b(?:and|y|und|et|have|has|got|own|on|with|our|my|are)\s+)(?P<n>{_N})\s+"
    r"(?=(?:mac (?:studio|mini|pro)|macbook(?: pro| air)?|imac|dgx spark|framework desktop"
    r"|strix halo)\b)",
    re.IGNORECASE,
)
_SPANISH = {"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "ocho": 8}
_IN_SPANISH = compiled(  # in a line too short to tell its language
    rf"\b(?P<n>{'|'.join(_SPANISH)})\s+(?=(?:(?:nvidia|rtx|gtx|tesla)\s)*[ahlvtb]?\d{{2,4}}\b)",
    re.IGNORECASE,
)


def _counted(found: re.Match[str]) -> str:
    """`3 mac studio` as `3x mac studio`."""
    word = found["n"].casefold()
    count = NUMBERS.index(word) if word in NUMBERS else int(word) if word.isdigit() else 1
    return f"{found['lead']}{count}x "


def _of_dgx(found: re.Match[str]) -> str:
    """As many cards as all of the machines have, unless the cards are counted beside them."""
    before, behind = _around(found)
    rest = f"{before} {behind}"
    beside = re.search(rf"\b\d{{1,4}}\s?[x×]?\s?(?:nvidia\s)?{found['card']}", rest, re.IGNORECASE)
    if beside is not None:
        return " "
    word = (found["n"] or "one").casefold()
    machines = NUMBERS.index(word) if word in NUMBERS else int(word) if word.isdigit() else 1
    cards = machines * int(found["m"] or 1) * CARDS // (2 if word.startswith("half") else 1)
    each = f" {int(found['all']) // CARDS}gb" if found["all"] else ""
    return f" {cards}x {found['card']}{each} "


def _alone(found: re.Match[str]) -> str:
    """A DGX beside its cards says nothing more."""
    return " " if any(_OTHER.search(part) for part in _around(found)) else found[0]


def _around(found: re.Match[str]) -> tuple[str, str]:
    """The words before and behind it, no more of them than belong to it."""
    start, end = found.span()
    return found.string[max(0, start - NEAR) : start], found.string[end : end + NEAR]


def is_bare(text: str, start: int) -> bool:
    """Whether a DGX stands there without saying which."""
    return _BARE.match(text, start) is not None


RULES: tuple[Rule, ...] = (  # one of the words is there
    (("dgx",), _DGX, _of_dgx),
    (("dgx",), _BARE, _alone),
    (("mac", "spark", "desktop", "halo"), _MANY, r"\g<name>"),
    (("framework",), _SAME, " "),
    (("mac", "spark", "desktop", "halo"), _COUNTED, _counted),
    (tuple(_SPANISH), _IN_SPANISH, lambda found: f"{_SPANISH[found['n'].casefold()]}x "),
)
