"""A block's operations on a tape, in the order and with the variables of the frameworks' code.

Norms, linears with their adapters, rotary embeddings, attention and MLPs as transformers 5,
peft 0.21 and bitsandbytes 0.50 write them. How long a variable of theirs lives decides the
highest instant, so each function drops its variables where the frameworks' function returns.
"""

from collections.abc import Sequence

from estimator.graph import FP32, HALF, RMS_NORMS, SCALED_IN_FP32, GraphKind
from estimator.tape import Held, Tape, Way


class Code:
    """The frameworks' functions, run on one tape in one graph."""

    def __init__(self, tape: Tape, graph: GraphKind) -> None:
        self.tape, self.graph = tape, graph

    def cast(self, x: Held, width: int) -> Held:
        """`x.to(dtype)`: itself where it is of that width already."""
        if x.width == width:
            x.variables += 1
            return x
        out = self.tape.new(x.name, width)
        return self.tape.record(out, Way(x, width=x.width))

    def add(self, x: Held, y: Held) -> Held:
        """Their sum; a narrower one's gradient is cast to its own type."""
        out = self.tape.new(x.name, max(x.width, y.width))
        ways = (Way(one, width=one.width, passes=one.width == out.width) for one in (x, y))
        return self.tape.record(out, *ways)

    def scale(self, x: Held) -> Held:
        """A tensor times a number."""
        return self.tape.record(self.tape.new(x.name, x.width), Way(x, width=x.width))

    def norm(self, x: Held, *, trained: bool) -> Held:
        """The norm of `x`, of the kind that the model has."""
        if self.graph.norm in RMS_NORMS:
            return self._rms_norm(x, trained=trained)
        tape = self.tape
        inside = self.cast(x, FP32) if self.graph.autocast else self.cast(x, x.width)
        out = tape.new(x.name, inside.width)
        tape.record(out, Way(inside, width=inside.width), saves=(inside,))
        tape.drop(inside)
        return out

    def _rms_norm(self, x: Held, *, trained: bool) -> Held:
        tape, name = self.tape, x.name
        wide = self.cast(x, FP32)
        squares = tape.record(
            tape.new(name, FP32), Way(wide, ((name, FP32),) * 2, FP32), saves=(wide,)
        )
        mean = tape.record(tape.new("tokenwise", FP32), Way(squares, width=FP32))
        tape.drop(squares)
        ways = (Way(wide, width=FP32), Way(mean, ((name, FP32),), FP32))
        scaled = tape.record(tape.new(name, FP32), *ways, saves=(wide, mean))
        tape.drop(wide, mean)
        if self.graph.norm in SCALED_IN_FP32:
            out = self._weighed(scaled, FP32, trained=trained)
            tape.drop(scaled)
            narrow = self.cast(out, x.width)
            tape.drop(out)
            return narrow
        narrow = self.cast(scaled, x.width)
        out = self._weighed(narrow, self.graph.weight, trained=trained)
        tape.drop(narrow, scaled)
        return out

    def _weighed(self, x: Held, weight: int, *, trained: bool) -> Held:
        width = max(weight, x.width)
        cast = ((x.name, width),) if width > x.width else ()
        ways = (Way(x, cast, x.width), Way(None, ((x.name, width),) if trained else ()))
        return self.tape.record(self.tape.new(x.name, width), *ways, saves=(x,) if trained else ())

    def linear(self, x: Held, module: str, output: str) -> Held:
        """A linear of the base, with its adapter if it has one."""
        result = self._base(x, module, output)
        if module not in self.graph.targets:
            return result
        return self._adapted(x, result)

    def _base(self, x: Held, module: str, output: str) -> Held:
        tape, graph = self.tape, self.graph
        if graph.inputs_kept:
            return self._int8(x, output)
        x = self._copied(x)
        inside = self.cast(x, graph.product)
        self.tape.drop(x)
        matrix = tape.new(module, 1, differentiable=False) if graph.unpacked else None
        out = tape.new(output, graph.product)
        if matrix is not None:
            tape.drop(matrix)
        kept = (inside,) if graph.base_trained else ()
        weights = (module,) if graph.base_trained else ()
        tape.record(
            out,
            Way(inside, width=inside.width),
            saves=kept,
            weights=weights,
            trained=graph.base_trained,
        )
        tape.drop(inside)
        if not graph.packed:
            return out
        given = self.cast(out, x.width)
        tape.drop(out)
        copy = tape.record(tape.new(output, given.width), Way(given, passes=True))
        tape.drop(given)
        return copy

    @property
    def out(self) -> str:
        """The size of what a block's last linears give out, by name."""
        return "gathered" if self.graph.gathers else "hidden"

    def gathered(self, x: Held) -> Held:
        """The tokens of all cards that divide the linears behind; `x` itself where it has them."""
        if not self.graph.gathers:
            x.variables += 1
            return x
        return self.tape.record(self.tape.new("gathered", x.width), Way(x, width=x.width))

    def summed(self, x: Held) -> Held:
        """The cards' parts of `x` summed up, out of place: of all tokens, or of a card's own."""
        if not (self.graph.gathers or self.graph.reduces):
            return x
        out = self.tape.new("hidden", x.width)
        self.tape.record(out, Way(x, width=x.width, passes=self.graph.reduces))
        self.tape.drop(x)
        return out

    def _copied(self, x: Held) -> Held:
        """`x` on every card, whose gradients are summed up, out of place."""
        if not self.graph.reduces or x.name != "hidden":
            x.variables += 1
            return x
        return self.tape.record(self.tape.view(x.name, x.width), Way(x, width=x.width))

    def _int8(self, x: Held, output: str) -> Held:
        """Rows in int8, their product in int32, fp16, and the type of `x`."""
        tape = self.tape
        half, rows = tape.new(x.name, HALF), tape.new(x.name, 1)
        magnitudes = tape.new(x.name, HALF)
        outliers = tape.new(x.name, 1)
        tape.drop(magnitudes, outliers, half)
        wide, narrow = tape.new(output, FP32), tape.new(output, HALF)
        out = tape.new(output, x.width)
        tape.drop(narrow, wide, rows)
        return tape.record(out, Way(x, width=x.width), saves=(x,))

    def _adapted(self, x: Held, result: Held) -> Held:
        """The base's result + B(A(dropout(x))) × scaling, in the adapter's type."""
        tape, graph, own = self.tape, self.graph, self.graph.adapter
        left = graph.packed and graph.autocast  # PEFT's packed layers leave it to autocast
        given = self.cast(x, x.width if left else own)
        dropped = self._dropout(given) if graph.adapter_dropout else self.cast(given, given.width)
        inside = self.cast(dropped, HALF if graph.autocast else own)
        narrow = tape.record(
            tape.new("rank", inside.width),
            Way(inside, width=inside.width),
            saves=(inside,),
            trained=True,
        )
        tape.drop(inside, dropped)
        wide = tape.record(
            tape.new(result.name, narrow.width),
            Way(narrow, width=narrow.width),
            saves=(narrow,),
            trained=True,
        )
        tape.drop(narrow)
        scaled = self.scale(wide)
        tape.drop(wide)
        before = result.width
        if graph.packed and not left:
            scaled, unlike = self.cast(scaled, before), scaled
            tape.drop(unlike)
        total = self.add(result, scaled)
        tape.drop(result, scaled)
        if not graph.packed:
            total, unlike = self.cast(total, before), total
            tape.drop(unlike)
        tape.drop(given)
        return total

    def _dropout(self, x: Held) -> Held:
        """CUDA's fused dropout keeps a mask of one byte an element."""
        tape = self.tape
        mask = tape.new(x.name, 1, differentiable=False)
        out = tape.record(tape.new(x.name, x.width), Way(x, width=x.width), saves=(mask,))
        tape.drop(mask)
        return out

    def dropout(self, x: Held) -> Held:
        """Dropout of the residual stream, where the model has it."""
        if not self.graph.dropout:
            return x
        out = self._dropout(x)
        self.tape.drop(x)
        return out

    def gated(self, x: Held, modules: Sequence[str], size: str) -> Held:
        """act(gate) × up; a fused projection counts as two."""
        tape = self.tape
        gate = self.linear(x, modules[0], size)
        active = tape.record(tape.new(size, gate.width), Way(gate, width=gate.width), saves=(gate,))
        tape.drop(gate)
        up = self.linear(x, modules[-2], size)
        ways = (Way(active, width=active.width), Way(up, width=up.width))
        inner = tape.record(tape.new(size, up.width), *ways, saves=(active, up))
        tape.drop(active, up)
        return inner

    def repeated(self, x: Held, name: str) -> Held:
        """Keys or values once for every query head, whose gradients are summed."""
        if x.name == name:
            x.variables += 1
            return x
        return self.tape.record(self.tape.new(name, x.width), Way(x, width=x.width))

    def rotate(self, x: Held) -> Held:
        """Rotary embedding: x × cos + rotate_half(x) × sin, tables in the stream's type."""
        tape, name, width = self.tape, x.name, x.width
        straight = self._times_table(x)
        half = tape.new(name, width // 2)
        turned = tape.record(tape.new(name, width), Way(x, ((name, width),), width))
        tape.drop(half)
        crossed = self._times_table(turned)
        tape.drop(turned)
        out = self.add(straight, crossed)
        tape.drop(straight, crossed)
        return out

    def _times_table(self, x: Held) -> Held:
        width = max(x.width, self.graph.stream)
        cast = ((x.name, width),) if width > x.width else ()
        return self.tape.record(self.tape.new(x.name, width), Way(x, cast, x.width))
