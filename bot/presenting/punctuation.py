"""Marks between the parts of a sentence, as Chinese and Japanese write them.

The program joins parts as English does (`, `, `; `, a stop, a bracket behind a space). Between
letters of these languages such marks are wide and have no space beside them. As with numbers,
this is done last, and whatever stands in a code span stays as it is.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from bot.presenting.numerals import SPAN

_LETTER = r"\u3040-\u30ff\u3400-\u9fff"
_IS_WIDE = re.compile(rf"[{_LETTER}]")
_BETWEEN_LETTERS = (rf"(?<=[{_LETTER}]) (?=[{_LETTER}])", "")
_OF_LANGUAGE: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "zh-CN": (
            (rf" ?\(([^()]*[{_LETTER}][^()]*)\)", r"（\1）"),
            (rf"(?<=[{_LETTER}）]), |, (?=[{_LETTER}])", "，"),
            (r"; ", "；"),
            (rf"(?<=[{_LETTER}）]): |: (?=[{_LETTER}])", "："),
            (rf"(?<=[{_LETTER}）])\. ", "。"),
            (r"(?<=[，。；：、）]) (?=\S)| (?=（)", ""),
            _BETWEEN_LETTERS,
        ),
        "ja": (
            (rf"(?<=[{_LETTER}]), |, (?=[{_LETTER}])", "、"),
            (rf"(?<=[{_LETTER}])\. ", "。"),
            (r"(?<=[。、]) (?=\S)", ""),
            _BETWEEN_LETTERS,
        ),
    }
)


def punctuated(text: str, code: str) -> str:
    """`text` with its marks as the language `code` writes them."""
    rules = _OF_LANGUAGE.get(code, ())
    if not rules or not _IS_WIDE.search(text):
        return text
    parts = SPAN.split(text)
    for mark, written in rules:
        parts[::2] = [re.sub(mark, written, part) for part in parts[::2]]
    return "".join(parts)
