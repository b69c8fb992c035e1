"""What comes back for a line: an answer, several, tables, a reason, or a refusal that helps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.document import diagnosis_document
from bot.presenting.comparison import Side
from bot.presenting.explanation import Contents, Explanation
from bot.presenting.presentation import Comparison, OomExplanation, Overview, Presentation, Refusal
from bot.presses.panel import Offers
from estimator import Advice, Answer, Plans, WhatFits, plans_document, refused_document


@dataclass(frozen=True, slots=True)
class Replied:
    """An answer: what to show, and the document of the interface.

    `strange`: a Hub id that no table has, of whose model only the name was read. `fields`: what
    was read. `plans`: which cards would do it, `advice`: what would make it fit, `offers`: what a
    press can change, where that was looked for.
    """

    presentation: Presentation
    answer: Answer
    notes: tuple[str, ...]
    strange: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    advice: Advice | None = None
    plans: Plans | None = None
    offers: Offers | None = None

    @property
    def shown(self) -> Presentation:
        return self.presentation

    def document(self) -> dict[str, Any]:
        document = self.answer.document()
        planned = {} if self.plans is None else {"plans": plans_document(self.plans)}
        advised = {} if self.advice is None else {"advice": self.advice.document()}
        return document | {"warnings": [*self.notes, *document["warnings"]]} | planned | advised


@dataclass(frozen=True, slots=True)
class Refused:
    """No answer: what to show, and the same as a document.

    `strange`: a Hub id that no table has, where that is what is wrong.
    """

    refusal: Refusal
    code: str
    understood: Mapping[str, Any]
    strange: str = ""

    @property
    def shown(self) -> Refusal:
        return self.refusal

    def document(self) -> dict[str, Any]:
        wrong = self.refusal
        return refused_document(self.code, wrong.wrong, wrong.lines, dict(self.understood))


@dataclass(frozen=True, slots=True)
class Weighed:
    """Several things side by side: what to show, and the answer to each."""

    comparison: Comparison
    sides: tuple[Replied | Refused, ...]
    strange: str = ""

    @property
    def shown(self) -> Comparison:
        return self.comparison

    def document(self) -> dict[str, Any]:
        return {"compared": [side.document() for side in self.sides], "error": None}


@dataclass(frozen=True, slots=True)
class Tabled:
    """What fits at all: what to show, and its tables. `understood`: what holds for every cell."""

    overview: Overview
    tables: tuple[WhatFits, ...]
    understood: Mapping[str, Any]
    notes: tuple[str, ...]
    strange: str = ""

    @property
    def shown(self) -> Overview:
        return self.overview

    def document(self) -> dict[str, Any]:
        return {
            "understood": dict(self.understood),
            "tables": [table.document() for table in self.tables],
            "warnings": list(self.notes),
            "error": None,
        }


@dataclass(frozen=True, slots=True)
class Explained:
    """Why something is so: what to show, its `topic`, and the `answers` to its examples.

    `understood`: what was read of the question; `sides`: of each of the things that it holds
    against each other. `names`: of the examples, by what differs in them; `lengths`: its picture is
    one over the context.
    """

    explanation: Explanation
    topic: str
    understood: Mapping[str, Any]
    sides: tuple[Mapping[str, Any], ...]
    answers: tuple[Answer, ...]
    names: tuple[str, ...] = ()
    lengths: bool = False
    strange: str = ""

    @property
    def shown(self) -> Explanation:
        return self.explanation

    def document(self) -> dict[str, Any]:
        """The answer's document without an estimate, and what is explained."""
        said = self.explanation
        explained = {
            "topic": self.topic,
            "sides": [dict(side) for side in self.sides],
            "title": said.title,
            "answer": f"{said.brief} {said.more}",
            "formula": said.formula,
            "examples": [
                {"line": one.line, "says": one.says, "peak_bytes": found.estimate.peak.bytes}
                for one, found in zip(said.examples, self.answers, strict=True)
            ],
            "sources": [
                {"id": one.id, "title": one.title, "link": one.link} for one in said.sources
            ],
            "related": [one.id for one in said.related],
        }
        empty = refused_document("", "", (), dict(self.understood))
        return empty | {"error": None, "explained": explained}


@dataclass(frozen=True, slots=True)
class Indexed:
    """What can be explained, topic by topic."""

    contents: Contents
    strange: str = ""

    @property
    def shown(self) -> Contents:
        return self.contents

    def document(self) -> dict[str, Any]:
        """The titles of topics by their ids, in groups."""
        topics = {
            chapter.id: {one.id: one.title for one in chapter.topics}
            for chapter in self.contents.chapters
        }
        return {"topics": topics, "error": None}


@dataclass(frozen=True, slots=True)
class OomExplained:
    """Why memory ran out: what to show, and how that was found. `run`: an estimate of what ran."""

    explanation: OomExplanation
    diagnosis: Diagnosis
    run: Replied | None = None
    strange: str = ""

    @property
    def shown(self) -> OomExplanation:
        return self.explanation

    def document(self) -> dict[str, Any]:
        run = None if self.run is None else self.run.document()
        return {**diagnosis_document(self.diagnosis), "run": run, "error": None}


Asked = Replied | Weighed | Tabled | Explained | Indexed | Refused  # what a question may get
Answered = Asked | OomExplained


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An answer that takes a while: `finish` makes it, in any thread, and never raises."""

    finish: Callable[[], Tabled | Refused]
    strange: str = ""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A line while it is typed: `text` and what is said to it, without its `unfinished` end.

    `lines` go on from it. Nothing is said (`shown`) where only they make sense of it.
    """

    text: str
    shown: Presentation | Comparison | Explanation | Contents | Refusal | None
    unfinished: str
    lines: tuple[str, ...]


def listed(
    found: Answered | Unfinished,
) -> Presentation | Comparison | Explanation | Contents | Refusal | None:
    """What is said of it while it is typed; nothing of what is too long for a list."""
    return None if isinstance(found, Unfinished | Tabled | OomExplained) else found.shown


def side_of(name: str, line: str, found: Replied | Refused) -> Side:
    """What came back as one side of a comparison, by its `name`; `line` asks for it."""
    if isinstance(found, Refused):
        return Side(name, line, refused=found.refusal.wrong)
    return Side(name, line, found.answer, found.presentation)
