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
        self._found: dict[tuple[int, int | None], Match | None] = {}
        self._units: dict[int, str | None] = {}

    def longest(self, atoms: Sequence[Atom], at: int, below: int | None = None) -> Match | None:
        """As of any vocabulary, where `atoms` are always those of the one line."""
        place = (at, below)
        if place not in self._found:
            self._found[place] = super().longest(atoms, at, below)
        return self._found[place]

    def unit(self, atoms: Sequence[Atom], at: int) -> str | None:
        """Likewise."""
        if at not in self._units:
            self._units[at] = super().unit(atoms, at)
        return self._units[at]

    def forget(self) -> None:
        """An atom was changed."""
        self._found.clear()
        self._units.clear()
