"""Which topic a question is about, by its words and by what was read of it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.explaining.phrases import Phrase, holds, phrase_of, without, words_of
from bot.explaining.topics import Topics, Words


@dataclass(frozen=True, slots=True)
class Known:
    """What means one topic: its matter, and questions by themselves."""

    id: str
    about: tuple[Phrase, ...]
    asks: tuple[Phrase, ...]


class TopicFinder:
    """Finds topics of one language."""

    def __init__(self, topics: Topics) -> None:
        asking = topics.asking
        self._titles = {words_of(topic.title): key for key, topic in topics.topics.items()}
        self._titles |= {words_of(key): key for key in topics.topics}
        self._known = tuple(
            Known(key, _phrases(topic.about), _phrases(topic.asks))
            for key, topic in topics.topics.items()
        )
        self._filler = frozenset(words_of(word).strip() for word in asking.filler)
        self._never, self._why = _phrases(asking.never), _phrases(asking.why)
        self._begin = tuple(map(words_of, asking.begin))
        self._before, self._behind = self._bare(asking.what), self._bare(asking.means)
        between = "|".join(map(re.escape, asking.against))
        self._between = re.compile(rf"\b(?:{between})\b", re.IGNORECASE)

    def topic_of(self, text: str, said: Iterable[str] = (), least: int = 1) -> str | None:
        """The id of the topic that `text` asks about; None where it asks about none.

        `said`: what was read of it in the program's own words, as `zero3` of `stage 3`. Of
        several topics it is the one with the most words in common, which are `least` or more.
        """
        asked = words_of(text)
        if any(phrase.is_in(asked) for phrase in self._never):
            return None
        named = next((asked[len(word) - 1 :] for word in self._begin if asked.startswith(word)), "")
        if named in self._titles:
            return self._titles[named]
        words = "".join([asked, *map(words_of, said)])
        why = any(phrase.is_in(asked) for phrase in self._why)
        bare = without(asked, self._filler)
        found = [
            (phrase.size + whole, known.id)
            for known in self._known
            for phrase, whole in _both(known)
            if phrase.size + whole >= least
            and phrase.is_in(words)
            and (whole or why or self._is_asked(phrase, bare))
        ]
        if found:
            return max(found, key=lambda one: one[0])[1]
        return self.named(named) if named.strip() else None

    def named(self, name: str) -> str | None:
        """The id of the topic that `name` names, which need not be a question."""
        words = words_of(name)
        if words in self._titles:
            return self._titles[words]
        found = [
            (phrase.size, known.id)
            for known in self._known
            for phrase, _ in _both(known)
            if phrase.is_in(words)
        ]
        return max(found, key=lambda one: one[0])[1] if found else None

    def sides_of(self, text: str) -> tuple[str, ...]:
        """Parts of a question that are held against each other, as by `than`."""
        return tuple(part for part in self._between.split(text) if part.strip())

    def _is_asked(self, phrase: Phrase, bare: str) -> bool:
        """Whether `what is` stands right before a part of it, or `means` right behind one."""
        parts = [without(part, self._filler) for part in phrase.parts]
        return any(
            any(holds(bare, f"{word}{part[1:]}") for word in self._before)
            or any(holds(bare, f"{part}{word[1:]}") for word in self._behind)
            for part in parts
            if part.strip()
        )

    def _bare(self, texts: Words) -> tuple[str, ...]:
        return tuple(without(words_of(text), self._filler) for text in texts)


def _phrases(texts: Words) -> tuple[Phrase, ...]:
    return tuple(map(phrase_of, texts))


def _both(known: Known) -> Iterator[tuple[Phrase, bool]]:
    """Each phrase of a topic, and whether it is a question by itself."""
    yield from ((phrase, False) for phrase in known.about)
    yield from ((phrase, True) for phrase in known.asks)
