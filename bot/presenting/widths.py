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
    lines, line = [], first
    for piece in _pieces(text, most - columns_of(indent or first)):
        glue = " " if line.strip() and not piece.startswith("\0") else ""
        bare = piece.lstrip("\0")
        if line.strip() and columns_of(line + glue + bare) > most:
            lines.append(line)
            line, glue = indent, ""
        line += glue + bare
    return [*lines, line] if line.strip() else lines


def _pieces(text: str, most: int) -> Iterator[str]:
    """Words; of wider ones runs of letters that go in, those but the first marked by a zero."""
    for word in text.split():
        run, mark = "", ""
        for letter in word:
            if columns_of(run + letter) > most:
                yield mark + run
                run, mark = "", "\0"
            run += letter
        yield mark + run
