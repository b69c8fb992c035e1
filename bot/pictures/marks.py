"""Marks of a Vega specification: text, boxes and lines at places in points."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.pictures.palette import GROUND, LETTERS, LINE

PLAIN = 12.5  # the usual size of letters, in points of a phone
DASHES = (4, 3)
BAR = 16  # the height of one

TEXT = "text"


@dataclass(frozen=True, slots=True)
class OnScale:
    """Where so many bytes end."""

    bytes: int


@dataclass(frozen=True, slots=True)
class Mark:
    """One of a `kind` of Vega's, and what is told of it."""

    kind: str
    channels: Mapping[str, object]


Place = float | OnScale  # points, or bytes


def text(
    words: str,
    x: Place,
    y: float,
    *,
    size: float = PLAIN,
    colour: str = LETTERS,
    bold: bool = False,
    align: str = "left",
    limit: float = 0,
) -> Mark:
    """Words in one line; those beyond `limit` points end in an ellipsis.

    Signs that cannot be printed are left out: one ends the process that draws.
    """
    return _mark(
        TEXT,
        x=x,
        y=y,
        text="".join(filter(str.isprintable, words)),
        fontSize=size,
        fontWeight="bold" if bold else "normal",
        fill=colour,
        align=align,
        baseline="middle",
        limit=limit,
    )


def stretch(start: int, end: int, y: float, colour: str, edge: str) -> Mark:
    """A box from so many bytes to so many."""
    return _mark(
        "rect",
        x=OnScale(start),
        x2=OnScale(end),
        y=y,
        height=BAR,
        fill=colour,
        stroke=edge,
        strokeWidth=0.7,
    )


def swatch(x: float, y: float, side: float, colour: str) -> Mark:
    """A square."""
    return _mark("rect", x=x, y=y, width=side, height=side, fill=colour)


def dashed(x: float, x2: float, y: float) -> Mark:
    """A short line as those across the bars."""
    return _mark("rule", x=x, x2=x2, y=y, stroke=LINE, strokeWidth=1.4, strokeDash=DASHES)


def across(size_bytes: int, top: float, bottom: float) -> list[Mark]:
    """A line from top to bottom, in two colours so that it shows on any."""
    place = OnScale(size_bytes)
    return [
        _mark("rule", x=place, y=top, y2=bottom, stroke=GROUND, strokeWidth=3.2, strokeDash=()),
        _mark("rule", x=place, y=top, y2=bottom, stroke=LINE, strokeWidth=1.4, strokeDash=DASHES),
    ]


def described(marks: Iterable[Mark]) -> dict[str, Any]:
    """Data and marks of a specification: one of Vega's marks for all that are alike.

    Words come last, so nothing is drawn over them.
    """
    alike: dict[tuple[str, tuple[tuple[str, bool], ...]], list[Mark]] = {}
    for mark in marks:
        channels = tuple((name, isinstance(v, OnScale)) for name, v in mark.channels.items())
        alike.setdefault((mark.kind, channels), []).append(mark)
    data, drawn = [], []
    for number, (kind, channels) in enumerate(sorted(alike, key=lambda one: one[0] == TEXT)):
        name = f"{kind}{number}"
        values = [_values(mark) for mark in alike[kind, channels]]
        data.append({"name": name, "values": values})
        enter = {
            channel: {"scale": "x", "field": channel} if scaled else {"field": channel}
            for channel, scaled in channels
        }
        drawn.append({"type": kind, "from": {"data": name}, "encode": {"enter": enter}})
    return {"data": data, "marks": drawn}


def _values(mark: Mark) -> dict[str, object]:
    return {n: v.bytes if isinstance(v, OnScale) else v for n, v in mark.channels.items()}


def _mark(kind: str, **channels: object) -> Mark:
    return Mark(kind, channels)
