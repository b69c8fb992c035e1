"""What a reply says that explains something, or lists what can be; the types alone."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A line that can be typed, and what is to be seen in its answer."""

    line: str
    says: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A source: its id, what it is, and its address where it has a public one."""

    id: str
    title: str
    link: str


@dataclass(frozen=True, slots=True)
class Titled:
    """A topic that can be explained."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """Topics of one kind, the first to read first."""

    id: str
    title: str
    topics: tuple[Titled, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """All that can be explained."""

    title: str
    opening: str
    chapters: tuple[Chapter, ...]
    line: str

    @property
    def lines(self) -> tuple[str, ...]:
        """What asks for it again."""
        return (self.line,)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to a question that asks why, the short answer first.

    `brief` is one sentence, `more` goes on from it; the figures of `examples` are the
    estimator's. `related`: topics to go on with.
    """

    title: str
    brief: str
    more: str
    formula_heading: str
    formula: str
    examples_heading: str
    examples: tuple[Example, ...]
    sources_heading: str
    sources: tuple[Cited, ...]
    related_heading: str = ""
    related: tuple[Titled, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """What can be typed to see more."""
        return tuple(example.line for example in self.examples)
