"""One block on a tape: what it keeps, and how far each pass rises above that."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import assert_never

from estimator.block_kinds import BlockKind, Mixing
from estimator.blocks import Block
from estimator.experts_tape import expert_sizes, experts
from estimator.graph import FP32, Graph, GraphKind
from estimator.kept_mixers import mixer_sizes
from estimator.litgpt_tape import LitGptCode, litgpt_block
from estimator.megatron_tape import MegatronCode
from estimator.mixers import Attention
from estimator.program import Program, Widths
from estimator.tape import Held, Tape, Way
from estimator.taped import Code
from estimator.torchtune_tape import TorchtuneCode, torchtune_block
from estimator.unsloth_tape import UnslothCode, unsloth_block
from estimator.words import Library

SANDWICHED = 4  # norms of a block that also has one behind attention and one behind its MLP
MOST_PROGRAMS = 500  # kinds of block in kinds of graph; a program is a few kilobytes


def block_sizes(block: Block, hidden: int, *, seq: int, graph: Graph) -> Widths:
    """The sizes that a block's program speaks of."""
    return {
        **graph.widths(hidden),
        **mixer_sizes(block.attention, seq),
        **expert_sizes(block.mlp, hidden),
        "rank": graph.adapter.rank if graph.adapter else 0,
        "tokenwise": 1,
        **_fused_sizes(block, graph),
    }


def _fused_sizes(block: Block, graph: Graph) -> Widths:
    """Of LitGPT's one projection for q, k and v: all of it, and its adapted parts."""
    mixer = block.attention
    if graph.library is not Library.LITGPT or not isinstance(mixer, Attention):
        return {}
    widths = (mixer.query_width, mixer.kv_width, mixer.kv_width)
    targets = graph.adapter.targets if graph.adapter else ()
    adapted = zip(mixer.input_modules, widths, strict=True)
    return {
        "qkv": sum(widths),
        "adapted": sum(width for name, width in adapted if name in targets),
    }


@lru_cache(maxsize=MOST_PROGRAMS)
def block_program(kind: BlockKind, graph: GraphKind, *, first: bool = False) -> Program:
    """Forward and backward of a block whose input is the residual stream.

    `first`: nothing in front of it is trained, so that its input needs no gradient.
    """
    tape = Tape()
    x = tape.new("hidden", graph.stream, differentiable=not first)
    match graph.library:
        case Library.LITGPT:
            out = litgpt_block(LitGptCode(tape, graph), kind, x)
        case Library.TORCHTUNE:
            out = torchtune_block(TorchtuneCode(tape, graph), kind, x)
        case Library.MEGATRON:
            out = _block(MegatronCode(tape, graph), kind, x)
        case Library.UNSLOTH:
            out = unsloth_block(UnslothCode(tape, graph), kind, x)
        case Library.TRANSFORMERS:
            out = _block(Code(tape, graph), kind, x)
        case _:
            assert_never(graph.library)
    tape.drop(x, out)
    return tape.program(x, out, graph.stream)


@lru_cache(maxsize=MOST_PROGRAMS)
def head_program(graph: GraphKind) -> Program:
    """Forward and backward of the final norm."""
    tape = Tape()
    x = tape.new("hidden", graph.stream)
    code = MegatronCode if graph.library is Library.MEGATRON else Code
    out = code(tape, graph).norm(x, trained=graph.base_trained or graph.scales)
    tape.drop(x, out)
    return tape.program(x, out, out.width)


def _block(code: Code, kind: BlockKind, x: Held) -> Held:
    """A decoder layer of transformers, with norms behind attention and MLP where it has four."""
    tape = code.tape
    if not kind.mlp:
        return _half(code, x, _mixer, kind)
    if kind.mixing is Mixing.NONE:
        return _half(code, x, _mlp, kind)
    normed = _stream_norm(code, x)
    mixed = code.dropout(_mixer(code, kind, normed))
    if kind.parallel:
        passed = code.dropout(_mlp(code, kind, normed))
        tape.drop(normed)
        both = code.add(mixed, passed)
        tape.drop(mixed, passed)
        out = code.add(x, both)
        tape.drop(both)
        return out
    tape.drop(normed)
    mixed = _post_norm(code, kind, mixed)
    middle = code.add(x, mixed)
    tape.drop(mixed)
    normed = _stream_norm(code, middle)
    passed = code.dropout(_mlp(code, kind, normed))
    tape.drop(normed)
    passed = _post_norm(code, kind, passed)
    out = code.add(middle, passed)
    tape.drop(middle, passed)
    return out


def _half(
    code: Code, x: Held, part: Callable[[Code, BlockKind, Held], Held], kind: BlockKind
) -> Held:
    """A layer that is a mixer alone, or an MLP alone."""
    normed = _stream_norm(code, x)
    passed = part(code, kind, normed)
    code.tape.drop(normed)
    out = code.add(x, passed)
    code.tape.drop(passed)
    return out


def _stream_norm(code: Code, x: Held) -> Held:
    return code.norm(x, trained=code.graph.base_trained)


def _post_norm(code: Code, kind: BlockKind, x: Held) -> Held:
    return x if kind.norms < SANDWICHED else _replaced(code, x)


def _mixer(code: Code, kind: BlockKind, x: Held) -> Held:
    given = code.gathered(x)
    out = code.summed(_mixed(code, kind, given))
    code.tape.drop(given)
    return out


def _mixed(code: Code, kind: BlockKind, x: Held) -> Held:
    if kind.mixing is Mixing.LATENT:
        return _latent(code, kind, x)
    if kind.mixing is Mixing.STATE:
        return _state(code, kind, x)
    tape = code.tape
    names = kind.mixer[:1] * 3 if kind.fused else kind.mixer[:-1]
    sizes = zip(names, ("query", "kv", "kv"), strict=True)
    queries, keys, values = (code.linear(x, module, size) for module, size in sizes)
    if kind.head_norms:
        queries, keys = (_replaced(code, one) for one in (queries, keys))
    turned = code.rotate(queries), code.rotate(keys)
    tape.drop(queries, keys)
    return _attend(code, kind, *turned, values)


def _latent(code: Code, kind: BlockKind, x: Held) -> Held:
    """Queries and keys of both parts; the narrow latents between are left out."""
    queries = code.linear(x, kind.mixer[0], "nope")
    keys = code.linear(x, "kv_b_proj", "nope")
    values = code.linear(x, "kv_b_proj", "value")
    return _attend(code, kind, queries, keys, values)


def _state(code: Code, kind: BlockKind, x: Held) -> Held:
    """A layer with a state: its two widest tensors, and the kernel between them."""
    tape = code.tape
    given = [code.linear(x, kind.mixer[0], "channels") for _ in range(2)]
    mixed = tape.new("channels", given[0].width)
    tape.record(mixed, *(Way(one, width=one.width) for one in given), saves=(*given, mixed))
    tape.drop(*given)
    out = code.linear(mixed, kind.mixer[-1], code.out)
    tape.drop(mixed)
    return out


def _replaced(code: Code, x: Held) -> Held:
    """The norm of `x` in its place."""
    out = code.norm(x, trained=code.graph.base_trained)
    code.tape.drop(x)
    return out


def _attend(code: Code, kind: BlockKind, queries: Held, keys: Held, values: Held) -> Held:
    tape, width = code.tape, code.graph.attending
    inputs = [code.cast(one, width) for one in (queries, keys, values)]
    name = values.name if values.name == "value" else queries.name
    mixed = _eagerly(code, name, *inputs) if code.graph.eager else _flash(code, name, inputs)
    tape.drop(*inputs)
    out = code.linear(mixed, kind.mixer[-1], code.out)
    tape.drop(mixed, queries, keys, values)
    return out


def _flash(code: Code, name: str, inputs: Sequence[Held]) -> Held:
    """Its inputs, its output and a log-sum-exp a head are kept."""
    tape, width = code.tape, code.graph.attending
    mixed = tape.new(name, width)
    sums = tape.new("heads", FP32, differentiable=False)
    ways = (Way(one, width=width) for one in inputs)
    tape.record(mixed, *ways, saves=(*inputs, mixed, sums))
    tape.drop(sums)
    return mixed


def _eagerly(code: Code, name: str, queries: Held, keys: Held, values: Held) -> Held:
    """Scores and their softmax in fp32; keys and values once for every query head.

    Left out: soft caps, dropout, and the mask itself, which all heads share.
    """
    tape, width = code.tape, code.graph.attending
    keys, values = (code.repeated(one, name) for one in (keys, values))
    ways = (Way(queries, width=width), Way(keys, width=width))
    products = tape.record(tape.new("scores", width), *ways, saves=(queries, keys))
    scaled = code.scale(products)
    tape.drop(products)
    masked = tape.record(tape.new("scores", width), Way(scaled, passes=True))
    tape.drop(scaled)
    wide = code.cast(masked, FP32)
    shares = tape.new("scores", FP32)
    tape.record(shares, Way(wide, width=FP32), saves=(shares,))
    tape.drop(wide)
    given = code.cast(shares, width)
    tape.drop(shares, masked)
    ways = (Way(given, width=width), Way(values, width=width))
    summed = tape.record(tape.new(name, width), *ways, saves=(given, values))
    mixed = tape.record(tape.new(name, width), Way(summed, passes=True))
    tape.drop(summed, given, keys, values)
    return mixed


def _mlp(code: Code, kind: BlockKind, x: Held) -> Held:
    tape = code.tape
    if kind.experts is not None:
        return experts(code, kind.experts, x)
    given = code.gathered(x)
    if kind.plain:
        up = code.linear(given, kind.mlp[0], "inner")
        inner = tape.new("inner", up.width)
        tape.record(inner, Way(up, width=up.width), saves=(inner,) if kind.relu else (up,))
        tape.drop(up)
    else:
        inner = code.gated(given, kind.mlp, "inner")
    out = code.summed(code.linear(inner, kind.mlp[-1], code.out))
    tape.drop(inner, given)
    return out
