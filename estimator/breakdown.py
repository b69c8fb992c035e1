"""The result tree: an estimate is moments, a moment is lines, a line is paid bytes.

    Estimate ─ Moment ─ Line

A moment's bytes are the sum of its lines; the peak is the largest moment.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

HUNDRED = 100
BELOW, ABOVE = 5, 10  # percent of a peak that its range reaches at least


class Basis(StrEnum):
    """What kind of number a line holds."""

    COUNTED = "counted"  # from the tensors themselves: shapes times element size
    DERIVED = "derived"  # from a formula that stands for what the framework keeps
    MEASURED = "measured"  # read off a real run
    ASSUMED = "assumed"  # a stated guess


class Book(IntEnum):
    """The narrowest figure of PyTorch's, or of the driver's, that holds a line.

    Each holds those before it: the tensors themselves, `max_memory_allocated`,
    `max_memory_reserved`, what `nvidia-smi` shows of the process.
    """

    TENSORS = 0  # what tensors ask for
    ALLOCATED = 1  # what the allocator gives for it, and workspaces that are asked of it
    RESERVED = 2  # what the allocator keeps of the driver
    DEVICE = 3  # what the allocator never sees


class MomentName(StrEnum):
    """When in a run the memory is held (training: first five; serving: load, prefill, decode)."""

    LOAD = "load"
    FORWARD = "forward"
    LOSS = "loss"
    BACKWARD = "backward"
    OPTIMIZER_STEP = "optimizer_step"
    PREFILL = "prefill"
    DECODE = "decode"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that takes memory.

    `formula` is the arithmetic as text over the names in `terms`; evaluated, it
    gives `bytes` exactly. `source` is an id of `sources.toml`. `book` says
    which figure holds it first: tensors are `counted_bytes`, all else comes on top.
    `low_bytes` and `high_bytes` are what the line could be, where it is uncertain.
    """

    key: str
    bytes: int
    formula: str
    terms: Mapping[str, int]
    source: str
    basis: Basis
    book: Book = Book.TENSORS
    low_bytes: int | None = None
    high_bytes: int | None = None

    def divided(self, cards: int) -> "Line":
        """One card's part of what is divided evenly over `cards`, rounded up."""
        if cards == 1:
            return self
        low, high = self.low_bytes, self.high_bytes
        return replace(
            self,
            bytes=-(-self.bytes // cards),
            formula=f"ceil(({self.formula}) ÷ cards)",
            terms={**self.terms, "cards": cards},
            low_bytes=None if low is None else -(-low // cards),
            high_bytes=None if high is None else -(-high // cards),
        )

    def times(self, name: str, count: int) -> "Line":
        """As often as `count`, called `name`."""
        if count == 1:
            return self
        low, high = self.low_bytes, self.high_bytes
        return replace(
            self,
            bytes=self.bytes * count,
            formula=f"{name} × ({self.formula})",
            terms={name: count, **self.terms},
            low_bytes=None if low is None else low * count,
            high_bytes=None if high is None else high * count,
        )

    def scaled(
        self, part: int, whole: int, names: tuple[str, str] = ("parameters", "all_parameters")
    ) -> "Line":
        """`part` of the `whole` that it is of, rounded up; `names` of the two."""
        if part == whole:
            return self
        low, high = self.low_bytes, self.high_bytes
        return replace(
            self,
            bytes=-(-self.bytes * part // whole),
            formula=f"ceil(({self.formula}) × {names[0]} ÷ {names[1]})",
            terms={**self.terms, names[0]: part, names[1]: whole},
            basis=Basis.DERIVED,
            low_bytes=None if low is None else -(-low * part // whole),
            high_bytes=None if high is None else -(-high * part // whole),
        )

    def part(self, blocks: int, depth: int) -> "Line":
        """What of it belongs to `blocks` of `depth` equal ones, rounded up."""
        return replace(
            self,
            bytes=-(-self.bytes * blocks // depth),
            formula=f"ceil(({self.formula}) × blocks ÷ depth)",
            terms={**self.terms, "blocks": blocks, "depth": depth},
            low_bytes=None if self.low_bytes is None else -(-self.low_bytes * blocks // depth),
            high_bytes=None if self.high_bytes is None else -(-self.high_bytes * blocks // depth),
        )

    def less(self, name: str, count: int, each: int) -> "Line":
        """Without `count` of what the line is a sum of, `each` bytes wide, called `name`."""
        return self._changed("-", name, count, each)

    def more(self, name: str, count: int, each: int) -> "Line":
        """With `count` more of it."""
        return self._changed("+", name, count, each)

    def _changed(self, sign: str, name: str, count: int, each: int) -> "Line":
        if not count:
            return self
        size = count * each
        return replace(
            self,
            bytes=self.bytes + (size if sign == "+" else -size),
            formula=f"{self.formula} {sign} {name} × {name}_bytes",
            terms={**self.terms, name: count, f"{name}_bytes": each},
        )

    def plus(self, other: "Line", suffix: str) -> "Line":
        """Both as one line; `other`'s terms get names that end in `suffix`."""
        named = {name: f"{name}{suffix}" for name in other.terms}
        text = re.sub(r"\w+", lambda word: named.get(word[0], word[0]), other.formula)
        return replace(
            self,
            bytes=self.bytes + other.bytes,
            formula=f"{self.formula} + {text}",
            terms={**self.terms} | {named[name]: value for name, value in other.terms.items()},
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """What is held at one instant of a run; lines of zero bytes are left out."""

    name: MomentName
    lines: tuple[Line, ...]

    @property
    def bytes(self) -> int:
        return sum([line.bytes for line in self.lines])

    @property
    def counted_bytes(self) -> int:
        """The tensors alone."""
        return sum(line.bytes for line in self.lines if line.book is Book.TENSORS)

    def within(self, book: Book) -> "Moment":
        """What of it a figure holds."""
        return Moment(self.name, tuple(line for line in self.lines if line.book <= book))

    @property
    def low_bytes(self) -> int:
        return sum(line.bytes if line.low_bytes is None else line.low_bytes for line in self.lines)

    @property
    def high_bytes(self) -> int:
        return sum(
            line.bytes if line.high_bytes is None else line.high_bytes for line in self.lines
        )


def moment(name: MomentName, *lines: Line | None) -> Moment:
    """A moment of those `lines` that weigh anything."""
    return Moment(name, tuple([line for line in lines if line is not None and line.bytes]))


def largest(moments: Sequence[Moment]) -> Moment:
    """The moment that holds the most; the earliest of equals."""
    return max(moments, key=lambda one: one.bytes)


def bounds(moments: Sequence[Moment]) -> tuple[int, int]:
    """Low and high bytes of the peak: whichever moment reaches furthest, on each side.

    At least 5 % below and 10 % above it, whatever is estimated: what no line holds (other
    versions, kernels, orders of allocation) adds more often than it saves. Of the published
    runs on one card, 19 of 20 lie in between.
    """
    peak = max(m.bytes for m in moments)
    low, high = max(m.low_bytes for m in moments), max(m.high_bytes for m in moments)
    least, most = peak * (HUNDRED - BELOW) // HUNDRED, -(-peak * (HUNDRED + ABOVE) // HUNDRED)
    return min(low, least), max(high, most)


@dataclass(frozen=True, slots=True)
class Resting:
    """What training holds between its phases, in bytes on PyTorch's books."""

    before_step: int
    after_forward: int
    after_backward: int


@dataclass(frozen=True, slots=True)
class Parameters:
    """Counts, not bytes: all, those one token uses, those that are trained."""

    total: int
    active: int
    trainable: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """Memory of one card (the fullest), moment by moment.

    `low_bytes` and `high_bytes` bound the peak; they come from uncertain lines
    and, for a bare size, from the shapes it may stand for. `shares`: of every card, where
    they hold unlike parts of a model.
    """

    moments: tuple[Moment, ...]
    resting: Resting | None
    parameters: Parameters
    low_bytes: int
    high_bytes: int
    stage: int | None = None  # of a pipeline, the one that the fullest card has
    shares: tuple["Share", ...] = ()

    @property
    def peak(self) -> Moment:
        return largest(self.moments)

    @property
    def counted_peak_bytes(self) -> int:
        """The largest moment by what is on PyTorch's books alone."""
        return max(moment.counted_bytes for moment in self.moments)


@dataclass(frozen=True, slots=True)
class Share:
    """What `cards` equal cards hold each, from number `card` on, of a model on several.

    That is `blocks` of the model from number `first` on, with what comes behind the last if
    `head`.
    """

    card: int
    cards: int
    first: int
    blocks: int
    head: bool
    estimate: Estimate


def widest(fullest: Estimate, cards: Sequence[Estimate]) -> Estimate:
    """`fullest` of `cards`, with a range that holds whichever of them turns out to be it.

    Where lines are uncertain (a head's logits), that may be one that holds less by this count.
    """
    low, high = max(one.low_bytes for one in cards), max(one.high_bytes for one in cards)
    return replace(fullest, low_bytes=low, high_bytes=high)
