"""Marks of a Vega specification: text, boxes and lines at places in points."""

from collections.abc import Mapping
from typing import Any

from bot.pictures.palette import GROUND, LETTERS, LINE

PLAIN = 12.5  # the usual size of letters, in points of a phone
FONT = "Liberation Sans"  # comes with the library, so it is the same everywhere
DASHES = (4, 3)
BAR = 16  # the height of one

Mark = dict[str, Any]
Place = float | Mapping[str, object]  # points, or bytes on the scale


def on_scale(size_bytes: int) -> Place:
    """Where so many bytes end."""
    return {"scale": "x", "value": size_bytes}


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
    """Words in one line; those beyond `limit` points end in an ellipsis."""
    return _mark(
        "text",
        x=x,
        y=y,
        text=words,
        font=FONT,
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
        x=on_scale(start),
        x2=on_scale(end),
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
    place = on_scale(size_bytes)
    return [
        _mark("rule", x=place, y=top, y2=bottom, stroke=GROUND, strokeWidth=3.2),
        _mark("rule", x=place, y=top, y2=bottom, stroke=LINE, strokeWidth=1.4, strokeDash=DASHES),
    ]


def _mark(kind: str, **channels: object) -> Mark:
    channel = {
        name: value if isinstance(value, Mapping) else {"value": value}
        for name, value in channels.items()
    }
    return {"type": kind, "encode": {"enter": channel}}
