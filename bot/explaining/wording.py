"""Topics by what their explanations say, for questions in words that no phrase has.

Okapi BM25 (Robertson and Zaragoza, 2009) over each topic's texts in English and in one other
language: a word weighs the more, the fewer topics hold it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from bot.compiled import compiled
from bot.explaining.phrases import words_of

SATURATION, LENGTH = 1.2, 0.75  # k1 and b, as that paper has them
STEM = 6  # letters of a word that tell it: quantised, quantization
NAMES_COUNT = 3  # times that a name of a topic counts as a text of it
_WIDE = compiled("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")  # without blanks, or inflected


class Wording:
    """Ranks topics by the words that a question has in common with their texts."""

    def __init__(self, topics: Mapping[str, tuple[Iterable[str], Iterable[str]]]) -> None:
        """`topics`: the names of each, and its texts."""
        self._counts = {
            key: Counter(
                [one for text in texts for one in _terms(text)]
                + [one for name in names for one in _terms(name)] * NAMES_COUNT
            )
            for key, (names, texts) in topics.items()
        }
        held = Counter(term for counts in self._counts.values() for term in counts)
        number = len(self._counts)
        self._weights = {
            term: math.log(1 + (number - many + 0.5) / (many + 0.5)) for term, many in held.items()
        }
        sizes = {key: counts.total() for key, counts in self._counts.items()}
        mean = sum(sizes.values()) / max(1, number)
        self._lengths = {key: 1 - LENGTH + LENGTH * size / mean for key, size in sizes.items()}

    def ranked(self, text: str) -> list[tuple[float, str]]:
        """Topics with a word in common with `text`, and how much they have, most first."""
        terms = {*_terms(text)}
        scores = ((self._score(terms, key), key) for key in self._counts)
        return sorted((one for one in scores if one[0] > 0), key=lambda one: -one[0])

    def _score(self, terms: Iterable[str], key: str) -> float:
        counts, length = self._counts[key], self._lengths[key]
        return sum(
            self._weights[term] * many * (SATURATION + 1) / (many + SATURATION * length)
            for term in terms
            if (many := counts.get(term, 0))
        )


def _terms(text: str) -> Iterator[str]:
    """The words of a text; pairs of letters where words do not stand apart."""
    for word in words_of(text).split():
        if _WIDE.fullmatch(word):
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word[:STEM]
