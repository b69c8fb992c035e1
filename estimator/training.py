"""Which lines a training step holds at which moment.

A step goes forward, through the loss, backward, and through the optimizer's step. Each
moment is the largest of its instants; the peak is the largest moment.
"""

from dataclasses import dataclass

from estimator.blocks import Role, Tensor
from estimator.breakdown import (
    Estimate,
    Line,
    Moment,
    MomentName,
    Parameters,
    Resting,
    bounds,
    largest,
    moment,
)
from estimator.kept import RMS_NORMS, Graph
from estimator.memory import activations as acts
from estimator.memory import optimizer as opt
from estimator.memory.adapters import adapter_tensors, adapter_weights
from estimator.memory.gradients import gradients, tied_gradient
from estimator.memory.logits import Phase, logits
from estimator.memory.overhead import cublas_workspace, fragmentation
from estimator.memory.sharding import ddp_buckets, gathered_units, shares
from estimator.memory.weights import weights
from estimator.rows import Dtype
from estimator.setup import TrainSetup
from estimator.words import Checkpointing, Offload

Lines = tuple[Line | None, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The parts of a step, each paid once or more below."""

    weights: Lines
    resting: Lines  # between steps: weights, states, master, buckets
    units: Line | None  # gathered while a step computes
    gradients: Line
    early_gradients: Line | None  # all but the embedding's
    tied: Line | None  # what adding the embedding's gradient to the head's takes
    from_before: Lines  # gradients of earlier micro-steps
    kept: Lines  # what forward leaves for backward
    block: Line  # one block, recomputed or the last one kept
    temporaries: Line
    casts: Line | None
    step: Line | None
    overhead: Lines


def estimate_training(setup: TrainSetup) -> Estimate:
    """The moments of one step on the fullest card."""
    trained = _trained(setup)
    held = _hold(setup, trained)
    moments = (
        moment(MomentName.LOAD, *held.weights),
        moment(MomentName.FORWARD, *held.resting, *_forward(setup, held), *held.overhead),
        moment(MomentName.LOSS, *held.resting, *_loss(setup, held), *held.overhead),
        _backward(setup, held),
        moment(
            MomentName.OPTIMIZER_STEP, *held.resting, held.gradients, held.step, *held.overhead[:1]
        ),
    )
    low, high = bounds(moments)
    architecture = setup.shape.architecture
    added = sum(t.parameters for t in trained) if setup.adapter else 0
    return Estimate(
        moments=moments,
        resting=_resting(setup, held),
        parameters=Parameters(
            total=architecture.parameters + added,
            active=architecture.active_parameters + added,
            trainable=sum(t.parameters for t in trained),
        ),
        low_bytes=low,
        high_bytes=high,
    )


def _trained(setup: TrainSetup) -> tuple[Tensor, ...]:
    if setup.adapter is not None:
        return tuple(adapter_tensors(setup.shape.architecture, setup.adapter))
    return setup.shape.architecture.tensors


def _hold(setup: TrainSetup, trained: tuple[Tensor, ...]) -> Held:
    share = shares(setup.strategy, setup.world)
    updated = _updated_dtype(setup)
    base = weights(setup.shape.architecture, setup.numbers, share.weights)
    whole = weights(setup.shape.architecture, setup.numbers)
    grads = gradients(trained, setup.grads, in_backward=setup.in_backward, cards=share.gradients)
    states = opt.states(
        setup.optimizer,
        trained,
        dtypes=[_state_dtype(setup, state.dtype, updated) for state in setup.optimizer.states],
        fp32=setup.fp32,
        rank=setup.projection_rank,
        cards=share.states,
    )
    master = opt.master_weights(trained, setup.master, share.states)
    parameters = sum(t.parameters for t in trained)
    adapters = adapter_weights(parameters, setup.adapter) if setup.adapter else None
    buckets = ddp_buckets(setup.strategy, setup.world, parameters, setup.grads.bytes_per_block)
    units = gathered_units(
        setup.strategy,
        setup.world,
        setup.shape.architecture,
        _gathered_bytes(setup, sum(line.bytes for line in whole)),
        reshard=setup.request.reshard is not False,
    )
    on_card: Lines = base
    if setup.offload in (Offload.PARAMS, Offload.BOTH) and share.weights > 1:
        on_card = ()
    if setup.offload in (Offload.OPTIMIZER, Offload.BOTH):
        states, master = (), None
    block = acts.largest_block(
        setup.shape.architecture,
        tokens=setup.tokens,
        seq=setup.seq,
        graph=graph_of(setup),
        at_once=2 if setup.checkpointing is Checkpointing.EVERY_2 else 1,
    )
    loss = _logits(setup, Phase.LOSS)
    return Held(
        weights=(*on_card, adapters),
        resting=(*on_card, adapters, master, *states, buckets),
        units=units,
        gradients=grads,
        early_gradients=_early_gradients(setup, trained, share.gradients),
        tied=_tied_gradient(setup),
        from_before=(grads,) if setup.accumulation > 1 and not setup.in_backward else (),
        kept=_kept(setup),
        block=block,
        temporaries=acts.backward_temporaries(
            setup.shape.architecture, tokens=setup.tokens, graph=graph_of(setup)
        ),
        casts=_weight_casts(setup, trained),
        step=None
        if setup.in_backward or setup.offload in (Offload.OPTIMIZER, Offload.BOTH)
        else opt.step_extra(setup.optimizer, trained, updated, share.states),
        overhead=(cublas_workspace(2), fragmentation(loss.bytes if loss else 0, block.bytes)),
    )


def _gathered_bytes(setup: TrainSetup, held_bytes: int) -> int:
    """The whole model in the type it is gathered in: mixed precision's, or its own."""
    policy = setup.request.mp_policy
    if policy is None or policy.param is None:
        return held_bytes
    return setup.shape.architecture.parameters * setup.numbers.compute.bytes_per_block


def _early_gradients(setup: TrainSetup, trained: tuple[Tensor, ...], cards: int) -> Line | None:
    """Gradients when the last block is done: a tied embedding has its head's already."""
    tied = setup.shape.architecture.tied
    early = [t for t in trained if tied or t.role is not Role.EMBEDDING]
    return gradients(early, setup.grads, in_backward=setup.in_backward, cards=cards)


def _tied_gradient(setup: TrainSetup) -> Line | None:
    if setup.adapter is not None or not setup.shape.architecture.tied:
        return None
    return tied_gradient(setup.shape.architecture, setup.grads)


def _updated_dtype(setup: TrainSetup) -> Dtype:
    """The type of the weights that the step updates: master, adapter, or the weights' own."""
    if setup.master is not None:
        return setup.master
    return setup.adapter.dtype if setup.adapter else setup.numbers.linear


def _state_dtype(setup: TrainSetup, name: str, updated: Dtype) -> Dtype:
    if name == "parameter":
        return setup.states or updated
    return setup.state_dtypes[name]


def graph_of(setup: TrainSetup) -> Graph:
    """The forward graph: fp32 after k-bit preparation, else as the model computes."""
    fp32 = setup.fp32.bytes_per_block
    architecture = setup.shape.architecture
    base_trained = setup.adapter is None
    recast = base_trained and setup.autocast and setup.numbers.linear.bytes_per_block == fp32
    packed = setup.numbers.format.quantised and setup.adapter is not None
    # a packed linear hands back the type it was given: fp32 behind an fp32 norm
    wide_graph = setup.kbit_prepare or (
        packed and setup.autocast and architecture.norm not in RMS_NORMS
    )
    wide = wide_graph or recast
    compute = setup.numbers.compute.bytes_per_block
    return Graph(
        stream=fp32 if wide else compute,
        compute=fp32 if wide_graph else compute,
        base_trained=base_trained,
        recast=recast,
        autocast=setup.autocast and not wide_graph,
        norm=architecture.norm,
        dropout=architecture.dropout,
        attention=setup.attention,
        adapter=setup.adapter,
    )


def _kept(setup: TrainSetup) -> Lines:
    architecture, graph = setup.shape.architecture, graph_of(setup)
    head = acts.head_activations(architecture, tokens=setup.tokens, graph=graph)
    in_fp32 = setup.numbers.head.id == setup.fp32.id
    copy = acts.head_cast(architecture) if setup.autocast and in_fp32 else None
    if setup.checkpointing in (Checkpointing.NONE, Checkpointing.SELECTIVE):
        kept = acts.kept_activations(architecture, tokens=setup.tokens, seq=setup.seq, graph=graph)
        return (kept, head, copy)
    stored = acts.checkpoints(
        architecture, tokens=setup.tokens, graph=graph, how=setup.checkpointing
    )
    return (stored, head, copy)


def _checkpointed(setup: TrainSetup) -> bool:
    return setup.checkpointing not in (Checkpointing.NONE, Checkpointing.SELECTIVE)


def _weight_casts(setup: TrainSetup, trained: tuple[Tensor, ...]) -> Line | None:
    """Autocast's 16-bit copies of fp32 weights that are trained, cached through forward."""
    held = setup.adapter.dtype if setup.adapter else setup.numbers.linear
    return acts.weight_casts(trained) if setup.autocast and held.id == setup.fp32.id else None


def _logits(setup: TrainSetup, phase: Phase) -> Line | None:
    in_head = setup.kbit_prepare and not setup.autocast
    head = setup.numbers.head if in_head else setup.numbers.compute
    return logits(
        phase,
        tokens=setup.tokens,
        vocabulary=setup.shape.architecture.vocabulary,
        hidden=setup.shape.architecture.hidden,
        head_bytes=head.bytes_per_block,
        loss=setup.loss,
        outputs_kept=setup.outputs_kept,
        softcap=setup.shape.architecture.softcap,
        head_trained=setup.adapter is None,
    )


def _forward(setup: TrainSetup, held: Held) -> Lines:
    """The last block's end: all that is kept, and what the block itself still holds."""
    block = held.block if _checkpointed(setup) else None
    return (held.units, *held.from_before, *held.kept, held.casts, block)


def _loss(setup: TrainSetup, held: Held) -> Lines:
    """The wider of the loss's forward and backward, over all that forward kept."""
    inside, after = _logits(setup, Phase.FORWARD), _logits(setup, Phase.LOSS)
    kept_casts = None if _checkpointed(setup) else held.casts
    forward = (held.units, *held.from_before, *held.kept, held.casts, inside)
    backward = (held.units, *held.from_before, *held.kept, kept_casts, after)
    return max(forward, backward, key=_total)


def _backward(setup: TrainSetup, held: Held) -> Moment:
    """The largest of its instants.

    Its start holds every activation and no gradient yet; the last block's end every
    gradient but the embedding's, which comes last of all.
    """
    checkpointed = _checkpointed(setup)
    start: Lines = (
        *held.from_before,
        *held.kept[:1],
        None if checkpointed else held.casts,
        held.block if checkpointed else None,
        held.temporaries,
    )
    last_block: Lines = (held.early_gradients, held.block, held.temporaries)
    embedding: Lines = (held.gradients, held.tied)
    instants = [
        moment(MomentName.BACKWARD, *held.resting, held.units, *lines, *held.overhead)
        for lines in (start, last_block, embedding)
    ]
    return largest(instants)


def _resting(setup: TrainSetup, held: Held) -> Resting:
    before = _total(held.resting)
    kept = (*held.from_before, *held.kept, _logits(setup, Phase.KEPT))
    casts = () if _checkpointed(setup) else (held.casts,)
    after = 0 if setup.in_backward else held.gradients.bytes
    return Resting(
        before_step=before,
        after_forward=before + _total((*kept, *casts)),
        after_backward=before + after,
    )


def _total(lines: Lines) -> int:
    return sum(line.bytes for line in lines if line is not None)
