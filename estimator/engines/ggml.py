"""llama.cpp and Ollama: three buffers a card, all made before the first token.

Its log prints them so: the model's, the cache's, and the compute buffer. The table of
embeddings stays in the host's memory even with all layers on the card; a tied head is a copy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.breakdown import Line, Moment, MomentName, moment
from estimator.engines.ggml_batch import FP32, Batch
from estimator.engines.ggml_graph import Ends, Layer, pass_graph, telling
from estimator.engines.ggml_placed import placed_on
from estimator.engines.ggml_plan import reach
from estimator.held import Away
from estimator.local import Local
from estimator.memory.ggml_cache import CachedLayers, ggml_cache, ggml_states
from estimator.memory.ggml_compute import ggml_compute, unpacked_cache
from estimator.memory.overhead import engine_runtime
from estimator.memory.weights import projector, weights
from estimator.mlps import ExpertsMlp, NoMlp
from estimator.recurrent import Recurrent
from estimator.setup import ServeSetup
from estimator.split import Slice
from estimator.words import AttentionKernel

PAGE = 256  # cells: a cache is a multiple of it
COPIES = 4  # of inputs, where layers are split over cards and work at the same time
NORMED = 2  # states of a pass that lie in front of its logits: normed, and a gap


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """What one card holds: all of the model that is on cards, or what is `here`."""
    local = setup.local
    if local is None:
        raise TypeError(f"{setup.engine.id} has no settings of its own")
    architecture = setup.shape.architecture
    here = setup.here or _all_on_cards(architecture, local)
    batch = _batch(setup, local)
    caching = _on_card(architecture, here)
    cache = ggml_cache(_cached(caching, batch, local), local.streams, setup.kv_k, setup.kv_v)
    states = ggml_states(*_states(caching), local.slots)
    first = local.projector and here.embedding
    images = projector(architecture, setup.numbers) if first else ()
    loaded = (*_weights(setup, local, here), *images)
    compute = _compute(setup, local, batch, here)
    lines = (*loaded, cache, states, compute, *_beside(setup, local, batch))
    return (
        moment(MomentName.LOAD, *loaded),
        moment(MomentName.PREFILL, *lines),
        moment(MomentName.DECODE, *lines),
    )


def _all_on_cards(architecture: Architecture, local: Local) -> Slice:
    first = architecture.depth - local.layers
    return Slice(first, local.layers, embedding=True, head=local.head)


def host_bytes(setup: ServeSetup) -> int:
    """Weights and cache that the settings leave to the host's memory, its table apart."""
    local, whole = setup.local, setup.shape.architecture
    if local is None or (local.layers == whole.depth and local.head and not local.experts_on_host):
        return 0
    everything = replace(local, layers=whole.depth, head=True, experts_on_host=0)
    batch, sizes = _batch(setup, local), []
    for one in (everything, local):
        cache = ggml_cache(
            _cached(_on_card(whole, _all_on_cards(whole, one)), batch, one),
            one.streams,
            setup.kv_k,
            setup.kv_v,
        )
        held = sum(line.bytes for line in _weights(setup, one, _all_on_cards(whole, one)))
        sizes.append(held + (cache.bytes if cache else 0))
    return sizes[0] - sizes[1]


# weights


def _weights(setup: ServeSetup, local: Local, here: Slice) -> tuple[Line, ...]:
    """Of the layers `here`, less the table of embeddings unless it is the head, too.

    Of matrices that are cut by rows it is a part of all: norms and biases, which are not, are
    counted as if they were.
    """
    if here.rows is not None:
        every = _weights(setup, local, _all_on_cards(setup.shape.architecture, local))
        return tuple(line.scaled(*here.rows, names=("rows", "all_rows")) for line in every)
    whole = setup.shape.architecture
    if not (here.blocks or here.head):
        return ()
    placed = placed_on(whole, local, here)
    away = None
    if placed is not whole:
        away = Away(whole, here.first, local.experts_on_host, here.end)
    lines = weights(placed, setup.numbers, tables=False, away=away)
    if setup.numbers.given_bytes is None or placed is whole:
        return lines
    return tuple(line.scaled(placed.parameters, whole.parameters) for line in lines)


# the cache


def _on_card(architecture: Architecture, here: Slice) -> list[tuple[int, Block]]:
    """(how many, kind) of the blocks on the card."""
    if here.blocks == architecture.depth:
        return list(architecture.stack)
    names = architecture.order[here.first : here.end]
    return [(names.count(name), architecture.blocks[name]) for name in dict.fromkeys(names)]


def _cached(
    caching: Sequence[tuple[int, Block]], batch: Batch, local: Local
) -> Iterator[CachedLayers]:
    for count, block in caching:
        if not block.caches:
            continue
        for mixer in block.mixers:
            latents = local.latents and mixer.cached != mixer.expanded
            heads, key, value = mixer.cached if latents else mixer.expanded
            if latents and "latent_values" in local.changes:
                value = 0
            elif latents:
                value = getattr(mixer, "kv_rank", 0)
            if heads:
                cells = batch.cells_of(slides=batch.slides(mixer))
                yield CachedLayers(count, cells, heads * key, heads * value)


def _states(caching: Sequence[tuple[int, Block]]) -> tuple[int, int]:
    """Elements of all convolutions and of all states, of one sequence."""
    convolution = recurrent = 0
    for count, block in caching:
        for mixer in block.mixers:
            if isinstance(mixer, Recurrent):
                kernel = getattr(mixer, "kernel", 1)
                convolution += count * mixer.state.convolution * (kernel - 1) // kernel
                recurrent += count * mixer.state.recurrent
    return convolution, recurrent


# the compute buffer


def _batch(setup: ServeSetup, local: Local) -> Batch:
    total = _paged(min(setup.users, local.slots) * setup.context)  # others wait for a slot
    if setup.engine.id == "ollama":
        total = _paged(local.slots * setup.context)
    cells = _paged(max(1, total // local.streams)) if local.streams > 1 else total
    tokens = min(local.ubatch, total)
    changes = local.changes
    window = max((b.attention.window or 0 for _, b in setup.shape.architecture.stack), default=0)
    sequences = 1 if local.streams > 1 else local.slots
    window_cells = min(cells, _paged(min(cells, window * sequences + tokens)))
    outputs = min(tokens, local.slots) if "few_outputs" in changes else tokens
    unpacks = "unpacked_in_graph" in changes
    return Batch(
        tokens=tokens,
        outputs=outputs,
        cells=cells,
        window_cells=window_cells if local.windows else cells,
        flash=setup.attention is not AttentionKernel.EAGER,
        latents=local.latents,
        copies=COPIES if _overlaps(setup, local) else 1,
        one_glu="one_glu" in changes,
        half_mask="half_mask" in changes,
        indexed="indexed" in changes,
        fused_norm="fused_norm" in changes,
        unpacked_keys=unpacks and not setup.kv_k.plain,
        unpacked_values=unpacks and not setup.kv_v.plain,
        streams=local.streams,
        mixed=local.mixed,
    )


def _overlaps(setup: ServeSetup, local: Local) -> bool:
    """Whether cards work at the same time: all is on cards, and whole layers are on each."""
    split, depth = setup.split, setup.shape.architecture.depth
    whole = local.layers == depth and local.head and not local.experts_on_host
    return whole and split.stages > 1 and not any(part.rows for part in split.slices)


def _paged(cells: int) -> int:
    return -(-cells // PAGE) * PAGE


def _compute(setup: ServeSetup, local: Local, batch: Batch, here: Slice) -> Line:
    """Also with nothing on the card: long batches are multiplied there all the same.

    The first card does that for all layers of the host, and for its head.
    """
    shape = setup.shape.architecture
    away = shape.depth - local.layers if here.embedding else 0
    layers = _layers(setup, local)
    own = telling([*layers[:away], *layers[here.first : here.end]])
    head = 0
    if not local.head and here.embedding:
        head = setup.numbers.head.size_of(shape.vocabulary * shape.hidden)
    found = reach(pass_graph(shape, batch, own, hosted_head=head, ends=_ends(shape, here)).nodes)
    high = None
    if batch.outputs < batch.tokens and not local.dated:
        high = max(found.bytes + _wider_mask(batch), _all_logits(shape, batch) if here.head else 0)
    return ggml_compute(found.bytes, found.held, high)


def _ends(shape: Architecture, here: Slice) -> Ends:
    return Ends(last=here.end == shape.depth, head=here.head)


def _wider_mask(batch: Batch) -> int:
    """Before 2026-06 the mask came in fp32, and lay beside the one in fp16."""
    return batch.cells * batch.tokens * FP32 if batch.flash else 0


def _all_logits(shape: Architecture, batch: Batch) -> int:
    """Before 2026-06 every token of a pass had room for logits, behind its normed states."""
    return batch.wide(shape.vocabulary + NORMED * shape.hidden)


def _layers(setup: ServeSetup, local: Local) -> list[Layer]:
    """Every block, from the first on; those that are on the host come first."""
    shape = setup.shape.architecture
    away = shape.depth - local.layers
    kinds: dict[tuple[str, bool, bool], Layer] = {}
    found = []
    for number, name in enumerate(shape.order):
        kind = (name, number < away, number < local.experts_on_host)
        if kind not in kinds:
            kinds[kind] = _layer(shape.blocks[name], setup, whole=kind[1], some=kind[2])
        found.append(kinds[kind])
    return found


def _layer(block: Block, setup: ServeSetup, *, whole: bool, some: bool) -> Layer:
    """`whole`: all of the block is on the host; `some`: its experts are, if it has any."""
    mlp, hidden, numbers = block.mlp, setup.shape.architecture.hidden, setup.numbers
    if isinstance(mlp, NoMlp) or not (whole or some):
        return Layer(block, whole=whole)
    if isinstance(mlp, ExpertsMlp):
        width = mlp.latent or hidden
        return Layer(block, numbers.expert.size_of(mlp.experts * mlp.inner * width), whole)
    return Layer(block, numbers.linear.size_of(mlp.inner * hidden) if whole else 0, whole)


def _beside(setup: ServeSetup, local: Local, batch: Batch) -> Iterator[Line | None]:
    """What no buffer shows: CUDA's pool, and a packed cache that older releases unpack there."""
    yield engine_runtime(setup.engine)
    if batch.flash and "unpacked_in_graph" not in local.changes and local.layers:
        keys, values = not setup.kv_k.plain, not setup.kv_v.plain
        yield unpacked_cache(
            max(
                batch.streams
                * batch.cells_of(slides=batch.slides(mixer))
                * mixer.cached.heads
                * (keys * mixer.cached.key + values * mixer.cached.value)
                for _, block in setup.shape.architecture.stack
                for mixer in block.mixers
            )
        )
