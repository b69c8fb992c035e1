"""A block of Unsloth on a tape: its own autograd functions in place of modules.

A norm keeps its 16-bit input, adapted q, k and v together one input, the MLP its input, gate
and up; what else backward needs it computes again, much of it in place. Where attention is
xformers' or PyTorch's, keys and values are repeated for every query head; FlashAttention
groups them. Source: unsloth 2024.1 to 2025, kernels/fast_lora.py and models/llama.py.

Left out: biases, which Unsloth's models have none of, but for Qwen's.
"""

from estimator.block_kinds import BlockKind
from estimator.graph import FP32
from estimator.tape import Held, Way
from estimator.taped import Code


class UnslothCode(Code):
    """Unsloth's kernels, on 16-bit activations."""

    def norm(self, x: Held, *, trained: bool) -> Held:
        """RMSNorm in one kernel: its input and one number a token are kept."""
        tape = self.tape
        sums = tape.new("tokenwise", FP32, differentiable=False)
        out = tape.new(x.name, x.width)
        tape.record(out, Way(x, width=x.width), saves=(x, sums), trained=trained)
        tape.drop(sums)
        return out

    def adapted(self, x: Held, modules: tuple[str, ...], output: str) -> Held:
        """Linears with their adapters added in place; their input is kept once for all."""
        trained = any(module in self.graph.targets for module in modules)
        out = self.tape.new(output, x.width)
        saves = (x,) if trained else ()
        return self.tape.record(out, Way(x, width=x.width), saves=saves, trained=trained)


def unsloth_block(code: UnslothCode, kind: BlockKind, x: Held) -> Held:
    """Unsloth's `LlamaDecoderLayer_fast_forward`."""
    tape = code.tape
    normed = code.norm(x, trained=False)
    mixed = _attention(code, kind, normed)
    tape.drop(normed)
    middle = code.add(x, mixed)
    tape.drop(mixed)
    normed = code.norm(middle, trained=False)
    passed = _mlp(code, kind, normed)
    tape.drop(normed)
    out = code.add(middle, passed)
    tape.drop(middle, passed)
    return out


def _attention(code: UnslothCode, kind: BlockKind, x: Held) -> Held:
    tape, width, modules = code.tape, x.width, kind.mixer[:-1]
    parts = [code.adapted(x, modules, size) for size in ("query", "kv", "kv")]
    if kind.repeats and not code.graph.flash:
        given = [parts[0], *(code.repeated(one, "query") for one in parts[1:])]
        tape.drop(*parts[1:])
    else:
        given = parts
    mixed, sums = tape.new("query", width), tape.new("heads", FP32, differentiable=False)
    ways = (Way(one, width=width) for one in given)
    tape.record(mixed, *ways, saves=(*given, mixed, sums))
    tape.drop(sums, *given)
    out = code.adapted(mixed, kind.mixer[-1:], "hidden")
    tape.drop(mixed)
    return out


def _mlp(code: UnslothCode, kind: BlockKind, x: Held) -> Held:
    """One function of three linears: backward writes over gate and up, beside one gradient."""
    tape, width = code.tape, x.width
    gate, up, inner = (tape.new("inner", width) for _ in range(3))
    out = tape.new("hidden", width)
    tape.drop(inner)
    back = Way(x, (("inner", width), ("hidden", width)), width)
    trained = any(module in code.graph.targets for module in kind.mlp)
    tape.record(out, back, saves=(x, gate, up), trained=trained)
    tape.drop(gate, up)
    return out
