"""vLLM, SGLang and TensorRT-LLM: a cache in pages, beside what a step takes."""

from dataclasses import dataclass

from estimator.breakdown import Line, Moment, MomentName, moment
from estimator.engine_versions import EngineVersion, Runner, release
from estimator.engines.alongside import alongside
from estimator.engines.rank_weights import rank_weights
from estimator.memory.cuda_graphs import cuda_graphs
from estimator.memory.engine_weights import (
    fused_matrices,
    output_counts,
    rotary_tables,
    unsplit_rests,
)
from estimator.memory.overhead import engine_runtime, measured_runtime
from estimator.memory.paged_cache import Layout, layout, paged_cache
from estimator.memory.prefill import pass_activations, serving_logits
from estimator.memory.profiled_step import (
    Step,
    encoded_images,
    experts_workspace,
    profiled_step,
    stage_inputs,
)
from estimator.mlps import ExpertsMlp
from estimator.paging import Paging
from estimator.recurrent import Recurrent
from estimator.setup import ServeSetup

EVEN_BELOW = (("0.14", 1.5), ("0.12", 1.25), ("0", 1.0))  # by vLLM's version
WINDOWED_IN_MIXED = ("sglang",)  # keeps a window only where other layers look further

Lines = tuple[Line | None, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What one card of a server holds, by what it is there for.

    `loaded`: with the model. `stepping`: that a step needs, measured at start or reserved.
    `graphs`: captured steps. `cache`: of the users; `cells`: how it lies.
    """

    loaded: Lines
    stepping: Lines
    graphs: Line | None
    cache: Lines
    cells: Layout


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """The moments of one card. What a server measured at start it also keeps free later."""
    held = held_of(setup)
    every = (*held.loaded, *held.cache, *held.stepping, held.graphs)
    return (
        moment(MomentName.LOAD, *held.loaded),
        moment(MomentName.PREFILL, *every),
        moment(MomentName.DECODE, *every),
    )


def held_of(setup: ServeSetup) -> Held:
    """The lines of one card, apart; raises ValueError for an engine without pages."""
    if setup.paging is None:
        raise ValueError(f"{setup.engine.id} keeps no pages")
    cells = cells_of(setup)
    spread = setup.split.cp
    users, tokens, shared = setup.users, -(-setup.context // spread), setup.shared // spread
    cache = paged_cache(cells, users=users, tokens=tokens, shared=shared)
    beside, drafted = alongside(setup)
    version = setup.paging.version
    if version is None:
        return Held(
            loaded=(*rank_weights(setup), *beside, _plain_runtime(setup)),
            stepping=_plain_step(setup, setup.paging),
            graphs=None,
            cache=(cache, *drafted),
            cells=cells,
        )
    measured = measured_runtime(version, _summing(setup), setup.split.stages)
    architecture = setup.shape.architecture
    second = _runs_second(setup, version) and architecture.head
    counts = output_counts(setup.paging.sequences, architecture.vocabulary)
    return Held(
        loaded=(
            *rank_weights(setup),
            *_extras(setup),
            *beside,
            counts if second else None,
            measured,
        ),
        stepping=_profile(setup, setup.paging, version, second=second),
        graphs=cuda_graphs(setup.paging.sequences, version.graph_step)
        if setup.paging.graphs
        else None,
        cache=(cache, *drafted),
        cells=cells,
    )


def cells_of(setup: ServeSetup) -> Layout:
    """Blocks of the cache on one card, among whose like heads are divided."""
    version = None if setup.paging is None else setup.paging.version
    architecture = setup.shape.architecture
    mixed = len({block.attention.window for _, block in architecture.stack}) > 1
    own = version is None
    return layout(
        architecture,
        key_dtype=setup.kv_k,
        value_dtype=setup.kv_v,
        state_bytes=setup.numbers.compute.bytes_per_block,
        page_tokens=setup.engine.page_tokens,
        cards=setup.split.tp,
        windows=not own or (mixed and setup.engine.id in WINDOWED_IN_MIXED),
        even_below=None if version is None else _even_below(version),
    )


def _even_below(version: EngineVersion) -> float:
    number = release(version.since)
    return next(ratio for since, ratio in EVEN_BELOW if number >= release(since))


def _summing(setup: ServeSetup) -> int:
    """How many cards sum up what they put out: those that divide tensors, or experts."""
    return max(setup.split.tp, setup.split.experts)


def _plain_runtime(setup: ServeSetup) -> Line:
    return engine_runtime(setup.engine, _summing(setup), setup.split.stages)


def _extras(setup: ServeSetup) -> Lines:
    """What loading takes beside the weights: rotary tables, and rests of PyTorch's segments."""
    architecture, numbers = setup.shape.architecture, setup.numbers
    compute = numbers.compute.bytes_per_block
    plain = numbers.linear.plain and numbers.expert.plain
    matrices = fused_matrices(architecture, setup.split.tp, numbers.linear.bytes_per_block)
    return (
        rotary_tables(architecture, setup.shape.context, compute),
        unsplit_rests(matrices) if plain else None,
    )


def _runs_second(setup: ServeSetup, version: EngineVersion) -> bool:
    """Whether the engine's second model runner serves this model."""
    match version.second_runner:
        case Runner.NONE:
            return False
        case Runner.ALL:
            return True
        case Runner.DENSE:
            blocks = [block for _, block in setup.shape.architecture.stack]
            routed = any(isinstance(block.mlp, ExpertsMlp) for block in blocks)
            return not routed and not any(isinstance(b.attention, Recurrent) for b in blocks)


def _inputs(setup: ServeSetup, paging: Paging) -> Line | None:
    """Of a stage behind the first; none of others."""
    if setup.here is None or setup.here.embedding:
        return None
    return stage_inputs(setup.shape.architecture, _step(setup, paging))


def _step(setup: ServeSetup, paging: Paging) -> Step:
    return Step(
        tokens=paging.step_tokens,
        sequences=paging.sequences,
        cards=setup.split.tp,
        experts=setup.split.experts // setup.split.ep,
        compute_bytes=setup.numbers.compute.bytes_per_block,
    )


def _profile(setup: ServeSetup, paging: Paging, version: EngineVersion, *, second: bool) -> Lines:
    """What vLLM's first step takes, which it then keeps free."""
    architecture, step = setup.shape.architecture, _step(setup, paging)
    kept = version.keeps_experts and setup.numbers.expert.plain
    return (
        profiled_step(
            architecture,
            step,
            sampled_bytes=version.second_sampled_bytes if second else version.sampled_bytes,
            sorts_in_place=version.sorts_in_place and not second,
            keeps_experts=version.keeps_experts,
            compiled=paging.graphs,
        ),
        experts_workspace(architecture, step) if kept else None,
        encoded_images(architecture, step, padded=version.pads_images),
        _inputs(setup, paging),
    )


def _plain_step(setup: ServeSetup, paging: Paging) -> Lines:
    """One pass over a chunk of prompts, and logits of the sequences in it."""
    compute = setup.numbers.compute.bytes_per_block
    architecture = setup.shape.architecture
    tokens = min(paging.step_tokens, setup.users * setup.prompt)
    activations = pass_activations(
        architecture,
        tokens=tokens,
        compute_bytes=compute,
        attention=setup.attention,
        context=setup.context,
    )
    logits = serving_logits(setup.users, architecture.vocabulary, compute)
    return (activations, logits if architecture.head else None, _inputs(setup, paging))
