"""`the biggest qwen I can train`: a family of which the size is what is asked."""

import re
from collections.abc import Container

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

SUPERLATIVES = ("biggest", "largest", "best", "strongest", "smartest", "bigger", "larger")
_MOST = compiled(
    rf"\b(?P<most>{'|'.join(SUPERLATIVES)})\s+"
    r"(?P<family>[a-z]{3,})(?:[ -]?\d(?:\.\d)?)?\b(?![ -]?\d|[ -]?[a-z]*\d*\.?\d+b\b)",
    re.IGNORECASE,
)


def take_superlative(text: str, families: Container[str], locale: Locale, said: Said) -> str:
    """`text` with `model` in the place of such a family, which is said to be left aside."""

    def take(found: re.Match[str]) -> str:
        if found["family"].casefold() not in families:
            return found[0]
        said.remarks.append(locale.say("family_aside", family=echo(found["family"])))
        return f"{found['most']} model"

    words = text.casefold()
    return _MOST.sub(take, text) if any(word in words for word in SUPERLATIVES) else text
