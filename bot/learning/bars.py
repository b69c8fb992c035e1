"""What is held as bars of text, each part with what came and went since before.

    Weights       13.67 ███
    Optimizer      0.31 --------
    Total         15.66 was 108.46

A row has as many columns as a phone shows unbroken.
"""

from collections.abc import Iterator, Mapping, Sequence

from bot.locale import Locale
from bot.pictures.parts import pieces_of
from bot.pictures.picture import Part
from bot.presenting.column import in_gib
from bot.presenting.widths import columns_of, padded
from estimator import Line

COLUMNS = 30
LEAST_BAR = 4  # columns
NOTHING = "0.00"
STAYS, CAME, WENT = "█", "+", "-"


def bars_of(
    now: Sequence[Line], before: Sequence[Line] | None, locale: Locale, aside: dict[str, int]
) -> tuple[str, ...]:
    """A row for each part, their sum, and rows of other sums beside it by their names."""
    held, past = _by_part(now), _by_part(now if before is None else before)
    words, names = locale.learn.sentences, locale.pictures.parts
    whole, old = sum(held.values()), sum(past.values())
    numbers = dict(zip(held, in_gib([*held.values()]), strict=True))
    sums = {name: _alone(size) for name, size in ({words["together"]: whole} | aside).items()}
    number = max(map(len, [*numbers.values(), *sums.values()]))
    label = max(map(columns_of, [*sums, *(names[part] for part in Part if part in held | past)]))
    label = min(label, COLUMNS - number - LEAST_BAR - 2)
    room = COLUMNS - label - number - 2
    longest = max([*held.values(), *past.values()])
    bars = {p: _bar(held.get(p, 0), past.get(p, 0), longest, room) for p in Part}
    rows = [(names[p], numbers.get(p, NOTHING), bars[p]) for p in Part if p in held or bars[p]]
    rows += [(name, amount, "") for name, amount in sums.items()]
    if old != whole:
        place = len(rows) - len(sums)
        rows[place] = (*rows[place][:2], words["was"].format(before=_alone(old)))
    shown = (
        _row(padded(_cut(name, label), label), f"{n:>{number}}", rest) for name, n, rest in rows
    )
    return (*shown, *_legend("".join(bars.values()), words))


def _row(*cells: str) -> str:
    """The cells in their columns; as they are, where they would be too wide."""
    row = " ".join(cells).rstrip()
    return row if columns_of(row) <= COLUMNS else " ".join(cell.strip() for cell in cells)


def _cut(name: str, most: int) -> str:
    """As much of a name as goes into so many columns."""
    while columns_of(name) > most:
        name = name[:-1]
    return name


def _by_part(lines: Sequence[Line]) -> dict[Part, int]:
    return {piece.part: piece.bytes for piece in pieces_of(lines)}


def _bar(now: int, before: int, longest: int, room: int) -> str:
    """What stays, then what came or went."""
    ends = [round(size * room / longest) for size in (now, before)]
    stays = min(ends)
    return STAYS * stays + (CAME if now > before else WENT) * (max(ends) - stays)


def _legend(marks: str, words: Mapping[str, str]) -> Iterator[str]:
    said = [words[name] for mark, name in ((CAME, "came"), (WENT, "went")) if mark in marks]
    if said:
        yield "  ".join(said)


def _alone(size: int) -> str:
    """A sum, rounded as the column above it is."""
    return in_gib([size])[0]
