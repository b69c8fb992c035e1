"""Cards that somebody had, or wishes for: `sold my 3090, now a 5090`, `used to have a 3060`.

Without these they would be pooled with those that are there.
"""

import re

from bot.compiled import compiled
from bot.reading.facts import Fact, Said

REMARK = "former_card"  # the sentence's key
_CARD = (
    r"(?:(?:nvidia|rtx|gtx|tesla|radeon|rx)\s+)*(?:[1-5]0[5-9]0(?:\s?ti|\s?super)?|16[5-6]0(?:\s?ti)?"
    r"|[ahlvtp]\d{2,3}s?|a[456]000|[67][0-9]00(?:\s?xtx?)?)(?:\s+\d{1,3}\s?gb)?"
)
_OLD = rf"(?:an?|my|the|our)\s+(?:old\s+)?{_CARD}"
_FORMER = compiled(
    rf"\b(?:used to (?:have|own|run|be on)|sold|replac(?:ed|ing)|trad(?:ed|ing)(?: in)?|returned"
    rf"|got rid of|upgrad(?:ed|ing) from|swapp(?:ed|ing)|was on|were on|switch(?:ed|ing) from"
    rf"|com(?:e|ing) from|wish i had)\s+{_OLD}\b"
    rf"|\b(?:an?|my|the|our)\s+{_CARD}\s+(?:died|broke|is dead|got fried|burned)\b"
    rf"|\((?:was|previously|formerly|before)\s+(?:an?\s+)?{_CARD}\)",
    re.IGNORECASE,
)
_ANOTHER = compiled(rf"(?<![\w.]){_CARD}(?![\w.]*\w)", re.IGNORECASE)
_HINTS = (
    *("used to", "sold", "replac", "trad", "return", "rid of", "upgrad", "swap", "was ", "were "),
    *("switch", "coming", "comes from", "wish", "died", "broke", "dead", "fried", "burn", "(was"),
    *("(prev", "(former", "(before"),
)


def take_former(text: str, said: Said) -> str:
    """`text` without them, where another card is named; which is said."""
    words = text.casefold()
    if not any(hint in words for hint in _HINTS) or _FORMER.search(text) is None:
        return text
    rest = _FORMER.sub(" , ", text)
    if _ANOTHER.search(rest) is None:
        return text
    for found in _FORMER.finditer(text):
        said.facts.append(Fact("remarked", REMARK, found[0].strip()))
    return rest
