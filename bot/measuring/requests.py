"""What is typed behind `/vram measured` → a question with its peak, the list, or to take back."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.compiled import compiled
from bot.locale import Locale, load_locale
from bot.measuring.amounts import AMOUNT
from bot.measuring.logs import printed_peaks
from bot.reading.clean import clean

_FIGURE = compiled(r"(?:max_memory_)?(?:allocated|reserved|device|process|rank)\b", re.IGNORECASE)
_BEGINS = compiled(  # what only a program prints, or says of a figure
    r"(?<![\w.])(?:torch\.cuda\.)?max[_ ](?:memory[_ ])?(?:allocated|reserved)|nvidia.smi\b|nvtop\b"
    r"|peak[_ ]mem\w*|max[_ ]mem\w*|gpu peak mem\w*|[0-9]{1,7} ?MiB ?/ ?[0-9]{1,7} ?MiB"
    r"|\bmemory: ?[0-9]|[0-9.,]{1,9} ?[GM]i?B (?:allocated|reserved)\b",
    re.IGNORECASE,
)
_NAMED = compiled(  # and its amount
    rf"(?:{_BEGINS.pattern})[^,;]{{0,60}}?[0-9]\s?(?:[GMT]i?B|bytes|gigs?)\b", re.IGNORECASE
)
_BETWEEN = compiled(  # words between `peak` and its amount: mem usage was ~
    r"(?:(?:gpu|v?ram|mem(?:ory)?|usage|used?|was|is|of|at|about|around|like|=|:|~)[\s:=]{0,3}){1,6}",
    re.IGNORECASE,
)
_LEFT = compiled(r"[ ,;]+(?:gpu|max|my|the|it)$", re.IGNORECASE)  # of a peak's name
_LAST = compiled(  # at the end, and the size of no card: 15.9 GiB, 16302 MiB
    r"(?<![\w.,])(?:[0-9]{1,4}[.,][0-9]{1,3} ?[GT]i?B|[0-9][0-9 ,.']{2,8} ?Mi?B)\s{0,3}[.!]?$",
    re.IGNORECASE,
)

MOST_PLACES = 8  # the last words that say a peak; who says it more often repeats it


class Wish(StrEnum):
    """What is wanted."""

    COMPARE = "compare"
    LIST = "list"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class MeasuredRequest:
    """`question` is as it was typed, without the `peak` that stands behind it."""

    wish: Wish
    question: str = ""
    peak: str = ""


def read_request(text: str, locale: Locale) -> MeasuredRequest:
    """The words of the language, and those of English in any."""
    typed = clean(text).casefold().rstrip(".!")
    for wish in (Wish.LIST, Wish.FORGET):
        if typed in _words(wish, locale):
            return MeasuredRequest(wish)
    question, peak = _apart(text, locale)
    return MeasuredRequest(Wish.COMPARE, question, peak)


def _words(name: str, locale: Locale) -> set[str]:
    return {*locale.measured.words[name], *load_locale().measured.words[name]}


def _apart(text: str, locale: Locale) -> tuple[str, str]:
    """The question, and the peak that stands behind it, if one does."""
    for start, end in _places(text, locale):
        peak = text[end:].strip()
        if _is_peak(peak):
            at = start if [*printed_peaks(text[start:])] else end  # its name may be part of a form
            return _LEFT.sub("", text[:start].strip(" ,;:|-")), text[at:].strip(" ,;")
    return text.strip(), ""


def _places(text: str, locale: Locale) -> Iterator[tuple[int, int]]:
    """Where a peak may begin, the surest first.

    Behind the last word that says so, at a figure's own name, at an amount at the end.
    """
    words = "|".join(sorted(map(re.escape, _words("peak", locale)), key=len, reverse=True))
    said = re.finditer(rf"(?:^|[\s,;])(?:{words})\s{{0,3}}[:=]?\s{{0,3}}", text, re.IGNORECASE)
    yield from (found.span() for found in [*said][: -MOST_PLACES - 1 : -1])
    for pattern in (_BEGINS, _LAST):
        found = pattern.search(text)
        if found is not None:
            yield found.start(), found.start()


def _is_peak(text: str) -> bool:
    """Whether a text begins as one: an amount with its unit, a figure's name, or a number alone."""
    text = text[found.end() :] if (found := _BETWEEN.match(text)) else text
    if _FIGURE.match(text) or _NAMED.match(text) or [*printed_peaks(text)]:
        return True
    amount = AMOUNT.match(text)
    return amount is not None and (bool(amount["unit"]) or amount.end() == len(text))
