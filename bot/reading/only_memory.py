"""`how long does it take to train …`: time is asked beside memory, and is not answered."""

import re

from bot.compiled import compiled
from bot.reading.facts import Fact, Said

REMARK = "only_memory"  # the sentence's key
_TIME = compiled(
    r"\bhow (?:long|many (?:hours|days|minutes))\s+(?:does|will|would|is)\s+"
    r"(?:it|this|that|the|a)\b"
    r"(?!\s+(?:context|ctx|window|sequence|prompt))",
    re.IGNORECASE,
)


def note_time(text: str, said: Said) -> None:
    """Say that time is not estimated, where it is asked for."""
    found = _TIME.search(text) if "how " in text.casefold() else None
    if found is not None:
        said.facts.append(Fact("remarked", REMARK, found[0].strip()))
