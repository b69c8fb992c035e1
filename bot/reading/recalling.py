"""A vocabulary for one line, which remembers what it found at each of its atoms."""

from collections.abc import Sequence

from bot.reading.atoms import Atom
from bot.reading.vocabulary import Match, Vocabulary


class Recalling(Vocabulary):
    """The same phrases as `whole` has; each atom of a line is looked up once.

    A line is asked about the same place by what counts cards, tokens, nodes and more.
    """

    def __init__(self, whole: Vocabulary) -> None:
        super().__init__(whole.families, whole)
        self._found: dict[int, Match | None] = {}
        self._shorter: dict[tuple[int, int], Match | None] = {}
        self._units: dict[int, str | None] = {}

    def longest(self, atoms: Sequence[Atom], at: int, below: int | None = None) -> Match | None:
        """As of any vocabulary, where `atoms` are always those of the one line."""
        if below is not None:
            return self._below(atoms, at, below)
        try:
            return self._found[at]
        except KeyError:
            self._found[at] = match = super().longest(atoms, at)
            return match

    def _below(self, atoms: Sequence[Atom], at: int, below: int) -> Match | None:
        place = (at, below)
        if place not in self._shorter:
            self._shorter[place] = super().longest(atoms, at, below)
        return self._shorter[place]

    def unit(self, atoms: Sequence[Atom], at: int) -> str | None:
        """Likewise."""
        try:
            return self._units[at]
        except KeyError:
            self._units[at] = unit = super().unit(atoms, at)
            return unit

    def forget(self) -> None:
        """An atom was changed."""
        self._found.clear()
        self._shorter.clear()
        self._units.clear()
