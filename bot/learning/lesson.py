"""What a step of the walk shows, in words; the type alone."""

from dataclasses import dataclass

from bot.presenting.explanation import Cited
from bot.presses.panel import Button


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step, the number first.

    `moved`: by how much, and in what, since the place before; empty where nothing was before.
    `text`: the one idea. `sum`: its arithmetic. `bars`: rows of a code block. `further`: where to
    go on, at the end. `line` can be typed again. `rows`: of buttons. `source`: of what was
    published. `foot`: which step it is.
    """

    title: str
    moved: str
    text: str
    sum: str
    bars: tuple[str, ...]
    source: Cited | None
    further_heading: str
    further: tuple[str, ...]
    line_heading: str
    line: str
    foot: str
    rows: tuple[tuple[Button, ...], ...]
