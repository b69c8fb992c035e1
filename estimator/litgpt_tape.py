"""A block of LitGPT on a tape: its modules' operations, with the variables of their code.

What differs from transformers: q, k and v are one projection, of which v stays a view, so that
attention holds all three; for grouped heads q is copied, k and v are repeated. Attention's
output is copied before its projection. Adapters sit on the fused projection; what they put out
for some of its parts is padded by `index_copy_`, which keeps its source. Packed linears of
bitsandbytes up to 0.42 keep their inputs. Source: litgpt 0.4.11.

Left out: biases; rotary tables; the part of a head that is not turned is taken as turned.
"""

from collections.abc import Sequence

from estimator.block_kinds import BlockKind
from estimator.graph import FP32
from estimator.tape import Held, Way
from estimator.taped import Code

SANDWICHED = 4  # norms of a block that also has one behind attention and one behind its MLP
PARALLEL_NORMS = 2  # of a parallel block whose MLP has a norm of its own
QKV = ("query", "kv", "kv")


class LitGptCode(Code):
    """LitGPT's linears, with its adapters on them."""

    @property
    def norms_trained(self) -> bool:
        """Adapter V2 trains norms too."""
        return self.graph.base_trained or self.graph.scales

    def linear(self, x: Held, module: str, output: str) -> Held:
        """A linear with its adapter, if it has one."""
        result = self.product(x, (module,), output)
        if module not in self.graph.targets:
            return result
        narrow = self.narrowed(x, parts=1)
        tape = self.tape
        wide = tape.new(output, narrow.width)
        tape.record(wide, Way(narrow, width=narrow.width), saves=(narrow,), trained=True)
        tape.drop(narrow)
        return self.joined(result, wide)

    def product(self, x: Held, modules: tuple[str, ...], output: str) -> Held:
        """The base's product; Adapter V2 shifts and scales what comes out."""
        tape, graph = self.tape, self.graph
        trained = graph.base_trained
        out = tape.new(output, x.width)
        tape.record(
            out,
            Way(x, width=x.width),
            saves=(x,) if trained or (graph.inputs_kept and x.differentiable) else (),
            weights=modules if trained else (),
            trained=trained,
        )
        return self._scaled(out) if graph.scales else out

    def _scaled(self, x: Held) -> Held:
        tape = self.tape
        shifted = tape.record(tape.new(x.name, x.width), Way(x, passes=True), trained=True)
        tape.drop(x)
        ways = (Way(shifted, width=x.width), Way(None, ((x.name, x.width),)))
        out = tape.record(tape.new(x.name, x.width), *ways, saves=(shifted,), trained=True)
        tape.drop(shifted)
        return out

    def narrowed(self, x: Held, parts: int) -> Held:
        """A(dropout(x)) of `parts` adapters at once."""
        tape = self.tape
        dropped = self._dropout(x) if self.graph.adapter_dropout else self.cast(x, x.width)
        narrow = tape.new("rank", parts * x.width)
        tape.record(narrow, Way(dropped, width=x.width), saves=(dropped,), trained=True)
        tape.drop(dropped)
        return narrow

    def joined(self, result: Held, update: Held) -> Held:
        """The base's result + the adapter's × scaling."""
        scaled = self.scale(update)
        self.tape.drop(update)
        total = self.add(result, scaled)
        self.tape.drop(result, scaled)
        return total

    def fused(self, x: Held, modules: tuple[str, ...]) -> Held:
        """q, k and v in one product, with the adapters of some of its parts."""
        result = self.product(x, modules, "qkv")
        parts = sum(module in self.graph.targets for module in modules)
        if not parts:
            return result
        tape, narrow = self.tape, self.narrowed(x, parts)
        wide = tape.new("adapted", x.width)
        tape.record(wide, Way(narrow, width=narrow.width), saves=(narrow,), trained=True)
        tape.drop(narrow)
        if parts < len(modules):
            padded = tape.new("qkv", x.width)
            tape.record(padded, Way(wide, width=x.width), saves=(wide,), trained=True)
            tape.drop(wide)
            wide = padded
        return self.joined(result, wide)

    def turned(self, x: Held) -> Held:
        """Rotary embedding with fp32 tables: two products and their sum in fp32, and two casts."""
        tape, name, width = self.tape, x.name, x.width
        straight = tape.record(tape.new(name, FP32), Way(x, ((name, FP32),), width))
        around = tape.record(tape.new(name, width), Way(x, ((name, width),), width))
        crossed = tape.record(tape.new(name, FP32), Way(around, ((name, FP32),), width))
        total = self.add(straight, crossed)
        tape.drop(straight, around, crossed)
        narrow = self.cast(total, width)
        tape.drop(total)
        out = tape.record(tape.new(name, width), Way(narrow, width=width))
        tape.drop(narrow)
        return out


def litgpt_block(code: LitGptCode, kind: BlockKind, x: Held) -> Held:
    """LitGPT's `Block`; what its forward names stays until it returns."""
    tape, trained = code.tape, code.norms_trained
    normed = code.norm(x, trained=trained)
    mixed = _behind(code, kind, _attention(code, kind, normed))
    if kind.parallel:
        second = code.norm(x, trained=trained) if kind.norms == PARALLEL_NORMS else normed
        passed = _mlp(code, kind, second)
        both = code.add(passed, mixed)
        out = code.add(both, x)
        tape.drop(passed, both, mixed, normed, *(() if second is normed else (second,)))
        return out
    middle = code.add(mixed, x)
    second = code.norm(middle, trained=trained)
    passed = _behind(code, kind, _mlp(code, kind, second))
    tape.drop(second)
    out = code.add(passed, middle)
    tape.drop(passed, middle, mixed, normed)
    return out


def _behind(code: LitGptCode, kind: BlockKind, x: Held) -> Held:
    """The norm behind attention or MLP, of models that have one (Gemma 2)."""
    if kind.norms < SANDWICHED:
        return x
    out = code.norm(x, trained=code.norms_trained)
    code.tape.drop(x)
    return out


def _attention(code: LitGptCode, kind: BlockKind, x: Held) -> Held:
    tape, width = code.tape, x.width
    fused = code.fused(x, kind.mixer[:-1])
    names = ("query",) * 3 if kind.repeats else QKV
    # a view of the projection, or copies; backward joins their gradients in one tensor
    make = tape.new if kind.repeats else tape.view
    parts = [make(name, width) for name in names]
    for part in parts:
        way = Way(fused, width=width) if part is parts[0] else Way(None)
        tape.record(part, way, trained=fused.differentiable)
    queries, keys = (code.turned(part) for part in parts[:2])
    values = parts[2] if kind.repeats else fused
    mixed = _attend(code, kind, (queries, keys, parts[2]), values)
    copied = tape.record(tape.new("query", width), Way(mixed, passes=True))
    tape.drop(mixed, queries, keys, *parts)
    out = code.linear(copied, kind.mixer[-1], "hidden")
    tape.drop(copied, fused)
    return out


def _attend(code: LitGptCode, kind: BlockKind, inputs: Sequence[Held], values: Held) -> Held:
    if kind.capped:
        return _capped(code, inputs, values)
    tape, width = code.tape, inputs[0].width
    mixed, sums = tape.new("query", width), tape.new("heads", FP32, differentiable=False)
    ways = (Way(one, width=width) for one in inputs)
    tape.record(mixed, *ways, saves=(*inputs[:2], values, mixed, sums))
    tape.drop(sums)
    if not code.graph.prompts:
        return mixed
    # what attention gives for the prompt's tokens, which a trained gate scales
    queries = inputs[0]
    seen, sums = tape.new("query", width), tape.new("heads", FP32, differentiable=False)
    tape.record(seen, Way(queries, width=width), saves=(queries, seen, sums), trained=True)
    back = (Way(seen, width=width), Way(None, (("query", width),)))
    gated = tape.record(tape.new("query", width), *back, saves=(seen,), trained=True)
    total = code.add(mixed, gated)
    tape.drop(sums, seen, gated, mixed)
    return total


def _capped(code: LitGptCode, inputs: Sequence[Held], values: Held) -> Held:
    """Scores written out where they pass tanh: it and the softmax in fp32 are kept, and a cast."""
    tape, width = code.tape, inputs[0].width
    queries, keys, given = inputs
    ways = (Way(queries, width=width), Way(keys, width=width))
    products = tape.record(tape.new("scores", width), *ways, saves=(queries, keys))
    for _ in range(2):  # scaled, and divided by the cap
        scaled = code.scale(products)
        tape.drop(products)
        products = scaled
    bent = tape.new("scores", width)
    tape.record(bent, Way(products, width=width), saves=(bent,))
    tape.drop(products)
    capped = code.scale(bent)
    masked = tape.record(tape.new("scores", width), Way(capped, passes=True))
    tape.drop(bent, capped)
    wide = code.cast(masked, FP32)
    shares = tape.new("scores", FP32)
    tape.record(shares, Way(wide, width=FP32), saves=(shares,))
    tape.drop(wide)
    narrow = code.cast(shares, width)
    tape.drop(shares, masked)
    ways = (Way(narrow, width=width), Way(given, width=width))
    mixed = tape.record(tape.new("query", width), *ways, saves=(narrow, values))
    tape.drop(narrow)
    return mixed


def _mlp(code: LitGptCode, kind: BlockKind, x: Held) -> Held:
    tape = code.tape
    first = code.linear(x, kind.mlp[0], "inner")
    if kind.plain:
        inner = tape.new("inner", x.width)
        tape.record(inner, Way(first, width=x.width), saves=(first,))
        tape.drop(first)
    else:
        second = code.linear(x, kind.mlp[1], "inner")
        active = tape.record(tape.new("inner", x.width), Way(first, width=x.width), saves=(first,))
        ways = (Way(active, width=x.width), Way(second, width=x.width))
        inner = tape.record(tape.new("inner", x.width), *ways, saves=(active, second))
        tape.drop(active, first, second)
    out = code.linear(inner, kind.mlp[-1], "hidden")
    tape.drop(inner)
    return out
