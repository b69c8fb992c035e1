"""What a reply says that explains something; the types alone."""

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
class Explanation:
    """The answer to a question that asks why, the short answer first.

    `brief` is one sentence, `more` goes on from it; the figures of `examples` are the
    estimator's.
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

    @property
    def lines(self) -> tuple[str, ...]:
        """What can be typed to see more."""
        return tuple(example.line for example in self.examples)
