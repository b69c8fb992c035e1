"""Answers questions that ask why: by an explanation, or by a note under an estimate.

An estimate goes before: only where there is none, and no model to ask the Hub about, a topic
is explained in its place.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from bot.compiled import compiled
from bot.explaining.asked import TopicFinder
from bot.explaining.figures import Figures
from bot.explaining.largest import largest
from bot.explaining.topics import ExampleWords, Topics, load_topics, topics_in
from bot.locale import Locale
from bot.presenting.comparison import differing
from bot.presenting.explanation import Cited, Example, Explanation, Titled
from bot.presenting.side_names import side_names
from bot.reading.clean import clean
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.gloss import gloss
from bot.reading.oom import read_oom
from bot.reading.pasting.unpaste import taken_apart
from bot.reading.read import Reader
from bot.reading.reading import Reading
from bot.replies import Answered, Explained, Refused, Replied, Unfinished, Weighed
from estimator import Answer, Catalog, EstimatorError, answer

SETTLED = ("not_language", "too_long", "empty", "bad_option")  # codes of what stays refused
SURE = 2  # words in common before a topic is worth a note under an estimate
BARE = ("nothing_changed", "unknown_word", "loose_number")  # codes of a `why?` below an answer
OWNER = compiled(r"[\w.-]+/")  # before a model's name
WHICH_TASK = "ambiguous"  # the code of a question back, of a model that is known


class Explainer:
    """Explains topics in one language; each is worked out once, and kept."""

    def __init__(self, reader: Reader, catalog: Catalog, locale: Locale) -> None:
        self._reader = reader
        self._catalog = catalog
        self._locale = locale
        self._kept: dict[str, Explained] = {}

    @cached_property
    def topics(self) -> Topics:
        """All that can be explained."""
        return topics_in(self._locale)

    @cached_property
    def _finder(self) -> TopicFinder:
        return TopicFinder(load_topics())

    def beside(
        self, text: str, found: Answered | Unfinished, *, below: str = ""
    ) -> Answered | Unfinished:
        """`found`, explained in its place or in a note where `text` asks why.

        `below`: the lines of the answer that it replies to, so that the model is known from there.
        """
        if isinstance(found, Refused):
            return self._instead(text, found, below=below) or found
        if isinstance(found, Replied | Weighed) and (
            topic := self._finder.topic_of(in_english(text), least=SURE, freely=False)
        ):
            return self._noted(found, self.topics.topics[topic].brief)
        return found

    def topic_of(
        self, text: str, fields: Mapping[str, Any] | None = None, *, freely: bool = True
    ) -> str | None:
        """The topic that a question is about; `fields`: what was read of it.

        `freely`: also where it asks whether something changes memory. Beside a card that is
        more likely half a question of what it holds.
        """
        said = [value for value in (fields or {}).values() if isinstance(value, str)]
        return self._finder.topic_of(in_english(text), said, freely=freely)

    def named(self, name: str) -> str | None:
        """The topic of that name; None where there is none."""
        return self._finder.named(name)

    def explained(
        self, topic: str, text: str = "", understood: Mapping[str, Any] | None = None
    ) -> Explained:
        """What there is to say of `topic`; `text` and what was `understood`: of the question."""
        if topic not in self._kept:
            self._kept[topic] = self._made(topic)
        kept, asked = self._kept[topic], dict(understood or {})
        return replace(kept, understood=asked, sides=self._sides(text)) if text else kept

    def _instead(self, text: str, found: Refused, *, below: str) -> Explained | None:
        """An explanation where the question can have no estimate, and is no pasted message."""
        if found.code in SETTLED or found.strange or _is_pasted(text):
            return None
        known = {} if below else found.understood
        if "model" in known and (found.code != WHICH_TASK or "task" in known):
            return None
        asked, pasted = taken_apart(text)
        said = known if pasted is None else {}  # keys of a file are no question
        topic = self.topic_of(asked, said, freely="gpus" not in known)
        if topic is not None:
            return self.explained(topic, text, known)
        bare = below and found.code in BARE and self._finder.asks_why(in_english(text))
        return self._of_answer(below) if bare else None

    def _of_answer(self, lines: str) -> Explained | None:
        """Why the answer to `lines` is as large as it is; None where it had none."""
        readings: list[Reading] = []
        answers: list[Answer] = []
        for line in lines.splitlines():
            with suppress(NotUnderstoodError, EstimatorError):
                reading = self._reader.read(line)
                if not reading.tables:
                    answers.append(answer(reading.request, self._catalog))
                    readings.append(reading)
        if not answers:
            return None
        own, _ = differing([reading.fields for reading in readings])
        names = side_names(own, answers, self._catalog, self._locale)
        named = dict(zip(names, answers, strict=True))
        topic, said = largest(named, self._locale)
        found = self.explained(topic)
        shown = found.explanation
        return replace(found, explanation=replace(shown, brief=f"{said} {shown.brief}"))

    def _noted(self, found: Replied | Weighed, note: str) -> Replied | Weighed:
        if isinstance(found, Weighed):
            beside = replace(found.comparison, warnings=(note, *found.comparison.warnings))
            return replace(found, comparison=beside)
        shown = replace(found.presentation, warnings=(note, *found.presentation.warnings))
        return replace(found, presentation=shown, notes=(note, *found.notes))

    def _made(self, topic: str) -> Explained:
        topics, headings = self.topics.topics, self.topics.headings
        said = topics[topic]
        examples = [self._example(one) for one in said.examples]
        answers = tuple(found for _, _, found in examples)
        own, _ = differing([reading.fields for reading, _, _ in examples])
        names = side_names(own, answers, self._catalog, self._locale)
        shown = Explanation(
            title=said.title,
            brief=said.brief,
            more=said.more,
            formula_heading=headings.formula,
            formula=said.formula,
            examples_heading=headings.examples,
            examples=tuple(example for _, example, _ in examples),
            sources_heading=headings.sources,
            sources=tuple(map(self._cited, said.sources)),
            related_heading=self._locale.press.hints["related"],
            related=tuple(Titled(one, topics[one].title) for one in said.related),
        )
        return Explained(
            shown,
            topic,
            {},
            (),
            answers,
            names=tuple(
                OWNER.sub("", name) or example.line
                for name, (_, example, _) in zip(names, examples, strict=True)
            ),
            lengths=said.lengths,
        )

    def _example(self, words: ExampleWords) -> tuple[Reading, Example, Answer]:
        """The line as it is written canonically, with the figures of its answer."""
        reading = self._reader.read(words.line)
        found = answer(reading.request, self._catalog)
        says = words.says.format_map(Figures(found, self._locale))
        return reading, Example(reading.line, says), found

    def _cited(self, source: str) -> Cited:
        row = self._catalog.sources.get(source)
        if row is None:
            raise LookupError(f"source `{source}` is not in sources.toml")
        link = row.where if row.where.startswith("https://") else ""
        return Cited(row.id, row.title, link)

    def _sides(self, text: str) -> tuple[Mapping[str, Any], ...]:
        """What is held against each other: by part of the question, what was read of it."""
        sides = [self._reader.fields_of(part) for part in self._finder.sides_of(text)]
        return tuple(side for side in sides if side)


def in_english(text: str) -> str:
    """A question with its English behind it, where it is in another language."""
    plain = clean(text)
    english = gloss(plain, Said())
    return text if english == plain else f"{text} / {english}"


def _is_pasted(text: str) -> bool:
    """Whether it is a message with its figures, and not a question about one."""
    message = read_oom(text)
    return message is not None and not message.incomplete
