"""Flags of servers that say something in words of their own: `-ot exps=CPU`, `--block-size 16`.

Each is put in the words that a line has for it, before the other flags are looked at.
"""

import re
from collections.abc import Callable
from itertools import permutations

TRAINING = re.compile(r"(?<!\w)(?:train|training|fine-?tun\w*|sft)(?!\w)", re.IGNORECASE)
_QUOTED = r"\"[^\"]*\"|'[^']*'"
_FLAGS = re.IGNORECASE
# A pattern may hold blanks where the marks of a markup stood: `.ffn_.*_exps.`.
_TENSORS = re.compile(
    rf"(?<!\S)(?:-ot|--override[-_]tensor)[\s=]+(?P<value>{_QUOTED}|[^\s\"'-](?:(?!\s-)[^=\"']){{0,80}}=\S+)",
    _FLAGS,
)
_ANY_NUMBER = re.compile(r"\[0-9\]|\\d|\bd\+")
_ALL_PARTS = {"".join(parts) for parts in permutations(("gate", "up", "down"))}
_ALL_EXPERTS = {f"{part}exps=cpu" for part in ("", "ffn", *(f"ffn{p}" for p in _ALL_PARTS))}
_BLOCK = re.compile(r"(?<!\S)-{0,2}block[-_ ]size[\s=:]+\d+(?!\S)", _FLAGS)

Aside = Callable[[str], None]


def take_tensors(text: str, moving: Aside) -> str:
    """Experts that a pattern puts on the CPU are said; another pattern goes, and is noted."""

    def take(match: re.Match[str]) -> str:
        if _names_all_experts(match["value"]):
            return " , experts on cpu , "
        moving(match[0])
        return " , "

    return _TENSORS.sub(take, text)


def _names_all_experts(pattern: str) -> bool:
    """Whether it is the experts of every block, all three parts of them."""
    plain = re.sub(r"[^a-z0-9=,]", "", _ANY_NUMBER.sub("", pattern).casefold())
    return plain.removeprefix("blk") in _ALL_EXPERTS


def take_pages(text: str, aside: Aside) -> str:
    """A block size in serving is that of the cache's pages; in training it is a length."""
    if TRAINING.search(text):
        return text

    def take(match: re.Match[str]) -> str:
        aside(match[0])
        return " , "

    return _BLOCK.sub(take, text)
