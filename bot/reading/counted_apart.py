"""How people tell what is theirs of more, and a sum of its parts → the cards that a line counts.

`2 of my 4 3090s` is two of them, `48 GB total over 2 cards` two of 24 GB, and so is
`48GB (2x24GB)`. `batch 16 (4 per gpu)` is four on each.
"""

import re

from bot.compiled import compiled

_N = r"\d{1,4}|one|two|three|four|five|six|seven|eight"
_OWN = r"(?:my|our|the|these|those|its|their)\s+"
_PART = compiled(  # not `12 GB of my 24`, which is memory in use
    rf"\b(?P<n>{_N})\s+(?:out\s+)?of\s+(?:{_OWN})?(?:{_N})\s*[x×]?\s*(?=(?:nvidia |rtx |tesla )?"
    r"(?:[ahlvtp]\d{1,3}|\d{4}|mi\d{2,3}|gpus|cards)[a-z]?)",
    re.IGNORECASE,
)
_SUM = compiled(  # all the memory of so many cards
    r"\b(?:a\s+)?(?:total(?:\s+of)?\s+(?P<gb>\d{1,4})\s?GB(?:\s+of\s+vram)?"
    r"|(?P<gb2>\d{1,4})\s?GB(?:\s+vram)?\s+(?:in\s+)?total)\s*(?:over|across|on|in|from|with|,)?\s*"
    rf"(?P<n>{_N})\s+(?:gpus|cards)\b",
    re.IGNORECASE,
)
_SPREAD = compiled(  # `96gb across 4 cards`, `4 gpus, 96gb in total`, `total vram 96gb (4 cards)`
    rf"\b(?:total\s+(?:vram\s+)?(?:of\s+)?)?(?P<gb>\d{{1,4}})\s?GB(?:\s+(?:of\s+)?vram)?\s*"
    rf"(?:(?:in total\s+|total\s+)?(?:across|over|spread over|split over|split across)\s+|\(\s*)"
    rf"(?P<n>{_N})\s+(?:gpus|cards)\b\s*\)?"
    rf"|\b(?P<n2>{_N})\s+(?:gpus|cards),?\s+(?P<gb2>\d{{1,4}})\s?GB\s+(?:in\s+)?total\b",
    re.IGNORECASE,
)
_PARTS = compiled(
    r"\b\d{1,4}\s?GB\s*\(\s*(?P<parts>\d{1,3}\s?[x×]\s?\d{1,4}\s?GB)\s*\)", re.IGNORECASE
)
_EACH = compiled(
    r"\b(?P<key>batch(?:[ _]size)?|bs)\s*=?\s*\d{1,5}\s*\(\s*(?P<n>\d{1,4})\s+"
    r"(?:per|a|on each|each)\s*(?:gpu|card|device)?s?\s*\)",
    re.IGNORECASE,
)
_MONITOR = compiled(
    r"\b[2458]k\s+(?=monitors?\b|displays?\b|screens?\b|tv\b|video\b)", re.IGNORECASE
)
_KILOBYTES = compiled(  # a length is in tokens, whatever its unit is called
    r"\b(?P<key>ctx|context|seq(?:[ _]len(?:gth)?)?|window)\s*[=:]?\s*(?P<n>\d{1,4})\s?kb?\b",
    re.IGNORECASE,
)
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")


def count_apart(text: str) -> str:
    """`text` with the cards that are meant, and lengths in k."""
    words = text.casefold()
    if " of " in words:
        text = _PART.sub(lambda found: f"{_count(found['n'])}x ", text)
    if "total" in words:
        text = _SUM.sub(_divided, text)
    if "gb" in words and ("gpus" in words or "cards" in words):
        text = _SPREAD.sub(_divided, text)
    if "(" in text:
        text = _EACH.sub(r"\g<key> \g<n>", _PARTS.sub(r"\g<parts>", text))
    return _KILOBYTES.sub(r"\g<key> \g<n>k", _MONITOR.sub("", text))


def _count(word: str) -> int:
    return NUMBERS.index(word.casefold()) if word.casefold() in NUMBERS else int(word)


def _divided(found: re.Match[str]) -> str:
    """So many cards of their part; as it was, where it has no whole one."""
    total = int(found["gb"] or found["gb2"])
    count = _count(found["n"] or found.groupdict().get("n2") or "")
    return f" {count}x {total // count}GB " if count and total % count == 0 else found[0]
