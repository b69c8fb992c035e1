"""Which topic a question is about, by its words and by what was read of it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.explaining.phrases import Phrase, Phrases, holds, phrase_of, without, words_of
from bot.explaining.topics import Topics, Words


@dataclass(frozen=True, slots=True)
class Meant:
    """A topic's `id` and its `place` in the file; `whole`: the phrase is a question by itself."""

    id: str
    place: int
    whole: bool

    def weight(self, phrase: Phrase) -> tuple[int, int]:
        """How sure it is: by its words, then by the order of the file."""
        return phrase.size + self.whole, -self.place


class TopicFinder:
    """Finds topics of one language."""

    def __init__(self, topics: Topics) -> None:
        asking = topics.asking
        self._titles = {words_of(topic.title): key for key, topic in topics.topics.items()}
        self._titles |= {words_of(key): key for key in topics.topics}
        self._known = Phrases(_entries(topics))
        self._filler = frozenset(words_of(word).strip() for word in asking.filler)
        self._never, self._why = _any_of(asking.never), _any_of(asking.why)
        self._does, self._effect = _any_of(asking.does), _any_of(asking.effect)
        self._begin = tuple(map(words_of, asking.begin))
        self._before, self._behind = self._bare(asking.what), self._bare(asking.means)
        between = "|".join(map(re.escape, asking.against))
        self._between = re.compile(rf"\b(?:{between})\b", re.IGNORECASE)

    def topic_of(
        self, text: str, said: Iterable[str] = (), *, least: int = 1, freely: bool = True
    ) -> str | None:
        """The id of the topic that `text` asks about; None where it asks about none.

        `said`: what was read of it in the program's own words, as `zero3` of `stage 3`. Of
        several topics it is the one with the most words in common, which are `least` or more.
        `freely`: also where it asks whether something changes memory.
        """
        asked = words_of(text)
        if self._never.are_in(asked):
            return None
        named = next((asked[len(word) - 1 :] for word in self._begin if asked.startswith(word)), "")
        if named in self._titles:
            return self._titles[named]
        why = self._why.are_in(asked) or (freely and self._asks_whether(asked))
        bare = without(asked, self._filler)
        found = [
            (meant.weight(phrase), meant.id)
            for phrase, meant in self._known.found_in("".join([asked, *map(words_of, said)]))
            if phrase.size + meant.whole >= least
            and (meant.whole or why or self._is_asked(phrase, bare))
        ]
        if found:
            return max(found)[1]
        return self.named(named) if freely and named.strip() else None

    def asks_why(self, text: str) -> bool:
        """Whether `text` asks for a reason, of whatever."""
        asked = words_of(text)
        return self._why.are_in(asked) and not self._never.are_in(asked)

    def named(self, name: str) -> str | None:
        """The id of the topic that `name` names, which need not be a question."""
        words = words_of(name)
        if words in self._titles:
            return self._titles[words]
        found = [(meant.weight(phrase), meant.id) for phrase, meant in self._known.found_in(words)]
        return max(found)[1] if found else None

    def sides_of(self, text: str) -> tuple[str, ...]:
        """Parts of a question that are held against each other, as by `than`."""
        return tuple(part for part in self._between.split(text) if part.strip())

    def _asks_whether(self, asked: str) -> bool:
        return self._effect.are_in(asked) and self._does.are_in(asked)

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


def _any_of(texts: Words) -> Phrases[None]:
    return Phrases((phrase_of(text), None) for text in texts)


def _entries(topics: Topics) -> Iterator[tuple[Phrase, Meant]]:
    """Each phrase of each topic, and what it means."""
    for place, (key, topic) in enumerate(topics.topics.items()):
        yield from ((phrase_of(text), Meant(key, place, whole=False)) for text in topic.about)
        yield from ((phrase_of(text), Meant(key, place, whole=True)) for text in topic.asks)
