"""A noun in the form that its number asks for: `2 токен(|а|ов)` is `2 токена`.

A language whose nouns have several forms writes their endings so, behind the number: of one, of
two to four, of more; as Russian counts.
"""

import re

from bot.compiled import compiled
from bot.presenting.numerals import SPAN

_NOUN = compiled(
    r"(?P<number>\d[\d\u00a0]*(?P<part>,\d+)?)?(?P<between>\s?)(?P<stem>\w+)"
    r"\((?P<one>\w*)\|(?P<few>\w*)\|(?P<many>\w*)\)"
)


def agreed(text: str) -> str:
    """`text` with each such noun as it follows its number; without one, as of many."""
    if "|" not in text:
        return text
    parts = SPAN.split(text)
    parts[::2] = [_NOUN.sub(_written, part) for part in parts[::2]]
    return "".join(parts)


def _written(found: re.Match[str]) -> str:
    number = found["number"] or ""
    ending = found["few"] if found["part"] else found[_form(number)]
    return f"{number}{found['between']}{found['stem']}{ending}"


def _form(number: str) -> str:
    digits = re.sub(r"\D", "", number)
    if not digits or digits[-2:-1] == "1" or digits[-1] not in "1234":
        return "many"
    return "one" if digits[-1] == "1" else "few"
