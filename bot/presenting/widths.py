"""How wide a text is in columns: letters of Chinese, Japanese and Korean take two."""

import textwrap
import unicodedata
from collections.abc import Iterator


def columns_of(text: str) -> int:
    """Columns of a terminal or of a code block; marks over other letters take none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) or unicodedata.category(one) == "Mn"
        else 2 if unicodedata.east_asian_width(one) in "WF"
        else 1
        for one in text
    )  # fmt: skip


def padded(text: str, width: int, *, right: bool = False) -> str:
    """`text` in so many columns, to the left or to the right of them."""
    space = " " * max(0, width - columns_of(text))
    return space + text if right else text + space


def wrapped(text: str, most: int, *, first: str = "", indent: str = "") -> list[str]:
    """Lines of at most `most` columns, broken at spaces, and within words that are wider.

    `first` stands before the first line, `indent` before the others.
    """
    if text.isascii():
        return textwrap.wrap(text, most, initial_indent=first, subsequent_indent=indent)
    lines, line, begun = [], first, False  # `begun`: it holds more than what stands before it
    for piece, joined in _pieces(text, most - columns_of(indent or first)):
        glue = " " if begun and not joined else ""
        if begun and columns_of(line + glue + piece) > most:
            lines.append(line)
            line, glue = indent, ""
        line, begun = line + glue + piece, True
    return [*lines, line] if begun else lines


def _pieces(text: str, most: int) -> Iterator[tuple[str, bool]]:
    """Words, and of wider ones runs of letters that go in; whether each goes on with a word."""
    for word in text.split():
        run, goes_on = "", False
        for letter in word:
            if columns_of(run + letter) > most:
                yield run, goes_on
                run, goes_on = "", True
            run += letter
        yield run, goes_on
