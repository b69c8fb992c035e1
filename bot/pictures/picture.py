"""What a picture shows, in words and numbers; how it looks is decided elsewhere."""

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """What memory is for, as a picture tells it apart: the lines of an answer in a few colours."""

    WEIGHTS = "weights"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"
    LOGITS = "logits"
    CACHE = "cache"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Piece:
    """The bytes of one part."""

    part: Part
    bytes: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar from zero: `pieces` end to end, or the `room_bytes` that a card has for them.

    `amount`: its length in words. `strong`: it is what was asked about.
    """

    name: str
    amount: str
    pieces: tuple[Piece, ...] = ()
    room_bytes: int = 0
    strong: bool = False

    @property
    def bytes(self) -> int:
        return self.room_bytes or sum(piece.bytes for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Limit:
    """A line across all bars: what a card leaves usable, or, unnamed, where a bar ends."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Label:
    """What a colour means: the part's name, and its size where one bar alone is meant."""

    part: Part
    words: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Bars below each other, with lines across. `alt` says the same without a picture.

    `limits`: the most telling first; where names would overlap, the later one gives way.
    `dashed`: what the lines are. `long_names`: they stand above the bars, not beside them.
    """

    title: str
    subtitle: str
    bars: tuple[Bar, ...]
    limits: tuple[Limit, ...]
    labels: tuple[Label, ...]
    dashed: str
    alt: str
    long_names: bool = False
