"""Typing errors in other languages' words: `trienar` for `treinar`. Names are left as they are.

Only in languages whose letters are Latin; what stands in their place is said.
"""

import re
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from bot.compiled import compiled
from bot.reading.facts import Said
from bot.reading.glossary import ANY_END, load_glossary, plain

LEAST, LONG = 5, 8  # letters from which one, and two, typing errors are forgiven
MOST_KEPT = 4096  # words of which it is remembered what they mean
_WORD = compiled(r"(?<![\w/.@'’-])[^\W\d_]{5,}(?![\w/@-])")
_BEGINS = compiled(r"(?:^|[.!?¿¡:])\s*$")


def mend_words(text: str, code: str, said: Said, kept: AbstractSet[str]) -> str:
    """`text` with slips of the finger put right; `kept` are English words and names."""

    def mend(found: re.Match[str]) -> str:
        word = plain(found[0])
        name = found[0][0].isupper() and not _BEGINS.search(text, max(0, found.start() - 3),
                                                            found.start())  # fmt: skip
        meant = None if name or word in kept else _meant(word, code)
        if meant is None:
            return found[0]
        if _words(code).known[meant]:
            said.corrections.append((found[0], meant))
        return meant

    return _WORD.sub(mend, text)


@lru_cache(maxsize=MOST_KEPT)
def _meant(word: str, code: str) -> str | None:
    """The word of the language that `word` is a slip of; none for a word that it has."""
    words = _words(code)
    if word in words.known or word.startswith(words.stems):
        return None
    most = 2 if len(word) >= LONG else 1
    near: dict[int, list[str]] = {}
    for other in words.by_letter.get(word[0], ()):
        if abs(len(other) - len(word)) <= most:
            distance = OSA.distance(word, other, score_cutoff=most)
            near.setdefault(distance, []).append(other)
    closest = near.get(1) or near.get(2) if most > 1 else near.get(1)
    alike = {words.known[other] for other in closest or ()}
    return closest[0] if closest and len(alike) == 1 and None not in alike else None


class _Words:
    """A language's words → the English of those that are phrases by themselves, else none."""

    def __init__(self, code: str) -> None:
        self.known: dict[str, str | None] = {}
        stems: list[str] = []
        for phrase, english in load_glossary(code).entries():
            words = phrase.split()
            stems += [word.removesuffix(ANY_END) for word in words if word.endswith(ANY_END)]
            for word in words:
                self.known.setdefault(word, None)
            if len(words) == 1:
                self.known[phrase] = english
        self.known |= dict.fromkeys(map(plain, load_glossary(code).numerals))
        self.stems = tuple(stems)
        self.by_letter: dict[str, list[str]] = {}
        for word in self.known:
            if len(word) >= LEAST - 1 and ANY_END not in word:
                self.by_letter.setdefault(word[0], []).append(word)


@cache
def _words(code: str) -> _Words:
    return _Words(code)
