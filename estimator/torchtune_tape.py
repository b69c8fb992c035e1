"""A block of torchtune on a tape: its modules' operations, plain or compiled.

What differs from transformers: keys and values are repeated for every query head, rotary
embeddings are taken in fp32. Compiled by torch.compile, what is done number by number is
one kernel that reads its inputs again in backward: of a norm its input and one number a
token are kept, of a gated MLP gate and up. Source: torchtune 0.4.0; inductor's partitioner.

Left out: biases, and what a compiled kernel may still make for itself.
"""

from estimator.block_kinds import BlockKind
from estimator.graph import FP32
from estimator.tape import Held, Way
from estimator.taped import Code


class TorchtuneCode(Code):
    """torchtune's linears, norms and MLPs."""

    def linear(self, x: Held, module: str, output: str) -> Held:
        """A linear; its adapter stays in the model's own type."""
        tape, trained = self.tape, self.graph.base_trained
        result = tape.new(output, x.width)
        tape.record(
            result,
            Way(x, width=x.width),
            saves=(x,) if trained else (),
            weights=(module,) if trained else (),
            trained=trained,
        )
        return self._with_adapter(x, result) if module in self.graph.targets else result

    def _with_adapter(self, x: Held, result: Held) -> Held:
        tape, width = self.tape, x.width
        given = self._dropout(x) if self.graph.adapter_dropout else self.cast(x, width)
        narrow = tape.new("rank", width)
        tape.record(narrow, Way(given, width=width), saves=(given,), trained=True)
        wide = tape.new(result.name, width)
        tape.record(wide, Way(narrow, width=width), saves=(narrow,), trained=True)
        tape.drop(given, narrow)
        scaled = self.scale(wide)
        tape.drop(wide)
        total = self.add(result, scaled)
        tape.drop(result, scaled)
        return total

    def norm(self, x: Held, *, trained: bool) -> Held:
        """RMSNorm in fp32; compiled, it keeps its input as it is."""
        if not self.graph.compiled:
            return super().norm(x, trained=trained)
        tape = self.tape
        sums = tape.new("tokenwise", FP32, differentiable=False)
        out = tape.new(x.name, x.width)
        tape.record(out, Way(x, width=x.width), saves=(x, sums), trained=trained)
        tape.drop(sums)
        return out

    def turned(self, x: Held) -> Held:
        """Rotary embedding: x, its four half products and their sums in fp32; then cast back."""
        tape, name, width = self.tape, x.name, x.width
        if self.graph.compiled:
            return self.scale(x)
        wide = self.cast(x, FP32)
        halves = tape.record(tape.new(name, FP32), Way(wide, ((name, FP32),), FP32))
        crossed = tape.record(tape.new(name, FP32), Way(wide, ((name, FP32),), FP32))
        both = self.add(halves, crossed)
        tape.drop(halves, crossed, wide)
        out = self.cast(both, width)
        tape.drop(both)
        return out

    def gated(self, x: Held, modules: tuple[str, ...], size: str) -> Held:  # type: ignore[override]
        """act(gate) × up, one kernel if compiled."""
        if not self.graph.compiled:
            return super().gated(x, modules, size)
        tape = self.tape
        gate, up = (self.linear(x, module, size) for module in modules[:2])
        inner = tape.new(size, x.width)
        ways = (Way(gate, width=x.width), Way(up, width=x.width))
        tape.record(inner, *ways, saves=(gate, up))
        tape.drop(gate, up)
        return inner


def torchtune_block(code: TorchtuneCode, kind: BlockKind, x: Held) -> Held:
    """A `TransformerSelfAttentionLayer`."""
    tape, trained = code.tape, code.graph.base_trained
    normed = code.norm(x, trained=trained)
    mixed = _attention(code, kind, normed)
    middle = code.add(mixed, x)
    second = code.norm(middle, trained=trained)
    inner = code.gated(second, kind.mlp, "inner")
    passed = code.linear(inner, kind.mlp[-1], "hidden")
    tape.drop(inner)
    out = code.add(middle, passed)
    tape.drop(normed, mixed, middle, second, passed)
    return out


def _attention(code: TorchtuneCode, kind: BlockKind, x: Held) -> Held:
    tape, width = code.tape, x.width
    names = zip(kind.mixer[:-1], ("query", "kv", "kv"), strict=True)
    queries, keys, values = (code.linear(x, module, size) for module, size in names)
    turned = [code.turned(one) for one in (queries, keys)]
    tape.drop(queries, keys)
    given = (
        [turned[0], *(code.repeated(one, "query") for one in (turned[1], values))]
        if (kind.repeats)
        else [*turned, values]
    )
    if kind.repeats:
        tape.drop(turned[1], values)
    mixed, sums = tape.new("query", width), tape.new("heads", FP32, differentiable=False)
    ways = (Way(one, width=width) for one in given)
    tape.record(mixed, *ways, saves=(*given, mixed, sums))
    tape.drop(sums, *given)
    out = code.linear(mixed, kind.mixer[-1], "hidden")
    tape.drop(mixed)
    return out
