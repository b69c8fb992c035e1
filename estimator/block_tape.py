"""One block on a tape: what it keeps, and how far each pass rises above that."""

from collections.abc import Callable, Mapping
from typing import assert_never

from estimator.blocks import Block
from estimator.graph import FP32, Graph
from estimator.kept_mixers import mixer_sizes
from estimator.mixers import Attention, LatentAttention
from estimator.mlps import ExpertsMlp, GatedMlp, NoMlp, PlainMlp
from estimator.recurrent import NoMixer, Recurrent
from estimator.tape import Held, Peaks, Tape, Way
from estimator.taped import Code
from estimator.tensors import QkNorm

SANDWICHED = 4  # norms of a block that also has one behind attention and one behind its MLP


def tape_block(block: Block, hidden: int, *, seq: int, graph: Graph) -> Peaks:
    """Forward and backward of one block whose input is the residual stream."""
    tape = Tape(_sizes(block, hidden, seq, graph))
    code = Code(tape, graph)
    x = tape.new("hidden", graph.stream)
    out = _block(code, block, x)
    tape.drop(x, out)
    return tape.peaks(x, out, graph.stream)


def tape_head(hidden: int, graph: Graph) -> Peaks:
    """Forward and backward of the final norm, as far as the head's input."""
    tape = Tape({"hidden": hidden, "tokenwise": 1})
    x = tape.new("hidden", graph.stream)
    out = Code(tape, graph).norm(x, trained=graph.base_trained, weight=graph.weight)
    tape.drop(x, out)
    return tape.peaks(x, out, out.width)


def _sizes(block: Block, hidden: int, seq: int, graph: Graph) -> Mapping[str, int]:
    return {
        "hidden": hidden,
        **mixer_sizes(block.attention, seq),
        "inner": block.mlp.token_inner,
        "rank": graph.adapter.rank if graph.adapter else 0,
        "tokenwise": 1,
    }


def _block(code: Code, block: Block, x: Held) -> Held:
    """A decoder layer of transformers, with norms behind attention and MLP where it has four."""
    tape = code.tape
    if isinstance(block.mlp, NoMlp):
        return _half(code, x, _mixer, block)
    if isinstance(block.attention, NoMixer):
        return _half(code, x, _mlp, block)
    normed = _stream_norm(code, x)
    mixed = code.dropout(_mixer(code, block, normed))
    if block.parallel:
        passed = code.dropout(_mlp(code, block, normed))
        tape.drop(normed)
        both = code.add(mixed, passed)
        tape.drop(mixed, passed)
        out = code.add(x, both)
        tape.drop(both)
        return out
    tape.drop(normed)
    mixed = _post_norm(code, block, mixed)
    middle = code.add(x, mixed)
    tape.drop(mixed)
    normed = _stream_norm(code, middle)
    passed = code.dropout(_mlp(code, block, normed))
    tape.drop(normed)
    passed = _post_norm(code, block, passed)
    out = code.add(middle, passed)
    tape.drop(middle, passed)
    return out


def _half(code: Code, x: Held, part: Callable[[Code, Block, Held], Held], block: Block) -> Held:
    """A layer that is a mixer alone, or an MLP alone."""
    normed = _stream_norm(code, x)
    passed = part(code, block, normed)
    code.tape.drop(normed)
    out = code.add(x, passed)
    code.tape.drop(passed)
    return out


def _stream_norm(code: Code, x: Held) -> Held:
    return code.norm(x, trained=code.graph.base_trained, weight=code.graph.weight)


def _post_norm(code: Code, block: Block, x: Held) -> Held:
    if block.norms < SANDWICHED:
        return x
    out = _stream_norm(code, x)
    code.tape.drop(x)
    return out


def _mixer(code: Code, block: Block, x: Held) -> Held:
    match block.attention:
        case Attention() as mixer:
            return _grouped(code, mixer, x)
        case LatentAttention() as mixer:
            return _latent(code, mixer, x)
        case _:
            return _state(code, block.attention, x)


def _grouped(code: Code, mixer: Attention, x: Held) -> Held:
    tape = code.tape
    names = mixer.modules[:-1] if not mixer.fused else mixer.modules[:1] * 3
    sizes = zip(names, ("query", "kv", "kv"), strict=True)
    queries, keys, values = (code.linear(x, module, size) for module, size in sizes)
    if mixer.qk_norm is not QkNorm.NONE:
        queries, keys = (_head_norm(code, one) for one in (queries, keys))
    turned = code.rotate(queries), code.rotate(keys)
    tape.drop(queries, keys)
    return _attend(code, mixer.output_module, *turned, values)


def _head_norm(code: Code, x: Held) -> Held:
    out = code.norm(x, trained=code.graph.base_trained, weight=code.graph.weight)
    code.tape.drop(x)
    return out


def _latent(code: Code, mixer: LatentAttention, x: Held) -> Held:
    """Queries and keys of both parts; the narrow latents between are left out."""
    queries = code.linear(x, mixer.modules[0], "nope")
    keys = code.linear(x, "kv_b_proj", "nope")
    values = code.linear(x, "kv_b_proj", "value")
    return _attend(code, mixer.output_module, queries, keys, values)


def _state(code: Code, mixer: Recurrent, x: Held) -> Held:
    """A layer with a state: its two widest tensors, and the kernel between them."""
    tape = code.tape
    given = [code.linear(x, mixer.input_modules[0], "channels") for _ in range(2)]
    mixed = tape.new("channels", given[0].width)
    tape.record(mixed, *(Way(one, width=one.width) for one in given), saves=(*given, mixed))
    tape.drop(*given)
    out = code.linear(mixed, mixer.output_module, "hidden")
    tape.drop(mixed)
    return out


def _attend(code: Code, output: str, queries: Held, keys: Held, values: Held) -> Held:
    """Flash attention: its inputs, its output and a log-sum-exp a head are kept."""
    tape, width = code.tape, code.graph.attending
    inputs = [code.cast(one, width) for one in (queries, keys, values)]
    mixed = tape.new(values.name if values.name == "value" else queries.name, width)
    sums = tape.new("heads", FP32, differentiable=False)
    ways = (Way(one, width=width) for one in inputs)
    tape.record(mixed, *ways, saves=(*inputs, mixed, sums))
    tape.drop(sums, *inputs)
    out = code.linear(mixed, output, "hidden")
    tape.drop(mixed, queries, keys, values)
    return out


def _mlp(code: Code, block: Block, x: Held) -> Held:
    tape, mlp = code.tape, block.mlp
    match mlp:
        case GatedMlp() | ExpertsMlp():
            names = mlp.modules if isinstance(mlp, GatedMlp) else ("", "", "")
            gate = code.linear(x, names[0], "inner")
            active = tape.record(
                tape.new("inner", gate.width), Way(gate, width=gate.width), saves=(gate,)
            )
            tape.drop(gate)
            up = code.linear(x, names[-2], "inner")
            inner = tape.record(
                tape.new("inner", up.width),
                Way(active, width=active.width),
                Way(up, width=up.width),
                saves=(active, up),
            )
            tape.drop(active, up)
        case PlainMlp():
            up = code.linear(x, mlp.modules[0], "inner")
            inner = tape.record(tape.new("inner", up.width), Way(up, width=up.width), saves=(up,))
            tape.drop(up)
        case NoMlp():
            return x
        case _:
            assert_never(mlp)
    out = code.linear(inner, mlp.modules[-1] if not isinstance(mlp, ExpertsMlp) else "", "hidden")
    tape.drop(inner)
    return out
