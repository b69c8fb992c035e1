"""gpt-fast, as torchao's benchmarks run it: caches made beforehand, attention written out."""

from estimator.breakdown import Basis, Book, Line, Moment, MomentName, largest, moment
from estimator.engines.loop import Lines, cache_of, head_pass, prompt_pass, rounding
from estimator.engines.rank_weights import rank_weights
from estimator.memory.overhead import loop_workspace
from estimator.memory.prefill import serving_logits
from estimator.memory.requantised import Packed, holes
from estimator.setup import ServeSetup
from estimator.tensors import Role
from estimator.units import MIB

SOURCE = "torchao-llama"
FP32 = 4
JOINED = ("q_proj", "k_proj", "v_proj")
GRAPHS = 229 * MIB  # 13.88 less 13.64 GB, and 16.43 less 16.19 GB


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, a prompt, and a token, whose attention reads the whole of the cache's room."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    held: Lines = (
        *rank_weights(setup),
        rounding(architecture, numbers, setup.split.tp),
    )
    running: Lines = (
        *held,
        *cache_of(setup, setup.context, windows=False, expands=True),
        _mask(setup),
        _rotary(setup),
        loop_workspace(setup.cards),
        _holes(setup),
        _graphs(),
    )
    width = numbers.compute.bytes_per_block
    logits = serving_logits(setup.users, architecture.vocabulary, width)
    return (
        moment(MomentName.LOAD, *held),
        largest(
            (
                moment(MomentName.PREFILL, *running, prompt_pass(setup)),
                moment(MomentName.PREFILL, *running, *head_pass(setup, SOURCE, all_rows=True)),
            )
        ),
        moment(MomentName.DECODE, *running, _attention(setup), logits),
    )


def _holes(setup: ServeSetup) -> Line | None:
    """What packing leaves, matrix by matrix; queries, keys and values are one matrix here."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    packed = numbers.linear
    if packed.plain and packed.bytes_per_block >= numbers.compute.bytes_per_block:
        return None
    width = numbers.compute.bytes_per_block
    bits = 8 * packed.bytes_per_block // packed.elements_per_block  # scales lie apart
    found: dict[str, tuple[int, int]] = {}
    for tensor in architecture.tensors:
        if tensor.role is Role.LINEAR:
            name = "wqkv" if tensor.module in JOINED else tensor.module
            before, copies = found.get(name, (0, tensor.copies))
            found[name] = before + tensor.elements, copies
    layer = [
        Packed(elements * width, elements * bits // 8, copies)
        for elements, copies in found.values()
    ]
    return holes(layer, ())


def _graphs() -> Line:
    """What compiling with CUDA graphs keeps: measured beside the same loop without."""
    return Line(
        key="compiled_graphs",
        bytes=GRAPHS,
        formula="graph_bytes",
        terms={"graph_bytes": GRAPHS},
        source="torchao-results",
        basis=Basis.MEASURED,
        book=Book.RESERVED,
        low_bytes=0,
        high_bytes=2 * GRAPHS,
    )


def _mask(setup: ServeSetup) -> Line:
    """The causal mask, a byte for each pair of positions, or for each position."""
    rows = setup.context if setup.square_mask else 1
    return Line(
        key="causal_mask",
        bytes=rows * setup.context,
        formula="mask_rows × tokens",
        terms={"mask_rows": rows, "tokens": setup.context},
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def _rotary(setup: ServeSetup) -> Line | None:
    """A table of all positions that the model was made for."""
    architecture, width = setup.shape.architecture, setup.numbers.compute.bytes_per_block
    positions = setup.shape.context or setup.context
    return Line(
        key="rotary_tables",
        bytes=positions * architecture.rotary_width * width,
        formula="positions × rotary_width × compute_bytes",
        terms={
            "positions": positions,
            "rotary_width": architecture.rotary_width,
            "compute_bytes": width,
        },
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def _attention(setup: ServeSetup) -> Line:
    """One layer's keys and values for every query head: repeated, in fp32, and keys scaled.

    PyTorch's plain attention, which the loop asks for, widens both to fp32.
    """
    width = setup.numbers.compute.bytes_per_block
    block = max(
        (block for _, block in setup.shape.architecture.stack),
        key=lambda one: one.attention.output_width,
    )
    read = block.attention.output_width
    each = 2 * width + 4 * FP32 - FP32
    unpacked = 0
    if setup.kv_k.bytes_per_block < width:
        heads, key, value = block.attention.expanded
        unpacked = heads * (key + value) * width
    return Line(
        key="plain_attention",
        bytes=setup.users * setup.context * (read * each + unpacked),
        formula="users × tokens × (query_width × attention_bytes + unpacked_bytes)",
        terms={
            "users": setup.users,
            "tokens": setup.context,
            "query_width": read,
            "attention_bytes": each,
            "unpacked_bytes": unpacked,
        },
        source=SOURCE,
        basis=Basis.DERIVED,
    )
