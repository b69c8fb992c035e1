"""The parts of a training step, each worked out once from the setup.

Which of them are held at which moment is `training`'s to say.
"""

from dataclasses import dataclass, replace

from estimator.adapting import adapter_parts, matrices, regularised, running, updating
from estimator.beside import Value, companion_passes, companion_weights, output_held, value_model
from estimator.blocks import Block
from estimator.breakdown import Line
from estimator.gathered_units import Gathered
from estimator.graph import HALF, RMS_NORMS, Graph
from estimator.kept import kept_shares, widest_block
from estimator.left_for_backward import casts, graph_casts, kept_for_backward
from estimator.loss_paths import LossPath
from estimator.memory import activations as acts
from estimator.memory.adapters import scales_inputs
from estimator.memory.gradients import gradients
from estimator.memory.overhead import allocator_rounding, cublas_workspace, fragmentation
from estimator.memory.packed_linears import unpacked_weight
from estimator.memory.sharding import Shares, ddp_buckets, shares
from estimator.memory.spread import as_read
from estimator.memory.weights import scales_of, weights
from estimator.objectives import loss_path
from estimator.own_losses import own_loss_path
from estimator.passes import Passes, passes
from estimator.pipelined import attending, waiting
from estimator.rollout import engine_beside
from estimator.setup import TrainSetup
from estimator.sharded_step import Sharded, sharded
from estimator.sharded_units import cut, divides, gathered_in
from estimator.tensors import NormKind, Role, Tensor
from estimator.trained import all_of, saved_dtype
from estimator.updating import Group, Updates, updates
from estimator.words import Library, Method, Offload, Strategy
from estimator.zero_step import ZeroLines, zero_lines

Lines = tuple[Line | None, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The parts of a step, each paid once or more below."""

    weights: Lines
    resting: Lines  # between steps: weights, states, master, buckets
    zero: ZeroLines
    sharded: Sharded | None  # units of weights, where those are divided
    gathered: Gathered  # which of them are whole, and when
    updates: Updates  # gradients, and the optimizer's step
    late: Line | None  # the embedding's own, beside that of an earlier micro-step
    from_before: Lines  # gradients of earlier micro-steps
    kept: Lines  # what forward leaves for backward: by blocks, by the head, in front of both
    regularised: Line | None  # gradients that are there before the logits'
    block: Line  # one block, recomputed or the last one kept
    matrices: Line | None  # what adapters made as matrices in that block
    running: Line | None  # an adapted linear in forward, and again where it is recomputed
    updating: Line | None  # an adapted linear in backward
    passes: Passes
    multiplying: Line | None  # a linear's copies in eight bits, or its unpacked weight
    casts: Lines  # autocast's copies of weights, and matrices that adapters made
    graph_casts: Lines  # those that the graph keeps to the backward pass
    overhead: Lines
    loss: LossPath
    others: Lines  # passes of other models, while the policy's graph is held
    head: Line | None  # the head's gradient, there from the loss on
    value: Value | None
    engine: Lines  # of one that generates on the same card, while the step trains
    rotary: Line | None  # tables of positions
    output: Line | None  # what a trainer's loop holds until its step is done

    @property
    def behind_head(self) -> Lines:
        """What is still kept when the head's backward is done."""
        return (*self.kept[:1], *self.kept[3:])


def hold(setup: TrainSetup, parts: tuple[Group, ...]) -> Held:
    """Every part of the step, on the fullest card."""
    graph = graph_of(setup)
    share = shares(setup.strategy, setup.world, setup.request.replicas or 1)
    rows = setup.strategy is Strategy.FSDP2
    base = weights(setup.shape.architecture, setup.numbers, share.weights, rows=rows)
    trained = all_of(parts)
    parameters = sum(t.parameters for t in trained)
    uneven = rows and not divides(trained, share.weights)
    adapters = adapter_parts(setup, share.weights, rows=uneven)
    update = updates(setup, parts, share)
    if uneven:
        update = updates(setup, cut(parts, share.weights), Shares(1, 1, 1))
    buckets = ddp_buckets(setup.strategy, setup.world, parameters, setup.grads.bytes_per_block)
    units = sharded(setup, share.weights)
    zero = zero_lines(setup, trained)
    on_card: Lines = base
    if setup.offload in (Offload.PARAMS, Offload.BOTH) and share.weights > 1:
        on_card = tuple(scales_of(line) for line in base)
    block_shares = kept_shares(setup.shape.architecture, seq=setup.keys, graph=graph)
    widest, share_of_block = widest_block(setup.shape.architecture, block_shares)
    hidden = setup.shape.architecture.hidden
    block = acts.recomputed_block(
        widest, share_of_block, hidden, tokens=setup.tokens, graph=graph, how=setup.checkpointing
    )
    if setup.framework.library is not Library.TRANSFORMERS:
        block = _as_read(block, setup, graph)
    in_forward = casts(setup, graph, trained)
    loss = own_loss_path(setup) or loss_path(setup)
    lengthened = setup.adapter.lengthens if setup.adapter else 0
    logit_bytes = max((one.bytes for one in (loss.forward, loss.backward) if one), default=0)
    others = companion_weights(setup, share.weights)
    value = value_model(setup, graph, (share.gradients, share.states))
    return Held(
        weights=(*on_card, *adapters, *others),
        resting=(
            *(*on_card, *adapters, *update.resting, buckets, zero.resident, *others),
            *(value.resting if value else ()),
        ),
        zero=zero,
        sharded=units,
        gathered=units.gathered if units else Gathered(),
        updates=update,
        late=_late_gradient(setup, trained, share.gradients),
        from_before=_from_before(setup, units, update.left),
        kept=waiting(setup, graph, kept_for_backward(setup, graph, widest, block_shares)),
        regularised=regularised(setup, share.gradients, again=setup.recomputes),
        block=block,
        matrices=matrices(setup, graph, whole=False),
        running=running(setup, graph),
        updating=updating(setup, graph),
        passes=passes(
            widest,
            hidden,
            tokens=setup.tokens,
            seq=setup.keys,
            graph=graph,
            recomputed=setup.recomputes,
            gradient_bytes=0 if setup.passing else setup.grads.bytes_per_block,
        ),
        multiplying=_multiplying(setup, widest) or attending(setup, graph, widest),
        casts=in_forward,
        graph_casts=graph_casts(setup, graph, in_forward),
        overhead=(
            cublas_workspace(2),
            allocator_rounding(_resident(setup, trained)),
            fragmentation(logit_bytes, block.bytes),
        ),
        loss=loss,
        others=companion_passes(setup),
        head=_head_gradient(setup, trained, share.gradients),
        value=value,
        engine=engine_beside(setup),
        rotary=acts.rotary_tables(
            setup.shape.architecture, seq=setup.seq + lengthened, graph=graph
        ),
        output=output_held(setup),
    )


def _from_before(setup: TrainSetup, units: Sharded | None, left: Line | None) -> Lines:
    """Gradients of earlier micro-steps: whole where FSDP does not reduce them."""
    if setup.accumulation <= setup.plan.in_flight:
        return ()
    return (units.waiting(0) if units and units.accumulates else left,)


def _as_read(block: Line, setup: TrainSetup, graph: Graph) -> Line:
    """The block with its range; a compiled one brings back at most what a plain one does."""
    if not graph.compiled:
        return as_read(block)
    plain = replace(graph, compiled=False)
    shares = kept_shares(setup.shape.architecture, seq=setup.keys, graph=plain)
    _, share = widest_block(setup.shape.architecture, shares)
    return as_read(block, at_most=setup.tokens * share.bytes)


def _multiplying(setup: TrainSetup, widest: Block) -> Line | None:
    """What a linear holds while it multiplies: copies in eight bits, or its weight unpacked.

    Of transformers' packed linears the unpacked weight stands with what a block holds.
    """
    architecture = setup.shape.architecture
    if setup.products_in_fp8:
        return acts.fp8_copies(widest, architecture.hidden, tokens=setup.tokens)
    if setup.framework.library is Library.TRANSFORMERS or setup.numbers.linear.plain:
        return None
    copies = 2 if setup.framework.library is Library.LITGPT else 1
    half = setup.numbers.compute.bytes_per_block
    return unpacked_weight(architecture, copies=copies, element_bytes=half)


def _resident(setup: TrainSetup, trained: tuple[Tensor, ...]) -> list[tuple[Tensor, int]]:
    """Weights and gradients, with the bytes of an element; packed and sharded ones left out."""
    if setup.world > 1:
        return []
    linear = setup.numbers.linear
    tensors = setup.shape.architecture.tensors if linear.plain else ()
    held = [(tensor, linear.bytes_per_block) for tensor in tensors]
    kept = () if setup.passing else trained
    return held + [(tensor, setup.grads.bytes_per_block) for tensor in kept]


def _head_gradient(setup: TrainSetup, trained: tuple[Tensor, ...], cards: int) -> Line | None:
    """The gradient of what turns hidden states into logits: the first of all."""
    tied = setup.shape.architecture.tied and setup.adapter is None
    of_head = Role.EMBEDDING if tied else Role.HEAD
    head = [tensor for tensor in trained if tensor.role is of_head]
    if not head or setup.passing or cards > 1:
        return None
    saved = setup.adapter is not None and Role.HEAD in setup.adapter.saved
    return gradients(head, saved_dtype(setup) if saved else setup.grads)


def _late_gradient(setup: TrainSetup, trained: tuple[Tensor, ...], cards: int) -> Line | None:
    """An untied embedding's gradient, which stands beside the old one until they are added."""
    added = setup.accumulation > 1 and not setup.passing and cards == 1
    late = [tensor for tensor in trained if tensor.role is Role.EMBEDDING]
    if not added or not late or setup.shape.architecture.tied:
        return None
    return replace(gradients(late, setup.grads), key="embedding_gradient")


def _lengths_in_fp32(setup: TrainSetup) -> bool:
    """Whether DoRA's fp32 lengths make packed linears hand back fp32 under autocast."""
    adapter = setup.adapter
    if adapter is None or adapter.method is not Method.DORA:
        return False
    return setup.autocast and adapter.dtype.id == setup.fp32.id


def graph_of(setup: TrainSetup) -> Graph:
    """The forward graph: fp32 after k-bit preparation, else as the model computes."""
    fp32 = setup.fp32.bytes_per_block
    architecture = setup.shape.architecture
    base_trained = setup.adapter is None
    recast = base_trained and setup.autocast and setup.numbers.linear.bytes_per_block == fp32
    packed = setup.numbers.format.quantised and setup.adapter is not None
    # a packed linear hands back the type it was given: fp32 behind an fp32 norm, or a factor
    wide_graph = setup.kbit_prepare or (
        packed
        and (
            (setup.autocast and architecture.norm not in RMS_NORMS)
            or scales_inputs(architecture, setup.adapter)
            or _lengths_in_fp32(setup)
        )
    )
    own = setup.framework.library is Library.LITGPT
    wide = wide_graph or recast
    compute = setup.numbers.compute.bytes_per_block
    return Graph(
        stream=fp32 if wide else compute,
        compute=fp32 if wide_graph else compute,
        attending=HALF if setup.autocast else fp32 if wide_graph else compute,
        product=HALF if setup.autocast or packed else compute,
        weight=(gathered_in(setup) or setup.numbers.other).bytes_per_block,
        base_trained=base_trained,
        recast=recast,
        autocast=setup.autocast,
        # LitGPT's RMSNorm scales in fp32
        norm=NormKind.RMS_IN_FP32 if own and architecture.norm in RMS_NORMS else architecture.norm,
        dropout=architecture.dropout,
        packed=packed,
        inputs_kept=packed
        and (setup.numbers.linear.id == "int8" or setup.framework.keeps_packed_inputs),
        attention=setup.attention,
        adapter=setup.adapter,
        library=setup.framework.library,
        compiled=setup.compiled,
        cut=setup.plan.tp,
        spread=setup.plan.spread,
        every_second_product=setup.framework.every_second_product,
    )
