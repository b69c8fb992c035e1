"""Typing errors: the one known word that an unknown word can only mean."""

from functools import cached_property

from rapidfuzz.distance import OSA

SHORT, LONG = 5, 8  # letters from which one, and two, typing errors are forgiven


class Mender:
    """Knows the words of one vocabulary; `kept` are never taken for typing errors."""

    def __init__(self, words: frozenset[str], kept: frozenset[str]) -> None:
        self._words = words
        self._kept = kept

    @cached_property
    def _by_first_letter(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in sorted(self._words):
            if len(word) >= SHORT - 1:
                found.setdefault(word[0], []).append(word)
        return found

    def meant(self, word: str) -> str | None:
        """The one word that differs by a slip of the finger; none if there is not just one."""
        if word in self._kept:
            return None
        most = 2 if len(word) >= LONG else 1
        near = [
            known
            for known in self._by_first_letter.get(word[0], ())
            if abs(len(known) - len(word)) <= most
            and OSA.distance(word, known, score_cutoff=most) <= most
        ]
        if len(word) < SHORT:  # `lroa` yes, `lost` no
            near = [known for known in near if sorted(known) == sorted(word)]
        return near[0] if len(near) == 1 else None
