"""What comes and goes while a block runs, and how much of it is there at the highest instants."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import Self

Event = tuple[str, int]  # bytes a token that come (or go, if negative) for each of a named size
Widths = Mapping[str, int]  # a size's name → bytes a token for each of it
MOST_INSTANTS = 64  # of one pass that are ever its highest, whatever the sizes


class Pass:
    """The events of one way through a block, after what was there `before`."""

    def __init__(self, events: Sequence[Event], before: Widths) -> None:
        self.events = tuple(events)
        self.names = tuple(name for name, _ in events)
        self.widths = tuple(width for _, width in events)
        self.before = before
        self.alive_after = lru_cache(MOST_INSTANTS)(self._alive_after)

    def highest(
        self, sizes: Widths, tokens: int = 1, coming: Mapping[int, int] | None = None
    ) -> int:
        """How many events it takes until the most bytes are alive, for a block of these sizes.

        `coming`: bytes that come, and stay, with the event of that number.
        """
        amounts = list(map(mul, self.widths, map(sizes.__getitem__, self.names)))
        if coming:
            amounts = [tokens * amount for amount in amounts]
            for number, more in coming.items():
                amounts[number] += more
        running = list(accumulate(amounts))
        most = max(running, default=0)
        return running.index(most) + 1 if most > 0 else 0

    def _alive_after(self, events: int) -> Widths:
        return sum_of((*self.before.items(), *self.events[:events]))


@dataclass(frozen=True, slots=True)
class Program:
    """The events of a block's forward and backward; the same for every size of its kind.

    `plain`: of a forward pass that saves nothing, as under checkpointing. `again`: of the one
    that recomputes the block, which stops once all is saved, beside the gradients that have
    come in by then. `kept` is there between forward and backward. `input_kept`: the width of
    the block's input, if it is kept as it came. `made`: events of `backward` until the
    gradient of a module's weight is there. `tensors`: how many are kept.
    """

    forward: Pass
    plain: Pass
    again: Pass
    backward: Pass
    kept: Widths
    input_kept: int
    made: Mapping[str, int]
    tensors: int

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
        kept = sum_of(events[:end])
        return cls(
            forward=Pass(events[:end], {}),
            plain=Pass(plain, {}),
            again=Pass(events[:saved_at], sum_of(events[end:wanted_at])),
            backward=Pass(events[end:], kept),
            kept=kept,
            input_kept=input_kept,
            made=made,
            tensors=sum((width > 0) - (width < 0) for _, width in events[:end]),
        )

    def forward_peak(self, sizes: Widths) -> Widths:
        """What is alive at forward's highest instant, for a block of these sizes."""
        return self.forward.alive_after(self.forward.highest(sizes))

    def plain_peak(self, sizes: Widths) -> Widths:
        """The same of a pass that saves nothing."""
        return self.plain.alive_after(self.plain.highest(sizes))

    def again_peak(self, sizes: Widths) -> Widths:
        """The same of the pass that recomputes the block."""
        return self.again.alive_after(self.again.highest(sizes))

    def backward_peak(
        self, sizes: Widths, tokens: int, gradients: Mapping[str, int]
    ) -> tuple[Widths, frozenset[str]]:
        """The same of backward, and the modules whose weights have their gradients by then.

        `gradients`: bytes of each module's, which stay once they are made.
        """
        coming: dict[int, int] = {}
        for module, amount in gradients.items():
            if module in self.made:
                when = self.made[module]
                coming[when] = coming.get(when, 0) + amount
        at = self.backward.highest(sizes, tokens, coming)
        made = frozenset(module for module, when in self.made.items() if when < at)
        return self.backward.alive_after(at), made


def sum_of(events: Iterable[Event]) -> dict[str, int]:
    """Bytes a token by size, added up; what is none is left out."""
    found: dict[str, int] = {}
    for name, width in events:
        found[name] = found.get(name, 0) + width
    return {name: width for name, width in found.items() if width}
