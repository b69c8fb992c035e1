"""Marks between the parts of a sentence, as each language writes them.

The program joins parts as English does (`, `, `; `, a stop, a bracket behind a space). Between
Chinese and Japanese letters such marks are wide and have no space beside them; French has a
space before a colon and a semicolon. As with numbers, this is done last, and whatever stands in
a code span stays as it is.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from bot.compiled import compiled
from bot.presenting.numerals import SPAN

APART = "\u00a0"  # at which no line breaks
SPACED = frozenset({"fr"})
_JOINT = compiled(rf"{SPAN.pattern}|(?<=\S)(?P<joint>[:;])(?=\s|$)", re.DOTALL)
_LETTER = r"\u3040-\u30ff\u3400-\u9fff"
_IS_WIDE = compiled(rf"[{_LETTER}]")
_BETWEEN_LETTERS = (rf"(?<=[{_LETTER}]) (?=[{_LETTER}])", "")
_OF_LANGUAGE: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "zh-CN": (
            (rf" ?\(([^()]*[{_LETTER}][^()]*)\)", r"（\1）"),
            (r", ", "，"),
            (r"; ", "；"),
            (rf"(?<=[{_LETTER}）]): |: (?=[{_LETTER}])", "："),
            (rf"(?<=[{_LETTER}）])\. ", "。"),
            (r"(?<=[，。；：、）]) (?=\S)| (?=（)", ""),
            _BETWEEN_LETTERS,
        ),
        "ja": (
            (r", ", "、"),
            (rf"(?<=[{_LETTER}])\. ", "。"),
            (r"(?<=[。、]) (?=\S)", ""),
            _BETWEEN_LETTERS,
        ),
    }
)


def punctuated(text: str, code: str, *, label: bool = False) -> str:
    """`text` with its marks as the language `code` writes them. `label`: a colon follows it."""
    if code in SPACED:
        said = _JOINT.sub(lambda found: f"{APART * bool(found['joint'])}{found[0]}", text)
        return f"{said}{APART}" if label and said else said
    rules = _OF_LANGUAGE.get(code, ())
    if not rules or not _IS_WIDE.search(text):
        return text
    parts = SPAN.split(text)
    parts[::2] = [_written(part, rules) for part in parts[::2]]
    return "".join(parts)


def _written(part: str, rules: tuple[tuple[str, str], ...]) -> str:
    """A part that is no code; one without a wide letter keeps the marks of a list of names."""
    if _IS_WIDE.search(part):
        for mark, written in rules:
            part = re.sub(mark, written, part)
    return part
