"""The whole walk of `/vram learn` as text, with what can be pressed below each step.

Nothing is changed in it but one thing at each step, which is put back before the next.
"""

from collections.abc import Iterator, Sequence

from bot.ask import Desk
from bot.learning.place import START, Place
from bot.learning.steps import AXES, STEPS, VALUES
from bot.learning.teach import lesson
from bot.presses.panel import Button
from bot.surface.lesson import lesson_embed
from tests.golden.embeds import text_of

RULE = "-" * 30


def current_walk(desk: Desk) -> str:
    """Each step as it is entered, and after one change."""
    return f"\n{RULE}\n\n".join(_shown(desk, *one) for one in _places())


def _places() -> Iterator[tuple[Place, Place | None]]:
    before = None
    for step in STEPS:
        place = START.at(step)
        yield place, before
        axis = AXES[step][0]
        others = [n for n in range(len(VALUES[axis].all)) if n != place.index(axis)]
        yield place.choosing(axis, others[-1]), place
        before = place


def _shown(desk: Desk, place: Place, before: Place | None) -> str:
    shown = lesson(place, before, desk.catalog, desk.locale)
    buttons = "\n".join("  ".join(_sketch(row)) for row in shown.rows)
    return f"{text_of(lesson_embed(shown))}\n{shown.foot}\n{buttons}\n"


def _sketch(row: Sequence[Button]) -> Iterator[str]:
    for button in row:
        yield f"(* {button.label} *)" if button.main or button.chosen else f"( {button.label} )"
