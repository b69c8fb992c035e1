"""What was pasted → the same without what terminals, logs and Discord put around it."""

import re

from bot.compiled import compiled

MOST_CHARACTERS = 6000  # of one paste; of more the beginning and the end are read

_ANSI = compiled(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\[[0-9;]{1,8}m")
_INVISIBLE = compiled("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
_BOX = compiled(r"[\u2500-\u257f\u2771\u276f]+")  # the frames of rich's tracebacks
_MARKS = compiled(r"```(?:\w{1,12}\n)?|\*\*|(?m:^[ \t]*(?:>[ \t]?)+)")
# Any of these signs, or `\\n` as a program escapes it: what a text without them says is plain.
_ANY = compiled(
    r"[\x1b\[\\`*>\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    r"\u2500-\u257f\u2771\u276f]"
)
_EDGES = compiled(r" ?\n ?")
_COMMA = compiled(  # `6144,00 MiB`, as some languages have it; of a thousand there are three
    r"(?<![\d.,])(\d{1,20}),(\d{1,2})(?=\s?[KMGT]i?B\b)", re.IGNORECASE
)
_BLANKS = compiled(r"[^\S\n]+")


def plain(text: str) -> str:
    """`text` with lines and words only: no colours, frames, fences, quote marks, decimal commas."""
    if len(text) > MOST_CHARACTERS:
        text = text[: MOST_CHARACTERS // 2] + "\n" + text[-MOST_CHARACTERS // 2 :]
    text = _INVISIBLE.sub("", text.replace("\r", "\n").replace("\\n", "\n").replace('\\"', '"'))
    text = _MARKS.sub(" ", _BOX.sub(" ", _ANSI.sub("", text)))
    return _COMMA.sub(r"\1.\2", _EDGES.sub("\n", _BLANKS.sub(" ", text)).strip())


def as_typed(text: str) -> bool:
    """Whether nothing stands in `text` that `plain` would take out of its words."""
    return _ANY.search(text) is None
