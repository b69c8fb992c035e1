"""A block of Megatron Core on a tape, with Transformer Engine's fused operations.

What differs from transformers: a norm keeps its 16-bit input and one number a token; a linear
whose tokens are gathered keeps the card's own, and gathers them again in backward; rotary
embeddings and gated activations are one kernel each, the latter keeping gate and up alone.
Source: Megatron Core 0.20, Transformer Engine's LayerNormLinear and Linear.

Left out: values held as a part of the fused q, k and v; the router's scores; dropout.
"""

from collections.abc import Sequence

from estimator.graph import FP32, GraphKind
from estimator.tape import Held, Tape, Way
from estimator.taped import Code


class MegatronCode(Code):
    """Its norms, linears and MLPs."""

    def __init__(self, tape: Tape, graph: GraphKind) -> None:
        super().__init__(tape, graph)
        self._own: dict[int, Held] = {}  # what was gathered → the card's own part of it

    def norm(self, x: Held, *, trained: bool) -> Held:
        """RMSNorm in one kernel."""
        tape = self.tape
        sums = tape.new("tokenwise", FP32, differentiable=False)
        out = tape.new(x.name, x.width)
        tape.record(out, Way(x, width=x.width), saves=(x, sums), trained=trained)
        tape.drop(sums)
        return out

    def gathered(self, x: Held) -> Held:
        """The tokens of all cards, for the linears behind."""
        out = super().gathered(x)
        if out is not x:
            self._own[id(out)] = x
        return out

    def summed(self, x: Held) -> Held:
        """The cards' parts summed up: in place, unless each gets its own tokens."""
        return super().summed(x) if self.graph.gathers else x

    def linear(self, x: Held, module: str, output: str) -> Held:
        """A linear of the model; what it keeps is the card's own part of its input."""
        tape, trained = self.tape, self.graph.base_trained
        own = self._own.get(id(x), x)
        again = () if own is x else ((x.name, x.width),)
        return tape.record(
            tape.new(output, x.width),
            Way(x, again, x.width),
            saves=(own,) if trained else (),
            weights=(module,) if trained else (),
            trained=trained,
        )

    def gated(self, x: Held, modules: Sequence[str], size: str) -> Held:
        """act(gate) × up in one kernel."""
        tape = self.tape
        gate, up = (self.linear(x, module, size) for module in (modules[0], modules[-2]))
        inner = tape.new(size, x.width)
        ways = (Way(gate, width=x.width), Way(up, width=x.width))
        tape.record(inner, *ways, saves=(gate, up))
        tape.drop(gate, up)
        return inner

    def rotate(self, x: Held) -> Held:
        """Rotary embedding in one kernel, which keeps nothing of what it turned."""
        return self.scale(x)
