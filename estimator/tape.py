"""Autograd's bookkeeping over one block, tensor by tensor: when each comes, and when it goes.

A `Tape` runs a module's operations in order without computing anything. Each result is a
`Held` tensor of so many bytes a token for each of a named size; it lives while a variable of
the module's code or the graph refers to it. `run_back` then walks the operations in reverse
as PyTorch's engine does: gradients of the inputs are made beside the incoming one, which goes
afterwards together with what the operation had saved; a second gradient of the same tensor
is added out of place.

What comes and goes is written down as events; how much that is, `Program.peaks` says for
given sizes. What does not grow with tokens is left out here. Source: PyTorch's
`derivatives.yaml`, its engine's order, and its checkpoint's early stop.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from estimator.program import Event, Program


class Held:
    """A tensor: `width` bytes a token for each of the size `name`; a `view` owns none of them."""

    __slots__ = ("differentiable", "gradient", "graph", "name", "owned", "variables", "width")

    def __init__(
        self, name: str, width: int, *, differentiable: bool = True, view: bool = False
    ) -> None:
        self.name, self.width = name, width
        self.owned = 0 if view else width
        self.variables, self.graph = 1, 0  # who refers to it
        self.differentiable = differentiable
        self.gradient: Held | None = None


class Way(NamedTuple):
    """How a gradient comes to one input: what is made on the way, and the gradient's width.

    `passes`: the incoming gradient itself is handed on. `input` none: a weight's own, which
    is no token's.
    """

    input: Held | None
    steps: tuple[Event, ...] = ()
    width: int = 0
    passes: bool = False


class Node(NamedTuple):
    """One operation: its result, how gradients pass it, what it saved, whose weights it has."""

    output: Held
    ways: tuple[Way, ...]
    saved: tuple[Held, ...]
    weights: tuple[str, ...]


@dataclass
class Tape:
    """The books of one block. `plain`: the events of a pass that saves nothing."""

    nodes: list[Node] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    plain: list[Event] = field(default_factory=list)
    before: int = 0  # events before the latest tensor came
    saved_at: int = 0  # events up to the last operation that saved anything
    wanted_at: int = 0  # events when backward first wants what was saved
    made: dict[str, int] = field(default_factory=dict)  # weight → events when its gradient is made

    def new(self, name: str, width: int, *, differentiable: bool = True) -> Held:
        """A fresh tensor, which one variable holds."""
        self.before = len(self.events)
        self.events.append((name, width))
        self.plain.append((name, width))
        return Held(name, width, differentiable=differentiable)

    def view(self, name: str, width: int) -> Held:
        """A part of another tensor, which holds its bytes."""
        return Held(name, width, view=True)

    def drop(self, *tensors: Held) -> None:
        """A variable that held each is gone."""
        for held in tensors:
            held.variables -= 1
            if not held.variables:
                self.plain.append((held.name, -held.owned))
                if not held.graph:
                    self._go(held)

    def record(
        self,
        output: Held,
        *ways: Way,
        saves: tuple[Held, ...] = (),
        weights: tuple[str, ...] = (),
        trained: bool = False,
    ) -> Held:
        """Note the operation that made `output`; what it saves, the graph holds.

        `weights`: the modules whose weights get their gradients there. Where no gradient is wanted,
        of an input or of something `trained`, there is no graph, and nothing is saved.
        """
        output.differentiable = trained or any(
            way.input is not None and way.input.differentiable for way in ways
        )
        if not output.differentiable:
            return output
        for held in saves:
            held.graph += 1
        if saves:  # inputs are saved before the result is made
            self.saved_at = len(self.events) if output in saves else self.before
        self.nodes.append(Node(output, ways, saves, weights))
        return output

    def run_back(self, last: Held, width: int) -> None:
        """Backward from `last`, whose gradient of `width` comes in, if it wants one."""
        if not last.differentiable:
            return
        last.gradient = self._gradient(last, width)
        for node in reversed(self.nodes):
            gradient = node.output.gradient
            if gradient is None:
                continue
            if node.saved and not self.wanted_at:
                self.wanted_at = len(self.events)
            self.made.update(dict.fromkeys(node.weights, len(self.events)))
            made = [self._pass(way, gradient) for way in node.ways]
            node.output.gradient = None
            self._let_go(gradient)
            for held in node.saved:
                self._release(held)
            for way, one in zip(node.ways, made, strict=True):
                if way.input is not None and one is not None:
                    self._accumulate(way.input, one)

    def program(self, first: Held, last: Held, width: int) -> Program:
        """The books closed: backward from `last` is run as well."""
        input_kept = first.width if first.graph else 0
        end = len(self.events)
        self.run_back(last, width)
        return Program.of(
            self.events,
            self.plain,
            end=end,
            saved_at=self.saved_at,
            wanted_at=self.wanted_at,
            input_kept=input_kept,
            made={module: at - end for module, at in self.made.items()},
        )

    def _go(self, held: Held) -> None:
        self.events.append((held.name, -held.owned))

    def _release(self, held: Held) -> None:
        """The graph lets go of what an operation saved."""
        held.graph -= 1
        if not held.graph and not held.variables:
            self._go(held)

    def _gradient(self, of: Held, width: int) -> Held:
        self.events.append((of.name, width))
        return Held(of.name, width, differentiable=False)

    def _pass(self, way: Way, gradient: Held) -> Held | None:
        if way.input is not None and not way.input.differentiable:
            return None
        if way.passes:
            gradient.variables += 1
            return gradient
        self.events.extend(way.steps)
        found = self._gradient(way.input, way.width) if way.input is not None else None
        self.events.extend((name, -width) for name, width in way.steps)
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
