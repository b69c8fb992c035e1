"""What can be pressed at a place of the walk: a row of changes, and a row of steps."""

from collections.abc import Iterator

from bot.learning.asking import model_of
from bot.learning.place import START, Place, name_of
from bot.learning.steps import AXES, VALUES, Axis, Step
from bot.locale import Locale
from bot.presses.ids import Action, id_of
from bot.presses.panel import Button

TWO = 2  # values of which a button offers the other
Rows = tuple[tuple[Button, ...], ...]


def rows_at(place: Place, locale: Locale) -> Rows:
    """The changes, each held against this place; then the steps beside it."""
    changes = tuple(one for axis in AXES[place.step] for one in _changes(place, axis, locale))
    return changes, tuple(_steps(place, locale))


def _changes(place: Place, axis: Axis, locale: Locale) -> Iterator[Button]:
    count, now = len(VALUES[axis].all), place.index(axis)
    for index in range(count):
        if index != now or count > TWO:
            changed = place.choosing(axis, index)
            name = id_of(Action.LEARN, name_of(changed, place))
            yield Button(name, _label(changed, axis, locale), chosen=index == now)


def _steps(place: Place, locale: Locale) -> Iterator[Button]:
    """Back shows what is there by itself; what comes next is held against what is here."""
    words = locale.learn.buttons
    if (back := place.beside(-1)) is not None:
        yield Button(id_of(Action.LEARN, name_of(back)), words["back"])
    if (on := place.beside(1)) is None:
        yield Button(id_of(Action.LEARN, name_of(START)), words["again"])
        return
    before = None if on.step is Step.REAL else place
    yield Button(id_of(Action.LEARN, name_of(on, before)), words["next"], main=True)


def _label(place: Place, axis: Axis, locale: Locale) -> str:
    """As the language calls it; sizes and models by their names."""
    value = place.value(axis)
    if axis is Axis.MODEL:
        return model_of(place).rpartition("/")[2]
    return locale.learn.values.get(axis, {}).get(value, value)
