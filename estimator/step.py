"""The parts of a training step, each worked out once from the setup.

Which of them are held at which moment is `training`'s to say.
"""

from dataclasses import dataclass, replace

from estimator.beside import Value, companion_passes, companion_weights, output_held, value_model
from estimator.breakdown import Line
from estimator.graph import HALF, RMS_NORMS, Graph
from estimator.memory import activations as acts
from estimator.memory.adapters import adapter_tensors, adapter_weights
from estimator.memory.gradients import gradients
from estimator.memory.overhead import cublas_workspace, fragmentation
from estimator.memory.sharding import ddp_buckets, gathered_units, shares, unsharded_root
from estimator.memory.weights import TOWER, weights
from estimator.objectives import LossPath, loss_path, multiplies_head
from estimator.partial import kept_in_part, partial_tensors
from estimator.passes import Passes, passes
from estimator.rollout import engine_beside
from estimator.setup import TrainSetup
from estimator.tensors import Role, Tensor
from estimator.updating import Group, Updates, updated_dtype, updates
from estimator.words import Checkpointing, Offload

Lines = tuple[Line | None, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """The parts of a step, each paid once or more below."""

    weights: Lines
    resting: Lines  # between steps: weights, states, master, buckets
    units: Line | None  # gathered while a step computes
    updates: Updates  # gradients, and the optimizer's step
    root: Line | None  # what reducing the root unit's gradients takes
    from_before: Lines  # gradients of earlier micro-steps
    kept: Lines  # what forward leaves for backward
    block: Line  # one block, recomputed or the last one kept
    passes: Passes
    casts: Line | None
    overhead: Lines
    loss: LossPath
    others: Lines  # passes of other models, while the policy's graph is held
    head: Line | None  # the head's gradient, there from the loss on
    value: Value | None
    engine: Lines  # of one that generates on the same card, while the step trains
    rotary: Line | None  # tables of positions
    output: Line | None  # what a trainer's loop holds until its step is done


def trained_tensors(setup: TrainSetup) -> tuple[Tensor, ...]:
    """What is trained: the adapters' matrices, some blocks, or all but a tower for images.

    Beside adapters PEFT trains a copy of the head that scores, which nothing has trained yet.
    """
    architecture = setup.shape.architecture
    if setup.part is not None:
        part = partial_tensors(architecture, setup.part)
        return tuple(t for t in part if t.role not in TOWER)
    if setup.adapter is None:
        return tuple(t for t in architecture.tensors if t.role not in TOWER)
    score = (t for t in architecture.tensors if architecture.scores and t.role is Role.HEAD)
    return (*adapter_tensors(architecture, setup.adapter), *score)


def hold(setup: TrainSetup, trained: tuple[Tensor, ...]) -> Held:
    """Every part of the step, on the fullest card."""
    share = shares(setup.strategy, setup.world)
    base = weights(setup.shape.architecture, setup.numbers, share.weights)
    whole = weights(setup.shape.architecture, setup.numbers)
    groups = (Group(trained, updated_dtype(setup), setup.grads),)
    updating = updates(setup, groups, share)
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
    block = acts.largest_block(
        setup.shape.architecture,
        tokens=setup.tokens,
        seq=setup.seq,
        graph=graph_of(setup),
        how=setup.checkpointing,
    )
    loss = loss_path(setup)
    logit_bytes = max((one.bytes for one in (loss.forward, loss.backward) if one), default=0)
    others = companion_weights(setup, share.weights)
    value = value_model(setup, graph_of(setup), (share.gradients, share.states))
    return Held(
        weights=(*on_card, adapters, *others),
        resting=(
            *(*on_card, adapters, *updating.resting, buckets, *others),
            *(value.resting if value else ()),
        ),
        units=units,
        updates=updating,
        root=_unsharded_root(setup),
        from_before=(updating.left,) if setup.accumulation > 1 else (),
        kept=_kept(setup),
        block=block,
        passes=passes(
            setup.shape.architecture,
            tokens=setup.tokens,
            seq=setup.seq,
            graph=graph_of(setup),
            recomputed=checkpointed(setup),
        ),
        casts=_weight_casts(setup, trained),
        overhead=(cublas_workspace(2), fragmentation(logit_bytes, block.bytes)),
        loss=loss,
        others=companion_passes(setup),
        head=_head_gradient(setup, trained, share.gradients),
        value=value,
        engine=engine_beside(setup),
        rotary=acts.rotary_tables(setup.shape.architecture, seq=setup.seq, graph=graph_of(setup)),
        output=output_held(setup),
    )


def _gathered_bytes(setup: TrainSetup, held_bytes: int) -> int:
    """The whole model in the type it is gathered in: mixed precision's, or its own."""
    policy = setup.request.mp_policy
    if policy is None or policy.param is None:
        return held_bytes
    return setup.shape.architecture.parameters * setup.numbers.compute.bytes_per_block


def _head_gradient(setup: TrainSetup, trained: tuple[Tensor, ...], cards: int) -> Line | None:
    """The gradient of what turns hidden states into logits: the first of all."""
    of_head = Role.EMBEDDING if setup.shape.architecture.tied else Role.HEAD
    head = [tensor for tensor in trained if tensor.role is of_head]
    if not head or setup.passing or cards > 1:
        return None
    return gradients(head, setup.grads)


def _unsharded_root(setup: TrainSetup) -> Line | None:
    if setup.adapter is not None:
        return None
    policy = setup.request.mp_policy
    reduced = setup.fp32 if policy and policy.reduce == setup.fp32.id else setup.grads
    return unsharded_root(
        setup.strategy,
        setup.world,
        setup.shape.architecture,
        setup.numbers.compute.bytes_per_block + reduced.bytes_per_block,
    )


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
        attending=HALF if setup.autocast else fp32 if wide_graph else compute,
        product=HALF if setup.autocast or packed else compute,
        weight=setup.numbers.other.bytes_per_block,
        base_trained=base_trained,
        recast=recast,
        autocast=setup.autocast,
        norm=architecture.norm,
        dropout=architecture.dropout,
        packed=packed,
        inputs_kept=packed and setup.numbers.linear.id == "int8",
        attention=setup.attention,
        adapter=setup.adapter,
    )


def _kept(setup: TrainSetup) -> Lines:
    architecture, graph = setup.shape.architecture, graph_of(setup)
    of_head = replace(graph, base_trained=setup.head_trained)
    head = acts.head_activations(architecture, tokens=setup.tokens, graph=of_head)
    in_fp32 = setup.numbers.head.id == setup.fp32.id
    copied = setup.autocast and in_fp32 and multiplies_head(setup)
    copy = acts.head_cast(architecture) if copied else None
    if setup.checkpointing in (Checkpointing.NONE, Checkpointing.SELECTIVE):
        return (_kept_by_blocks(setup, graph), head, copy)
    stored = acts.checkpoints(
        architecture, tokens=setup.tokens, graph=graph, how=setup.checkpointing
    )
    return (stored, head, copy)


def _kept_by_blocks(setup: TrainSetup, graph: Graph) -> Line:
    architecture, part = setup.shape.architecture, setup.part
    tokens, seq, how = setup.tokens, setup.seq, setup.checkpointing
    if part is not None:
        return kept_in_part(architecture, part, tokens=tokens, seq=seq, graph=graph, how=how)
    return acts.kept_activations(architecture, tokens=tokens, seq=seq, graph=graph, how=how)


def checkpointed(setup: TrainSetup) -> bool:
    """Whether blocks are recomputed in backward."""
    return setup.checkpointing is not Checkpointing.NONE


def _weight_casts(setup: TrainSetup, trained: tuple[Tensor, ...]) -> Line | None:
    """Autocast's 16-bit copies of fp32 weights that are trained, cached through forward."""
    held = setup.adapter.dtype if setup.adapter else setup.numbers.linear
    return acts.weight_casts(trained) if setup.autocast and held.id == setup.fp32.id else None
