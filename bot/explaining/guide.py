"""What `/vram explain` answers: a topic, the list of all of them, or the nearest ones."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from rapidfuzz import fuzz, process

from bot.compiled import compiled
from bot.explaining.explainer import Explainer, in_english
from bot.explaining.phrases import ALSO, words_of
from bot.explaining.topics import load_topics
from bot.explaining.wording import Wording
from bot.locale import Locale
from bot.presenting.explanation import Chapter, Contents, Titled
from bot.presenting.present import refuse
from bot.reading.clean import clean, echo
from bot.reading.matching import Found, Index, Tier
from bot.replies import Explained, Indexed, Refused

EXPLAIN = "explain"  # the command, and how lines begin that ask for a topic
ALL = "topics"  # what asks for the list
FIRST = 5  # topics of each group that are listed before anything is typed
TYPED = compiled(r"^\s*/?vram\s+", re.IGNORECASE)  # before a command, where it is copied
NEAREST = 3  # topics that a refusal offers
MOST_ECHOED = 60
TITLES = 2  # of a topic's names: in the own language and in English
CLOSE_ENOUGH = 85  # of 100: how like a name a text has to be
CLEARLY = 1.2  # times the next: what a question has in common with the topic that is meant
LEAST_WORDS, LEAST_WIDE = 5, 10  # of a question; letters where words do not stand apart
SURE = (Tier.EXACT, Tier.BEGINS)  # how a name goes on, where one alone is meant


class Guide:
    """Finds topics by their names in English and in one other language."""

    def __init__(self, explainer: Explainer, locale: Locale) -> None:
        self._explainer = explainer
        self._locale = locale

    def is_all(self, text: str) -> bool:
        """Whether `text` asks for the list, with or without the command before it."""
        asked = words_of(_typed(text))
        begun = (asked[len(word) - 1 :] for word in self._begin if asked.startswith(word))
        return asked in self._all or any(rest in self._all for rest in begun)

    def answer(self, text: str) -> Explained | Indexed | Refused:
        """The topic that `text` names or asks about."""
        text = _typed(text)
        if self.is_all(text):
            return self.contents()
        topic = self._meant(text) or self._begun(text) or self._worded(text)
        return self._unknown(text) if topic is None else self._explainer.explained(topic, text)

    def instead(self, text: str, found: Refused) -> Explained | Indexed | Refused:
        """What there is to say in place of a refusal to `explain` something."""
        command, _, rest = _typed(text).strip().partition(" ")
        nothing = not (found.strange or found.understood)
        explains = command.casefold() == EXPLAIN
        if not (explains and nothing):
            return found
        return self.answer(rest) if rest.strip() else self.contents()

    def topic(self, key: str) -> Explained | None:
        """The topic of that id; None where there is none any longer."""
        known = key in self._explainer.topics.topics
        return self._explainer.explained(key) if known else None

    def contents(self) -> Indexed:
        """All topics in their groups."""
        words, topics = self._locale.explain, self._explainer.topics
        chapters = tuple(
            Chapter(group, words.groups[group], tuple(map(self._titled, keys)))
            for group, keys in topics.groups.items()
        )
        return Indexed(Contents(words.title, words.opening, chapters, f"{EXPLAIN} {ALL}"))

    def choices(self, typed: str, most: int) -> tuple[Titled, ...]:
        """Topics that half-typed words may become; to begin with, the first of each group."""
        if not typed.strip():
            groups = self._explainer.topics.groups.values()
            return tuple(self._titled(key) for keys in groups for key in keys[:FIRST])[:most]
        listed = [Titled(ALL, self._locale.explain.title)] if self._begins_list(typed) else []
        found = dict.fromkeys(self._likely(typed, most))
        return (*listed, *map(self._titled, found))[:most]

    def _meant(self, text: str) -> str | None:
        """The topic that a question is about, whose name it is, or that is named in it."""
        explainer = self._explainer
        return explainer.topic_of(text) or self._of_name(text) or explainer.named(text)

    def _of_name(self, text: str) -> str | None:
        """The topic whose name `text` is, but for a typing error."""
        asked, topics = words_of(text), self._topics_of
        if asked in topics:
            return topics[asked]
        hit = process.extractOne(asked, topics.keys(), scorer=fuzz.ratio, score_cutoff=CLOSE_ENOUGH)
        return None if hit is None else topics[hit[0]]

    def _begun(self, text: str) -> str | None:
        """The only topic whose name goes on from `text`."""
        found = self._index.find(text)
        return found[0].value if len(found) == 1 and found[0].tier in SURE else None

    def _worded(self, text: str) -> str | None:
        """The topic whose explanation has by far the most in common with a whole question."""
        ranked = self._ranked(text)
        if len(ranked) <= 1:
            return None
        (most, topic), (next_, _) = ranked[:2]
        return topic if most > CLEARLY * next_ else None

    def _ranked(self, text: str) -> list[tuple[float, str]]:
        """Topics by what they say, where `text` is a question and not a name."""
        asked = in_english(text)
        long = len(text.split()) >= LEAST_WORDS or (not text.isascii() and len(text) >= LEAST_WIDE)
        return self._wording.ranked(asked) if long else []

    def _likely(self, typed: str, most: int) -> Iterator[str]:
        meant = self._meant(typed)
        titled, named = self._titles.find(typed), self._index.find(typed)
        yield from (one.value for one in (*titled, *named) if one.tier is Tier.EXACT)
        yield from () if meant is None else (meant,)
        yield from _values([*titled, *named])
        yield from _values(self._titles.like(typed, most))
        yield from _values(self._index.like(typed, most))

    def _begins_list(self, typed: str) -> bool:
        asked = words_of(typed).rstrip()
        return any(name.startswith(asked) for name in self._all)

    def _unknown(self, text: str) -> Refused:
        """That there is no such topic, and the nearest of those that there are."""
        worded = [key for _, key in self._ranked(text)[:NEAREST]]
        likely = dict.fromkeys([*worded, *self._likely(text, NEAREST)])
        titles = {key: topic.title for key, topic in self._explainer.topics.topics.items()}
        hits = process.extract(text, titles, scorer=fuzz.WRatio, limit=NEAREST)
        nearest = list(dict.fromkeys([*likely, *(key for _, _, key in hits)]))[:NEAREST]
        message = self._locale.explain.no_topic.format(words=echo(text, MOST_ECHOED))
        lines = [f"{EXPLAIN} {key}" for key in (*nearest, ALL)]
        return Refused(refuse("", message, lines, self._locale), "no_topic", {})

    def _titled(self, key: str) -> Titled:
        return Titled(key, self._explainer.topics.topics[key].title)

    @cached_property
    def _all(self) -> frozenset[str]:
        """Names of the list, in the words of `words_of`."""
        return frozenset(map(words_of, load_topics().asking.all))

    @cached_property
    def _begin(self) -> tuple[str, ...]:
        return tuple(map(words_of, load_topics().asking.begin))

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, ...]]:
        """Each topic's titles and the words that name it, in the order of groups."""
        english, own = load_topics().topics, self._explainer.topics.topics
        return {
            key: (
                own[key].title,
                english[key].title,
                *(text for text in english[key].about if ALSO not in text),
            )
            for keys in load_topics().groups.values()
            for key in keys
        }

    @cached_property
    def _wording(self) -> Wording:
        english, own = load_topics().topics, self._explainer.topics.topics
        told = {key: (english[key], own[key]) for key in english}
        return Wording(
            {
                key: (
                    [*(one.title for one in both), *both[0].about, *both[0].asks, key],
                    [
                        text
                        for one in both
                        for text in (one.brief, one.more, *(e.says for e in one.examples))
                    ],
                )
                for key, both in told.items()
            }
        )

    @cached_property
    def _topics_of(self) -> Mapping[str, str]:
        """The topic of each name, and of each id."""
        named = [(words_of(name), key) for key, names in self._names.items() for name in names]
        return dict([*reversed(named), *((words_of(key), key) for key in self._names)])

    @cached_property
    def _titles(self) -> Index:
        return Index((key, names[:TITLES]) for key, names in self._names.items())

    @cached_property
    def _index(self) -> Index:
        return Index(self._names.items())


def _typed(text: str) -> str:
    """What stands behind mentions and `/vram`."""
    return TYPED.sub("", clean(text))


def _values(found: list[Found]) -> Iterator[str]:
    return (one.value for one in found)
