"""Autograd's bookkeeping over one block, tensor by tensor: when each comes, and when it goes.

A `Tape` runs a module's operations in order without computing anything. Each result is a
`Held` tensor of so many bytes a token; it lives while a variable of the module's code or the
graph refers to it. `backward` then walks the operations in reverse as PyTorch's engine does:
gradients of the inputs are made beside the incoming one, which goes afterwards together with
what the operation had saved; a second gradient of the same tensor is added out of place.

What is small (one number a token) and what does not grow with tokens is left out here.
Source: PyTorch's `derivatives.yaml`, and its engine's order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Widths = Mapping[str, int]  # a size's name → bytes a token for each of it


class Held:
    """A tensor: `width` bytes a token for each of the size `name`."""

    __slots__ = ("amount", "differentiable", "gradient", "graph", "name", "variables", "width")

    def __init__(self, name: str, width: int, amount: int, *, differentiable: bool) -> None:
        self.name, self.width, self.amount = name, width, amount
        self.variables, self.graph = 1, 0  # who refers to it
        self.differentiable = differentiable
        self.gradient: Held | None = None


class Way(NamedTuple):
    """How a gradient comes to one input: what is made on the way, and the gradient's width.

    `passes`: the incoming gradient itself is handed on. `input` none: a weight's own, which
    is no token's.
    """

    input: Held | None
    steps: tuple[tuple[str, int], ...] = ()
    width: int = 0
    passes: bool = False


class Node(NamedTuple):
    """One operation: its result, how gradients pass it, and what it saved."""

    output: Held
    ways: tuple[Way, ...]
    saved: tuple[Held, ...]


class Peaks(NamedTuple):
    """Bytes a token by size: kept for backward, and at the highest instant of each pass.

    `plain`: of a forward pass that saves nothing, as under checkpointing. `again`: of the
    pass that recomputes the block, which stops once all is saved, with the gradients that
    wait meanwhile. `input_kept`: the width of the block's input, if it is kept as it came.
    """

    sizes: Widths
    kept: dict[str, int]
    forward: dict[str, int]
    plain: dict[str, int]
    again: dict[str, int]
    backward: dict[str, int]
    input_kept: int


@dataclass
class Tape:
    """The books of one block; `sizes` are the sizes that widths refer to."""

    sizes: Mapping[str, int]
    nodes: list[Node] = field(default_factory=list)
    live: int = 0
    highest: int = -1
    plain: int = 0
    plain_highest: int = -1
    events: list[tuple[str, int]] = field(default_factory=list)
    plain_events: list[tuple[str, int]] = field(default_factory=list)
    peak_at: int = 0
    plain_peak_at: int = 0
    peak_before: int = 0  # of the peak before the latest tensor came
    saved_peak_at: int = 0  # of the peak up to the last operation that saved anything
    wanted_at: int = 0  # when backward first wants what was saved

    def new(self, name: str, width: int, *, differentiable: bool = True) -> Held:
        """A fresh tensor, which one variable holds."""
        amount = width * self.sizes[name]
        self.peak_before = self.peak_at
        self._come(name, width, amount)
        self.plain += amount
        self.plain_events.append((name, width))
        if self.plain > self.plain_highest:
            self.plain_highest, self.plain_peak_at = self.plain, len(self.plain_events)
        return Held(name, width, amount, differentiable=differentiable)

    def _come(self, name: str, width: int, amount: int) -> None:
        self.live += amount
        self.events.append((name, width))
        if self.live > self.highest:
            self.highest, self.peak_at = self.live, len(self.events)

    def _go(self, held: Held) -> None:
        self.live -= held.amount
        self.events.append((held.name, -held.width))

    def drop(self, *tensors: Held) -> None:
        """A variable that held each is gone."""
        for held in tensors:
            held.variables -= 1
            if not held.variables:
                self.plain -= held.amount
                self.plain_events.append((held.name, -held.width))
                if not held.graph:
                    self._go(held)

    def record(self, output: Held, *ways: Way, saves: tuple[Held, ...] = ()) -> Held:
        """Note the operation that made `output`; what it saves, the graph holds."""
        for held in saves:
            held.graph += 1
        if saves:  # inputs are saved before the result is made
            self.saved_peak_at = self.peak_at if output in saves else self.peak_before
        self.nodes.append(Node(output, ways, saves))
        return output

    def release(self, held: Held) -> None:
        """The graph lets go of what an operation saved."""
        held.graph -= 1
        if not held.graph and not held.variables:
            self._go(held)

    def run_back(self, last: Held, width: int) -> None:
        """Backward from `last`, whose gradient of `width` comes in."""
        last.gradient = self._gradient(last, width)
        for node in reversed(self.nodes):
            gradient = node.output.gradient
            if gradient is None:
                continue
            if node.saved and not self.wanted_at:
                self.wanted_at = len(self.events)
            made = [self._pass(way, gradient) for way in node.ways]
            node.output.gradient = None
            self._let_go(gradient)
            for held in node.saved:
                self.release(held)
            for way, one in zip(node.ways, made, strict=True):
                if way.input is not None and one is not None:
                    self._accumulate(way.input, one)

    def peaks(self, first: Held, last: Held, width: int) -> Peaks:
        """The books closed: backward from `last` is run, and each peak's holdings are listed."""
        input_kept = first.width if first.graph else 0
        end, forward_at = len(self.events), self.peak_at
        self.highest = -1
        self.run_back(last, width)
        waiting = self.events[end : self.wanted_at]
        return Peaks(
            sizes=self.sizes,
            kept=composition(self.events[:end]),
            forward=composition(self.events[:forward_at]),
            plain=composition(self.plain_events[: self.plain_peak_at]),
            again=composition(self.events[: self.saved_peak_at] + waiting),
            backward=composition(self.events[: self.peak_at]),
            input_kept=input_kept,
        )

    def _gradient(self, of: Held, width: int) -> Held:
        amount = width * self.sizes[of.name]
        self._come(of.name, width, amount)
        return Held(of.name, width, amount, differentiable=False)

    def _pass(self, way: Way, gradient: Held) -> Held | None:
        if way.input is not None and not way.input.differentiable:
            return None
        if way.passes:
            gradient.variables += 1
            return gradient
        for name, width in way.steps:
            self._come(name, width, width * self.sizes[name])
        found = self._gradient(way.input, way.width) if way.input is not None else None
        for name, width in way.steps:
            self.live -= width * self.sizes[name]
            self.events.append((name, -width))
        return found

    def _let_go(self, gradient: Held) -> None:
        gradient.variables -= 1
        if not gradient.variables:
            self._go(gradient)

    def _accumulate(self, tensor: Held, gradient: Held) -> None:
        before = tensor.gradient
        if before is None:
            tensor.gradient = gradient
            return
        tensor.gradient = self._gradient(tensor, max(before.width, gradient.width))
        self._let_go(before)
        self._let_go(gradient)


def composition(events: list[tuple[str, int]]) -> dict[str, int]:
    """What is alive after `events`, by size."""
    found: dict[str, int] = {}
    for name, width in events:
        found[name] = found.get(name, 0) + width
    return {name: width for name, width in found.items() if width}
