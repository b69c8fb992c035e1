"""Answers that were worked out lately, given again to who asks the same in the same words.

An answer follows from the words, the options, the language, a team's cards, the operator's prices
and the tables, which stay as they are while the program runs. So what is remembered is what would
be worked out anew. It is kept in memory alone, and only what a person may type in one line.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from bot.team import Team

MOST = 128  # answers; about 45 kB each
LONGEST = 300  # characters of a question: what is pasted is asked once

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Key:
    """All that an answer follows from, beside the tables."""

    text: str
    options: tuple[tuple[str, Hashable], ...]
    language: str
    team: Team | None
    prices: tuple[Hashable, ...] = ()


class Remembered(Generic[T]):
    """The newest `most`, by who was asked for last; from any thread."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Key, T] = OrderedDict()
        self._lock = Lock()

    def recall(self, key: Key | None) -> T | None:
        """What was worked out for this; none where it was not, or not lately."""
        if key is None:
            return None
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: Key | None, found: T) -> None:
        """From now on `found` is recalled; what was asked for longest ago gives way."""
        if key is None:
            return
        with self._lock:
            self._kept[key] = found
            self._kept.move_to_end(key)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)


class Made(Generic[T]):
    """What was made of the newest `most` things, by which they are and how it was made.

    An answer that is given again is the same one, and so is what is made of it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()

    def recall(self, thing: object, *how: Hashable) -> T | None:
        """What was made of it; none where that was not, or not lately."""
        key = (id(thing), *how)
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][1]

    def keep(self, thing: object, made: T, *how: Hashable) -> T:
        """From now on it is recalled; it is given back."""
        self._kept[id(thing), *how] = (thing, made)  # held, so that no other one becomes it
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return made
