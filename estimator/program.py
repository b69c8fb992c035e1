"""What comes and goes while a block runs, and how much of it is there at the highest instants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

Event = tuple[str, int]  # bytes a token that come (or go, if negative) for each of a named size
Widths = Mapping[str, int]  # a size's name → bytes a token for each of it


@dataclass(frozen=True, slots=True)
class Program:
    """The events of a block's forward and backward; the same for every size of its kind.

    `kept` is there between both. `plain`: of a forward pass that saves nothing, as under
    checkpointing. `waiting`: the gradients that have come in when a recomputed block is
    first wanted. `input_kept`: the width of the block's input, if it is kept as it came.
    `made`: events of `backward` until the gradient of a module's weight is there.
    """

    forward: tuple[Event, ...]
    saving: int  # events of `forward` up to the last operation that saves anything
    plain: tuple[Event, ...]
    backward: tuple[Event, ...]
    kept: Widths
    waiting: Widths
    input_kept: int
    made: Mapping[str, int]

    @classmethod
    def of(
        cls,
        events: Sequence[Event],
        plain: Sequence[Event],
        *,
        end: int,
        saved_at: int,
        wanted_at: int,
        input_kept: int,
        made: Mapping[str, int],
    ) -> Self:
        """The program of `events`, whose first `end` are forward's."""
        return cls(
            forward=tuple(events[:end]),
            saving=saved_at,
            plain=tuple(plain),
            backward=tuple(events[end:]),
            kept=sum_of(events[:end]),
            waiting=sum_of(events[end:wanted_at]),
            input_kept=input_kept,
            made=made,
        )

    def forward_peak(self, sizes: Widths) -> Widths:
        """What is alive at forward's highest instant, for a block of these sizes."""
        return sum_of(self.forward[: _highest(self.forward, sizes)])

    def plain_peak(self, sizes: Widths) -> Widths:
        """The same of a pass that saves nothing."""
        return sum_of(self.plain[: _highest(self.plain, sizes)])

    def again_peak(self, sizes: Widths) -> Widths:
        """The same of the pass that recomputes the block, which stops once all is saved."""
        at = _highest(self.forward[: self.saving], sizes)
        return sum_of((*self.forward[:at], *self.waiting.items()))

    def backward_peak(
        self, sizes: Widths, tokens: int, gradients: Mapping[str, int]
    ) -> tuple[Widths, frozenset[str]]:
        """The same of backward, and the modules whose weights have their gradients by then.

        `gradients`: bytes of each module's, which stay once they are made.
        """
        coming: dict[int, int] = {}
        for module, when in self.made.items():
            coming[when] = coming.get(when, 0) + gradients.get(module, 0)
        live = highest = at = 0
        for number, (name, width) in enumerate(self.backward, start=1):
            live += tokens * width * sizes[name] + coming.get(number - 1, 0)
            if live > highest:
                highest, at = live, number
        made = frozenset(module for module, when in self.made.items() if when < at)
        return sum_of((*self.kept.items(), *self.backward[:at])), made


def _highest(events: Sequence[Event], sizes: Widths) -> int:
    """How many events it takes until the most bytes are alive."""
    live = highest = at = 0
    for number, (name, width) in enumerate(events, start=1):
        live += width * sizes[name]
        if live > highest:
            highest, at = live, number
    return at


def sum_of(events: Iterable[Event]) -> dict[str, int]:
    """Bytes a token by size, added up; what is none is left out."""
    found: dict[str, int] = {}
    for name, width in events:
        found[name] = found.get(name, 0) + width
    return {name: width for name, width in found.items() if width}
