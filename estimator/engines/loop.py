"""What engines share that run a model's own modules in a PyTorch loop."""

from collections.abc import Iterable

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.graph import Graph
from estimator.held import held_tensors
from estimator.memory.kv_cache import kv_cache
from estimator.memory.plain_pass import plain_pass
from estimator.memory.prefill import logits_of
from estimator.memory.recurrent_state import recurrent_state
from estimator.memory.unpacking import largest_matrix, unpacked_matrix
from estimator.memory.unsplit import unsplit_weights
from estimator.setup import Numbers, ServeSetup
from estimator.words import AttentionKernel

Lines = tuple[Line | None, ...]


def plain_graph(setup: ServeSetup, attention: AttentionKernel | None = None) -> Graph:
    """The model's graph where nothing is trained: all in the type that it computes in."""
    width = setup.numbers.compute.bytes_per_block
    return Graph(
        stream=width,
        compute=width,
        attending=width,
        product=width,
        weight=width,
        base_trained=False,
        recast=False,
        autocast=False,
        norm=setup.shape.architecture.norm,
        dropout=False,
        packed=False,
        inputs_kept=setup.numbers.linear.id == "int8",
        attention=attention or setup.attention,
        adapter=None,
        unpacked=unpacked_bytes(setup) > 0,
    )


def unpacked_bytes(setup: ServeSetup) -> int:
    """Bytes an element of a matrix that the engine unpacks to multiply a prompt with it."""
    if setup.request.activations is not None:
        return 0
    return setup.engine.unpacks.get(setup.numbers.linear.id, 0)


def prompt_pass(setup: ServeSetup, attention: AttentionKernel | None = None) -> Line | None:
    """The widest instant of a block in the prefill of all prompts at once; none without blocks."""
    if setup.here is not None and not setup.here.blocks:
        return None
    tokens = setup.users * setup.prompt
    few = tokens < setup.engine.unpacks_from.get(setup.numbers.linear.id, 2)
    return plain_pass(
        setup.shape.architecture,
        plain_graph(setup, attention),
        tokens=tokens,
        seq=setup.prompt,
        unpacked_bytes=0 if few else unpacked_bytes(setup),
    )


def head_pass(setup: ServeSetup, source: str, *, all_rows: bool) -> Lines:
    """Logits behind a prompt, beside the head where it is packed and written out."""
    unpacked = unpacked_bytes(setup) if setup.engine.packs_head else 0
    matrix = largest_matrix(setup.shape.architecture, head=True)
    return (
        logits_of(setup, all_rows=all_rows),
        unpacked_matrix(matrix, unpacked, source) if unpacked else None,
    )


def cache_of(setup: ServeSetup, tokens: int, *, windows: bool, expands: bool) -> Lines:
    """Keys and values of so many tokens a user, and the states of layers that have one."""
    architecture = setup.shape.architecture
    cache = kv_cache(
        architecture,
        context=tokens,
        users=setup.users,
        key_dtype=setup.kv_k,
        value_dtype=setup.kv_v,
        page_tokens=setup.engine.page_tokens,
        windows=windows,
        expands_latents=expands,
    )
    state = recurrent_state(
        architecture, users=setup.users, compute_bytes=setup.numbers.compute.bytes_per_block
    )
    if state is not None:
        state = state.divided(setup.split.tp)
    parts = (None if cache is None else cache.divided(_heads(setup, expands=expands)), state)
    return tuple(line for line in parts if line is not None)


def _heads(setup: ServeSetup, *, expands: bool) -> int:
    """Over how many cards heads of the cache are divided; fewer than cards are repeated."""
    blocks = [block for _, block in setup.shape.architecture.stack if block.caches]
    mixers = [mixer for block in blocks for mixer in block.mixers]
    heads = [(one.expanded if expands else one.cached).heads for one in mixers]
    return min(setup.split.tp, *[count for count in heads if count], setup.split.tp)


def head_of_its_own(setup: ServeSetup, source: str) -> Line | None:
    """A matrix of its own for a head that is tied; none where it is not tied."""
    architecture = setup.shape.architecture
    if not (architecture.tied and architecture.head):
        return None
    width = setup.numbers.head.bytes_per_block
    return Line(
        key="untied_head",
        bytes=architecture.vocabulary * architecture.hidden * width,
        formula="vocabulary × hidden × head_bytes",
        terms={
            "vocabulary": architecture.vocabulary,
            "hidden": architecture.hidden,
            "head_bytes": width,
        },
        source=source,
        basis=Basis.DERIVED,
    ).divided(setup.split.tp)


def rounding(architecture: Architecture, numbers: Numbers, cards: int) -> Line:
    """What the allocator adds to the weights."""
    return unsplit_weights(_sizes(architecture, numbers)).divided(cards)


def _sizes(architecture: Architecture, numbers: Numbers) -> Iterable[tuple[int, int]]:
    for dtype, tensor in held_tensors(architecture, numbers):
        bits = 8 * dtype.bytes_per_block // dtype.elements_per_block  # scales lie apart
        yield tensor.elements * bits // 8, tensor.copies
