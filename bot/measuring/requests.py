"""What is typed behind `/vram measured` → a question with its peak, the list, or to take back."""

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.locale import Locale, load_locale
from bot.measuring.amounts import AMOUNT
from bot.reading.clean import clean

_FIGURE = re.compile(r"(?:max_memory_)?(?:allocated|reserved|device|process|rank)\b", re.IGNORECASE)


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
    """The question, and what stands behind the last word that says a peak, if that is one."""
    words = "|".join(sorted(map(re.escape, _words("peak", locale)), key=len, reverse=True))
    found = [*re.finditer(rf"(?:^|[\s,;])(?:{words})\s{{0,3}}[:=]?\s{{0,3}}", text, re.IGNORECASE)]
    for last in reversed(found):
        peak = text[last.end() :].strip()
        if _is_peak(peak):
            return text[: last.start()].strip(" ,;"), peak
    return text.strip(), ""


def _is_peak(text: str) -> bool:
    """Whether a text begins as one: an amount with its unit, a figure's name, or a number alone."""
    if _FIGURE.match(text):
        return True
    amount = AMOUNT.match(text)
    return amount is not None and (bool(amount["unit"]) or amount.end() == len(text))
