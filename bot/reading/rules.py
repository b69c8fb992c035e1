"""Rules that put usual words in the place of others, before a line is read: how they are applied.

A rule is the hints of which one stands in any text that it changes, what it finds, and what it
puts in its place.
"""

import re
from collections.abc import Callable, Iterable, Sequence

Usual = str | Callable[[re.Match[str]], str]
Rule = tuple[Sequence[str], re.Pattern[str], Usual]


def by_rules(text: str, rules: Iterable[Rule]) -> str:
    """`text` in the usual words; each rule is tried only where a hint of it stands."""
    words = text.casefold()
    for hints, pattern, usual in rules:
        for hint in hints:  # no `any`: there are hundreds of them, and none stands in most lines
            if hint in words:
                text = pattern.sub(usual, text)
                break
    return text
