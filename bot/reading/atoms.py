"""Cuts plain text into atoms: runs of letters, and numbers.

Separators vanish, so `Q4_K_M`, `q4 k m` and `q4-k-m` are the same four atoms. An atom
remembers whether it stood glued to the one before, which tells `L4` from `l 4`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from bot.compiled import compiled

_BREAKS = ",;|()[]{}?!\n，、；？"
KEPT, SHORT = 512, 8  # what stood between atoms, nearly always a space, and how long it was
LONGEST_RUN = 24  # atoms without anything between them
LONGEST_NUMBER = 14  # digits; beyond it no count of anything here

_MINUS = str.maketrans("−–—", "---")
_ATOM = compiled(
    r"""
    (?P<sign>(?<![\w)\]])[-−–—](?=\.?\d))?          # a sign, not a hyphen
    (?:
        (?P<bad>0x[0-9a-f]+|\d+(?:\.\d+)?\ \^\ \d+|\d+⁄\d+|\d+(?:\.\d+)?e[+-]?\d+(?!m\d|\d))
      | (?P<power>\d{1,2}\^\d{1,2}(?!\d))
      | (?P<comma>(?<![\w=:,.])\d{1,3},\d{1,2}(?=\ ?(?:b|bn|billion|gb)\b))  # 1,5B
      | (?P<number>\d{1,3}(?:,\d{3})+(?![\d.])|\d{1,3}(?:[_'’]\d{3})+(?!\d)
          |\d{1,3}(?:\ 000)+(?![\d.,])|\d+(?:\.\d+)?|\.\d+)
      | (?P<word>(?<=\d)x(?=[a-z])(?!tx?(?![a-z\d]))  # the x of 4xA100, but not of 7900xtx
          |[^\W\d_]+n['’]t(?![^\W_])|[^\W\d_]+)     # and so is `isn't`
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PARTING = compiled("[,_'’ ]")
PERCENTS = ("%", " %")  # behind a number
_DASHED = compiled(r"(?:^|\s)--?$")  # behind a space, or where a line begins


class Atom(NamedTuple):
    """`text` is lower case; `number` its value where it is one that can stand here.

    `glued`: nothing stands between it and the atom before; `joined`: no space does;
    `apart`: a comma or the like does, which no key reaches across; `assigned`: `=` or `:`.
    `percent`: a `%` stands behind it. `flag`: a command's, with its dash: `-b`, `--port`.
    """

    text: str
    start: int
    end: int
    glued: bool
    joined: bool
    apart: bool
    assigned: bool = False
    numeric: bool = False
    number: float | None = None
    percent: bool = False
    flag: bool = False

    @property
    def whole(self) -> int | None:
        """The number, if it is a whole one."""
        if self.number is None or not self.number.is_integer():
            return None
        return int(self.number)


def atoms_of(text: str) -> tuple[Atom, ...]:
    """The atoms of cleaned `text`, in order; linear in its length."""
    found: list[Atom] = []
    add, end, run, longest = found.append, 0, 0, 0
    text = text.replace("’", "'")
    for match in _ATOM.finditer(text):
        start, stop = match.span()
        gap = text[end:start]
        glued, joined, apart, assigned, dashed = (_between if len(gap) <= SHORT else _told)(gap)
        if not found:
            glued, joined, dashed = False, False, _DASHED.search(gap) is not None
        run = run + 1 if glued else 1
        longest = max(longest, run)
        end = stop
        if match.lastgroup == "word":
            word = match[0].casefold()
            add(Atom(word, start, stop, glued, joined, apart, assigned, False, None, False, dashed))
            continue
        shown, value = _number(match)
        percent = text.startswith(PERCENTS, stop)
        add(Atom(shown, start, stop, glued, joined, apart, assigned, True, value, percent))
    return tuple(found if longest <= LONGEST_RUN else _without_noise(found, text))


def _number(match: re.Match[str]) -> tuple[str, float | None]:
    """A number as it is shown, and its value where it is one that can stand here."""
    text = match[0]
    if len(text) <= LONGEST_NUMBER and text.isdecimal():
        return text, float(text)
    raw = _plain(match)
    value = _value(raw, bad=match["bad"] is not None)
    return raw.rstrip("0").rstrip(".") if "." in raw and value is not None else raw, value


def _without_noise(atoms: list[Atom], text: str) -> Iterator[Atom]:
    """The atoms, but of a run without a gap that is longer than any name has one: a digest."""
    at = 0
    while at < len(atoms):
        end = at + 1
        while end < len(atoms) and atoms[end].glued:
            end += 1
        if end - at <= LONGEST_RUN:
            yield from atoms[at:end]
        else:
            start, stop = atoms[at].start, atoms[end - 1].end
            word = text[start:stop].casefold()
            yield atoms[at]._replace(text=word, end=stop, numeric=False, number=None, percent=False)
        at = end


def _told(gap: str) -> tuple[bool, bool, bool, bool, bool]:
    """What the characters between two atoms do to the second.

    Whether it is `glued`, `joined`, `apart`, `assigned` (see Atom), and has a dash before it.
    """
    return (
        not gap,
        not any(c.isspace() for c in gap),
        any(c in _BREAKS for c in gap),
        gap.strip() in ("=", ":"),
        _DASHED.search(f"x{gap}") is not None,
    )


_between = lru_cache(maxsize=KEPT)(_told)


def _plain(match: re.Match[str]) -> str:
    """A number's digits: `1,5` is 1.5 before a size, `2^15` 32768, `200'000` 200000."""
    text = match[0].translate(_MINUS)
    if match["comma"] is not None:
        return text.replace(",", ".")
    if match["power"] is not None:
        base, exponent = match["power"].split("^")
        return text.replace(match["power"], str(int(base) ** int(exponent)))
    return text if match["bad"] is not None else _PARTING.sub("", text)


def _value(raw: str, *, bad: bool) -> float | None:
    """None for what is a number but not one that can stand here: negative, hex, endless."""
    if bad or raw.startswith("-") or len(raw) > LONGEST_NUMBER:
        return None
    return float(raw)
