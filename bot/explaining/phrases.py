"""Phrases in a question, whatever their case, accents and plurals.

A text is its words between single blanks, digits apart from letters: `zero3`, `ZeRO-3` and
`zero 3` are all ` zero 3 `. Letters that are drawn out, as in `sooo`, are one.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Generic, TypeVar

from bot.compiled import compiled

Meant = TypeVar("Meant")

ALSO = "&"  # joins parts that must all be there
SHORTEST_PLURAL = 4  # letters; below, an `s` at the end is a part of the word

_TIMES = compiled("[×✕*]")
_ACCENTS = compiled("[\u0300-\u036f]")
_WORD = compiled(r"[^\W\d_]+|\d+")
_DRAWN_OUT = compiled(r"([a-z])\1{2,}")  # sooo
_UNSPACED = compiled(  # written without blanks, or with particles behind words
    "[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
LETTERS = 2  # of such a script, which say as much as a word


@dataclass(frozen=True, slots=True)
class Phrase:
    """Parts that must all be there, each in the words of `words_of`."""

    parts: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many words it has: the more, the surer it is."""
        return sum(_words_in(word) for part in self.parts for word in part.split())

    def is_in(self, words: str) -> bool:
        """Whether all its parts stand in `words`."""
        return all(holds(words, part) for part in self.parts)


def _words_in(word: str) -> int:
    return max(1, len(word) // LETTERS) if _UNSPACED.search(word) else 1


class Phrases(Generic[Meant]):
    """Phrases with what each means, found by their first words: a text holds few of them."""

    def __init__(self, entries: Iterable[tuple[Phrase, Meant]]) -> None:
        self._by_word: dict[str, list[tuple[Phrase, Meant]]] = {}
        self._anywhere: list[tuple[Phrase, Meant]] = []
        for phrase, meant in entries:
            first = phrase.parts[0]
            if _UNSPACED.search(first):
                self._anywhere.append((phrase, meant))
            else:
                self._by_word.setdefault(first.split()[0], []).append((phrase, meant))

    def found_in(self, words: str) -> Iterator[tuple[Phrase, Meant]]:
        """Each phrase that `words` hold."""
        may_be = [self._by_word.get(word, ()) for word in dict.fromkeys(words.split())]
        for phrase, meant in chain(self._anywhere, *may_be):
            if phrase.is_in(words):
                yield phrase, meant

    def are_in(self, words: str) -> bool:
        """Whether `words` hold any."""
        return any(True for _ in self.found_in(words))


def phrase_of(text: str) -> Phrase:
    """`zero 3 & qlora` as a phrase of two parts."""
    return Phrase(tuple(words_of(part) for part in text.split(ALSO)))


def words_of(text: str) -> str:
    """The words of `text`, a blank before and behind each."""
    plain = unicodedata.normalize("NFKD", _TIMES.sub(" x ", text)).casefold()
    plain = _DRAWN_OUT.sub(r"\1", unicodedata.normalize("NFC", _ACCENTS.sub("", plain)))
    return f" {' '.join(map(_singular, _WORD.findall(plain)))} "


def without(words: str, filler: Collection[str]) -> str:
    """The same less the words of `filler`."""
    return f" {' '.join(word for word in words.split() if word not in filler)} "


def holds(words: str, part: str) -> bool:
    """Whether `part` is among `words`; in scripts without blanks, anywhere in them."""
    if part in words:
        return True
    return bool(_UNSPACED.search(part)) and part.replace(" ", "") in words.replace(" ", "")


def _singular(word: str) -> str:
    plural = len(word) >= SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word
