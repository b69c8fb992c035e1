"""Where somebody stands in the walk: the step, and all that was chosen so far.

The whole of it goes into the name of a button, `b310001000000`, and behind a dash the place that it
was pressed at, to be held against. So nothing is remembered, and any process answers any press.
"""

import re
from dataclasses import dataclass, replace

from bot.compiled import compiled
from bot.learning.steps import STEPS, VALUES, Axis, Step

LAYOUT = "b"  # of a name; another letter for other steps, axes or values
_ORDER = tuple(Axis)
_PLACE = rf"([1-{len(STEPS)}])(\d{{{len(_ORDER)}}})"
_NAME = compiled(rf"{LAYOUT}{_PLACE}(?:-{_PLACE})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Place:
    """A step and the place of each axis' value among its `VALUES`, in the order of `Axis`."""

    step: Step
    chosen: tuple[int, ...]

    def value(self, axis: Axis) -> str:
        """What was chosen, or is so from the beginning."""
        return VALUES[axis].all[self.index(axis)]

    def index(self, axis: Axis) -> int:
        return self.chosen[_ORDER.index(axis)]

    def choosing(self, axis: Axis, index: int) -> "Place":
        """The same place with another value."""
        values = zip(_ORDER, self.chosen, strict=True)
        return replace(self, chosen=tuple(index if one is axis else old for one, old in values))

    def at(self, step: Step) -> "Place":
        """Another step, with what was chosen."""
        return replace(self, step=step)

    def beside(self, steps: int) -> "Place | None":
        """The place so many steps on, or back; none beyond either end."""
        number = STEPS.index(self.step) + steps
        return self.at(STEPS[number]) if 0 <= number < len(STEPS) else None

    @property
    def number(self) -> int:
        """The step, counted from one."""
        return STEPS.index(self.step) + 1


START = Place(STEPS[0], tuple(VALUES[axis].first for axis in _ORDER))


def name_of(place: Place, before: Place | None = None) -> str:
    """The place as a part of a button's name, and the one `before` it."""
    return LAYOUT + "-".join(_written(one) for one in (place, before) if one is not None)


def places_in(name: str) -> tuple[Place, Place | None] | None:
    """What `name_of` wrote; none of what it can't have written."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    step, chosen, step_before, chosen_before = found.groups()
    place = _read(step, chosen)
    before = None if step_before is None else _read(step_before, chosen_before)
    if place is None or (step_before is not None and before is None):
        return None
    return place, before


def _written(place: Place) -> str:
    return f"{place.number}{''.join(map(str, place.chosen))}"


def _read(step: str, chosen: str) -> Place | None:
    indexes = tuple(map(int, chosen))
    within = all(n < len(VALUES[axis].all) for axis, n in zip(_ORDER, indexes, strict=True))
    return Place(STEPS[int(step) - 1], indexes) if within else None
