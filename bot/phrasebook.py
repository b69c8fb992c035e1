"""What the estimator says, in another language: a locale's `[estimator]`, by its English.

A key is a sentence or a part of one as the estimator writes it, with names in braces for what
differs from one answer to the next. What fills those may itself be such a part.
"""

import re
import string
from collections.abc import Iterator, Mapping

from bot.compiled import compiled

JOINTS = compiled(r"(; |: |, |(?<=[.?!]) )")  # between sentences, and parts that are put together


class Phrasebook:
    """Every phrase of one language, found by its English."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._whole = {key: words for key, words in phrases.items() if "{" not in key}
        self._open = [_Pattern(key, words) for key, words in phrases.items() if "{" in key]
        self._open.sort(key=lambda one: -one.literal)  # the most words in common

    def phrased(self, text: str) -> str:
        """The whole, or else sentence by sentence; what is in no phrase stays as it is."""
        found = self.found(text)
        if found is not None:
            return found
        return self._joined(JOINTS.split(text))

    def found(self, text: str) -> str | None:
        """What one phrase makes of all of `text`; None where none is that."""
        if text in self._whole:
            return self._whole[text]
        return next(self._tried(text), None)

    def _tried(self, text: str) -> Iterator[str]:
        for one in self._open:
            values = one.values_in(text)
            if values is not None:
                yield one.words.format(**{n: self.found(v) or v for n, v in values.items()})

    def _joined(self, parts: list[str]) -> str:
        """The longest runs of parts, and of what stands between them, that are phrases."""
        said: list[str] = []
        first = 0
        while first < len(parts):
            ends = range(len(parts), first, -1)
            runs = ((end, self.found("".join(parts[first:end]))) for end in ends)
            end, words = next((run for run in runs if run[1]), (first + 1, parts[first]))
            said.append(words or "")
            first = end
        return "".join(said)


class _Pattern:
    """A phrase with names in braces. `literal`: how many letters stand outside of those."""

    def __init__(self, key: str, words: str) -> None:
        self._parts = [(text, name) for text, name, _, _ in string.Formatter().parse(key)]
        self.words = words
        self.literal = sum(len(text) for text, _ in self._parts)
        self._hint = max((text for text, _ in self._parts), key=len)
        self._compiled: re.Pattern[str] | None = None

    def values_in(self, text: str) -> Mapping[str, str] | None:
        """What stands in `text` for each name; None where it is another phrase."""
        if self._hint not in text:
            return None
        if self._compiled is None:
            parts = (_part(text, name) for text, name in self._parts)
            self._compiled = re.compile("".join(parts), re.DOTALL)
        match = self._compiled.fullmatch(text)
        return None if match is None else match.groupdict()


def _part(text: str, name: str | None) -> str:
    return re.escape(text) + (f"(?P<{name}>.*?)" if name else "")
