"""Processors by name, which hold no part of a model: `i9-13900k`, `Ryzen 7 5800X3D`, `9950X`.

Their numbers would be read as others: 13900k tokens, 5800 of something.
"""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

HINTS = ("ryzen", "threadripper", "epyc", "xeon", "core", "i3", "i5", "i7", "i9", "ultra")
_END = r"(?:x3d|[xk]s?|kf|[fghtu]|hx|hs|wx|ge?)"
_OF_INTEL = rf"(?:core\s)?i[3579](?:[- ]?\d{{4,5}}{_END}?)?(?:\s\d{{1,2}}(?:th|rd|nd)\sgen)?\b"
_NAMED = compiled(
    r"(?<![\w.-])(?:dual\s|2\s?x\s?)?(?:(?:amd|intel(?:\(r\))?)\s)?(?:"
    rf"ryzen\s(?!ai\smax)(?:(?:threadripper|pro|ai)\s){{0,2}}(?:[3579]\s)?(?:\d{{3,4}}{_END}?\b)?"
    rf"|threadripper\s(?:pro\s)?\d{{4}}{_END}?\b"
    r"|epyc\s(?:milan\s|rome\s|genoa\s|turin\s)?\d{4}[a-z]?\b"
    r"|xeon\s(?:(?:gold|silver|platinum|bronze|max|w|e\d?)[- ])?(?:w?\d?-)?\d{4}[a-z]{0,2}\b"
    r"(?:\sv\d)?"
    rf"|{_OF_INTEL}"
    rf"|core\sultra\s[3579]\s\d{{3}}{_END}?\b)(?:\scpus?\b)?",
    re.IGNORECASE,
)
_BARE = compiled(  # no card and no count is so called
    r"(?<![\w.-])(?<!rx )(?<!radeon )"
    r"(?:e[357]-\d{4}(?:\s?v\d)?|[3579][3-9]\d0x(?:3d)?|1[0-5][1-9]00k[fs]?|[3579]\d[4579][05]wx)"
    r"(?![\w.])(?!\s?(?:tok|ctx|context))",
    re.IGNORECASE,
)
_SPEED = compiled(  # of the host's memory
    r"\b(?P<kind>ddr[345])[- @]\s?\d{4}(?:\s?(?:mhz|mt/?s))?(?!\w)", re.IGNORECASE
)


def take_processors(text: str, locale: Locale, said: Said) -> str:
    """`text` without processors, which are named in a note."""
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        if not any(letter.isdigit() for letter in match[0]):
            return match[0]
        found.append(match[0].strip())
        return " , "

    words = text.casefold()
    if any(hint in words for hint in HINTS):
        text = _NAMED.sub(take, text)
    if "e5-" in words or "0x" in words or "00k" in words or "wx" in words:
        text = _BARE.sub(take, text)
    if "ddr" in words:
        text = _SPEED.sub(r"\g<kind>", text)
    if found:
        names = ", ".join(f"`{echo(one)}`" for one in found[:3])
        said.remarks.append(locale.say("processors", words=names))
    return text
