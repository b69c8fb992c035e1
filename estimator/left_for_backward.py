"""What forward leaves for backward: of the blocks, of the head, and copies of weights."""

from dataclasses import replace

from estimator.adapting import in_front, matrices
from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.breakdown import Line
from estimator.every_second import checkpointed_half, plain_half
from estimator.factors import WITHOUT_PROMPT
from estimator.graph import Graph
from estimator.kept import Shares, kept_shares, kept_tensors
from estimator.kept_mlps import recast_width
from estimator.kept_selective import shares_under
from estimator.memory import activations as acts
from estimator.memory.adapter_matrices import selected_updates
from estimator.memory.adapters import frozen_factors
from estimator.memory.spread import as_read
from estimator.objectives import multiplies_head
from estimator.partial import kept_in_part
from estimator.passes import unread_by_first
from estimator.setup import TrainSetup
from estimator.tensors import Tensor
from estimator.trained import all_of, groups
from estimator.words import Checkpointing, Library, Method, Offload

Lines = tuple[Line | None, ...]

UNCAST = (Method.LOHA, Method.OFT, Method.BOFT)  # factors that no linear is given as weights


def kept_for_backward(setup: TrainSetup, graph: Graph, widest: Block, shares: Shares) -> Lines:
    """What blocks keep, what the head does, its copy, and what stands in front of blocks.

    `shares`: what a block of each kind keeps if it is not checkpointed.
    """
    architecture = setup.shape.architecture
    of_head = replace(graph, base_trained=setup.head_trained)
    head = None
    if architecture.ends:
        head = acts.head_activations(architecture, tokens=setup.tokens, graph=of_head)
    in_fp32 = setup.numbers.head.id == setup.fp32.id
    copied = setup.autocast and in_fp32 and multiplies_head(setup)
    copy = acts.head_cast(architecture) if copied else None
    offloaded = setup.offload is Offload.ACTIVATIONS
    if setup.checkpointing is Checkpointing.EVERY_2 and not offloaded:
        half = checkpointed_half(architecture)
        stored = None
        if half is not None:
            stored = acts.checkpoints(
                half, tokens=setup.tokens, graph=graph, how=setup.checkpointing
            )
        half_setup = plain_half(setup)
        plain = kept_shares(half_setup.shape.architecture, seq=setup.keys, graph=graph)
        return (_kept_by_blocks(half_setup, graph, plain), head, copy, stored)
    if setup.checkpointing in (Checkpointing.NONE, Checkpointing.SELECTIVE):
        flying = acts.in_flight(widest, architecture.hidden, tokens=setup.tokens, graph=graph)
        return (flying if offloaded else _kept_by_blocks(setup, graph, shares), head, copy)
    how = Checkpointing.OFFLOADED if offloaded else setup.checkpointing
    stored = acts.checkpoints(architecture, tokens=setup.tokens, graph=graph, how=how)
    return (stored, head, copy, *in_front(setup, graph))


def _kept_by_blocks(setup: TrainSetup, graph: Graph, shares: Shares) -> Line:
    architecture, part = setup.shape.architecture, setup.part
    tokens, seq, how = setup.tokens, setup.keys, setup.checkpointing
    if part is not None:
        line = kept_in_part(architecture, part, tokens=tokens, seq=seq, graph=graph, how=how)
        return _up_to_recast(line, architecture, tokens, graph)
    adapter, unread = setup.adapter, 0
    # PEFT makes the embedded tokens need a gradient where any block is checkpointed
    recomputes = setup.request.checkpointing is Checkpointing.EVERY_2 or setup.recomputes
    own = graph.library is not Library.TRANSFORMERS  # theirs leave embedded tokens as they are
    if adapter is not None and (own or adapter.leaves_input_frozen) and not recomputes:
        unread = unread_by_first(architecture.first, architecture.hidden, seq=seq, graph=graph)
    if adapter is not None and adapter.late and not adapter.scales:
        unread += WITHOUT_PROMPT * shares[0].bytes
    if how is Checkpointing.SELECTIVE:
        shares = shares_under(how, architecture, seq=seq, graph=graph)
    line = acts.kept_activations(architecture, shares, tokens=tokens, unread_by_first=unread)
    if own:
        return _as_read(line, setup, graph)
    return (
        line if how is Checkpointing.SELECTIVE else _up_to_recast(line, architecture, tokens, graph)
    )


def _as_read(line: Line, setup: TrainSetup, graph: Graph) -> Line:
    """The same with its range; a compiled block keeps at most what a plain one does."""
    architecture, plain = setup.shape.architecture, 0
    if graph.compiled and setup.checkpointing is not Checkpointing.SELECTIVE:
        shares = kept_shares(architecture, seq=setup.keys, graph=replace(graph, compiled=False))
        plain = acts.kept_activations(architecture, shares, tokens=setup.tokens).bytes
    return as_read(line, tensors=kept_tensors(architecture, graph), at_most=plain)


def _up_to_recast(line: Line, architecture: Architecture, tokens: int, graph: Graph) -> Line:
    """The same; its high end where autocast runs `pow` in fp32, and a `gelu_new` keeps more."""
    more = tokens * sum(
        count * recast_width(block.mlp, graph) * block.mlp.token_inner
        for count, block in architecture.stack
    )
    return replace(line, high_bytes=line.bytes + more) if more else line


def casts(setup: TrainSetup, graph: Graph, trained: tuple[Tensor, ...]) -> Lines:
    """What forward holds of autocast's copies of weights, and of matrices that adapters made."""
    prompted = setup.adapter is not None and setup.adapter.lengthens > 0
    copies = None if prompted and setup.recomputes else _weight_casts(setup, trained)
    return (copies, *_kept_matrices(setup, graph))


def graph_casts(setup: TrainSetup, graph: Graph, in_forward: Lines) -> Lines:
    """What of `in_forward`, its casts, hangs on blocks that are not recomputed."""
    if setup.checkpointing is Checkpointing.EVERY_2:
        half = plain_half(setup)
        return casts(half, graph, all_of(groups(half)))
    if setup.checkpointing is Checkpointing.SELECTIVE:
        return _kept_matrices(setup, graph)
    return () if setup.recomputes else in_forward


def _kept_matrices(setup: TrainSetup, graph: Graph) -> Lines:
    if setup.checkpointing is Checkpointing.EVERY_2:
        setup = plain_half(setup)
    if setup.checkpointing is Checkpointing.SELECTIVE:
        return (selected_updates(setup.shape.architecture, graph),)
    return () if setup.recomputes else (matrices(setup, graph, whole=True),)


def _weight_casts(setup: TrainSetup, trained: tuple[Tensor, ...]) -> Line | None:
    """Autocast's 16-bit copies of fp32 weights that are trained, cached through forward."""
    adapter = setup.adapter
    held = adapter.dtype if adapter else setup.numbers.linear
    if not setup.autocast or held.id != setup.fp32.id:
        return None
    if adapter is not None:
        if adapter.method in UNCAST:
            return None
        trained = (*trained, *frozen_factors(setup.shape.architecture, adapter))
    return acts.weight_casts(trained)
