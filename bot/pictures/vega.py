"""A picture → a Vega specification: marks at places in points, of 300 across a phone.

Vega's own axes and legends are made for wide pages; here names stand beside or above the bars,
amounts in a column at the right, where no line crosses them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.locale import ENGLISH
from bot.pictures.fonts import fonts_of
from bot.pictures.marks import BAR, Mark, across, dashed, described, stretch, swatch, text
from bot.pictures.palette import FAINT_LETTERS, GROUND, PARTS, ROOM, ROOM_EDGE
from bot.pictures.picture import Limit, Picture
from bot.presenting.widths import columns_of

WIDTH = 300
MARGIN = 8
TITLE, SMALL = 14, 12  # sizes of letters
LETTER = 6.6  # points of one, in the usual size, on the safe side
BOLD = 7.6  # and of a bold one
LEAST_NAMES, MOST_NAMES = 40, 126  # for names beside bars
HEAD, LIMIT_NAMES = 44, 18
MOST_LINES = 3
ROW = 22
LONG_ROW, ABOVE = 34, 16
LABEL_ROW, COLUMNS, SWATCH, GAP = 17, 2, 10, 8
VERSION = "https://vega.github.io/schema/vega/v5.json"


def specification(picture: Picture, language: str = ENGLISH) -> str:
    """The specification as JSON: equal pictures give equal texts."""
    laid = _Layout(picture)
    said = {
        "$schema": VERSION,
        "width": WIDTH,
        "height": laid.height,
        "padding": 0,
        "background": GROUND,
        "config": {"text": {"font": fonts_of(language)}},
        "scales": [
            {
                "name": "x",
                "type": "linear",
                "domain": [0, laid.longest_bytes],
                "range": [laid.left, laid.right],
            }
        ],
        **described(
            [*_headings(picture), *_bars(laid), *_limits(laid), *_rows(laid), *_labels(laid)]
        ),
    }
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class _Layout:
    """Where everything of a picture stands, in points from the top left."""

    picture: Picture

    @property
    def top(self) -> int:
        return HEAD + (LIMIT_NAMES if any(one.name for one in self.picture.limits) else 0)

    @property
    def bottom(self) -> int:
        return self.top + (LONG_ROW if self.picture.long_names else ROW) * len(self.picture.bars)

    @property
    def height(self) -> int:
        labels = len(self.picture.labels) + bool(self.picture.dashed)
        return self.bottom + GAP + LABEL_ROW * -(-labels // COLUMNS) + MARGIN

    @property
    def names(self) -> float:
        """The width of the names beside the bars."""
        longest = max(columns_of(bar.name) for bar in self.picture.bars) * BOLD
        return min(max(longest, LEAST_NAMES), MOST_NAMES)

    @property
    def left(self) -> float:
        return MARGIN if self.picture.long_names else MARGIN + self.names + 5

    @property
    def right(self) -> float:
        """Where the amounts begin."""
        longest = max(columns_of(bar.amount) for bar in self.picture.bars)
        return WIDTH - MARGIN - longest * LETTER - 5

    @property
    def longest_bytes(self) -> int:
        bars = max((bar.bytes for bar in self.picture.bars), default=0)
        return max(1, bars, *(limit.bytes for limit in self.picture.limits))

    def bar_top(self, place: int) -> int:
        if self.picture.long_names:
            return self.top + LONG_ROW * place + ABOVE
        return self.top + ROW * place

    def crossed(self) -> list[tuple[int, int]]:
        """From where to where lines go: across all bars, but not through names above them."""
        if not self.picture.long_names:
            return [(self.top - 2, self.bottom)]
        tops = [self.bar_top(place) for place in range(len(self.picture.bars))]
        return [(top - 1, top + BAR + 1) for top in tops]

    def x(self, size_bytes: int) -> float:
        return self.left + (self.right - self.left) * size_bytes / self.longest_bytes

    def apart(self) -> Iterator[tuple[Limit, float]]:
        """Limits whose names do not overlap, and the middle of each name within the picture."""
        taken: list[tuple[float, float]] = []
        for limit in self.picture.limits:
            if len(taken) == MOST_LINES:
                return
            half = min((columns_of(limit.name) + 1) * LETTER, WIDTH - 2 * MARGIN) / 2
            middle = min(max(self.x(limit.bytes), MARGIN + half), WIDTH - MARGIN - half)
            if all(middle - half >= end or middle + half <= start for start, end in taken):
                taken.append((middle - half, middle + half))
                yield limit, middle


def _headings(picture: Picture) -> Iterator[Mark]:
    room = WIDTH - 2 * MARGIN
    yield text(picture.title, MARGIN, 15, size=TITLE, bold=True, limit=room)
    yield text(picture.subtitle, MARGIN, 33, size=SMALL, colour=FAINT_LETTERS, limit=room)


def _bars(laid: _Layout) -> Iterator[Mark]:
    for place, bar in enumerate(laid.picture.bars):
        top = laid.bar_top(place)
        if bar.room_bytes:
            yield stretch(0, bar.room_bytes, top, ROOM, ROOM_EDGE)
        start = 0
        for piece in bar.pieces:
            yield stretch(start, start + piece.bytes, top, PARTS[piece.part], GROUND)
            start += piece.bytes


def _limits(laid: _Layout) -> Iterator[Mark]:
    """Lines over the bars, and their names above them."""
    for limit, middle in laid.apart():
        for start, end in laid.crossed():
            yield from across(limit.bytes, start, end)
        if limit.name:
            room = WIDTH - 2 * MARGIN
            yield text(limit.name, middle, laid.top - 10, align="center", limit=room)


def _rows(laid: _Layout) -> Iterator[Mark]:
    """The bars' names, and their amounts."""
    for place, bar in enumerate(laid.picture.bars):
        top = laid.bar_top(place)
        if laid.picture.long_names:
            yield text(bar.name, MARGIN, top - 8, limit=WIDTH - 2 * MARGIN)
        else:
            yield text(bar.name, MARGIN, top + BAR / 2, bold=bar.strong, limit=laid.names)
        room = WIDTH - MARGIN / 2 - laid.right - 5
        yield text(bar.amount, laid.right + 5, top + BAR / 2, bold=bar.strong, limit=room)


def _labels(laid: _Layout) -> Iterator[Mark]:
    """What colours mean, and the lines, in two columns."""
    said = [(PARTS[label.part], label.words) for label in laid.picture.labels]
    said += [("", laid.picture.dashed)] if laid.picture.dashed else []
    wide = (WIDTH - 2 * MARGIN) / COLUMNS
    for place, (colour, words) in enumerate(said):
        x = MARGIN + wide * (place % COLUMNS)
        y = laid.bottom + GAP + LABEL_ROW * (place // COLUMNS)
        yield swatch(x, y + 3, SWATCH, colour) if colour else dashed(x, x + SWATCH + 1, y + 8)
        yield text(words, x + SWATCH + 5, y + 8, size=SMALL, limit=wide - SWATCH - 8)
