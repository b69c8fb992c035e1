"""What other models on the card take: their weights, their passes, a value model's training."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from estimator.breakdown import Basis, Line
from estimator.graph import Graph
from estimator.kept import kept_shares, widest_block
from estimator.memory import activations as acts
from estimator.memory import optimizer as opt
from estimator.memory.gradients import gradients, passing_gradient
from estimator.memory.prefill import pass_activations
from estimator.memory.weights import weights
from estimator.rows import Dtype
from estimator.setup import TrainSetup
from estimator.tensors import Tensor
from estimator.words import Checkpointing, Objective, Reference

FP32 = 4

Lines = tuple[Line | None, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """PPO's value model, trained whole beside the policy: it runs first, and backward last.

    Its blocks are never checkpointed: TRL's wrapper turns that on for the policy alone.
    """

    resting: Lines  # states and master; its weights are among the companions'
    gradients: Line
    kept: Lines
    block: Line
    parameters: int


def companion_weights(setup: TrainSetup, cards: int) -> tuple[Line, ...]:
    """Weights of every other model, each under the name of its role."""
    return tuple(
        _named(line, one.role)
        for one in setup.goal.companions
        for line in weights(one.shape.architecture, one.numbers, cards)
    )


def companion_passes(setup: TrainSetup) -> tuple[Line, ...]:
    """One forward pass, without gradients, of each model that runs beside the step."""
    shapes = [
        one.shape.architecture
        for one in setup.goal.companions
        if one.role in ("reference", "teacher")
    ]
    if setup.goal.reference is Reference.ADAPTERS_OFF:
        shapes.append(setup.shape.architecture)
    return tuple(
        pass_activations(
            shape,
            tokens=setup.tokens,
            compute_bytes=setup.numbers.compute.bytes_per_block,
            attention=setup.attention,
            context=setup.seq,
        )
        for shape in shapes
    )


def _named(line: Line, role: str) -> Line:
    return replace(line, key=f"{role}_{line.key}")


def value_model(setup: TrainSetup, graph: Graph, cards: Sequence[int]) -> Value | None:
    """The value model's part of the step. `cards`: that gradients and states are sharded over.

    It is updated in its own weights' type, or by an fp32 master where the policy is.
    """
    value = setup.goal.beside("value")
    if value is None:
        return None
    shape, held = value.shape.architecture, value.numbers.linear
    trained: tuple[Tensor, ...] = shape.tensors
    over_gradients, over_states = cards
    updated = setup.master or held
    states = opt.states(
        setup.optimizer,
        trained,
        updated=updated,
        followed=(None if setup.adapter else setup.states) or updated,
        dtypes=setup.optimizer_dtypes,
        rank=setup.projection_rank,
        cards=over_states,
    )
    master = opt.master_weights(trained, setup.master, over_states)
    kept_in = held if setup.adapter else setup.grads
    whole = gradients(trained, kept_in, cards=over_gradients)
    grads = (passing_gradient(trained, kept_in) or whole) if setup.in_backward else whole
    own = _graph_of_value(setup, graph, held)
    shares = kept_shares(shape, seq=setup.seq, graph=own)
    kept = acts.kept_activations(shape, shares, tokens=setup.tokens)
    head = acts.head_activations(shape, tokens=setup.tokens, graph=own)
    casts = None
    if setup.autocast and held.id == setup.fp32.id:
        casts = _named(acts.weight_casts(trained), "value")
    widest, share = widest_block(shape, shares)
    block = acts.recomputed_block(
        widest, share, shape.hidden, tokens=setup.tokens, graph=own, how=Checkpointing.NONE
    )
    resting = tuple(_named(line, "value") for line in (*states, master) if line is not None)
    return Value(
        resting=resting,
        gradients=_named(grads, "value"),
        kept=(_named(kept, "value"), _named(head, "value"), casts),
        block=_named(block, "value"),
        parameters=sum(tensor.parameters for tensor in trained),
    )


def _graph_of_value(setup: TrainSetup, graph: Graph, held: Dtype) -> Graph:
    """The policy's graph with every weight trained, and no adapter."""
    recast = setup.autocast and held.id == setup.fp32.id
    half = setup.numbers.compute.bytes_per_block
    return replace(
        graph,
        stream=FP32 if recast else half,
        compute=half,
        attending=half,
        inputs_kept=False,
        base_trained=True,
        recast=recast,
        adapter=None,
    )


def output_held(setup: TrainSetup) -> Line | None:
    """Every layer's hidden states, which PPO's loop asks of the policy and holds to its end.

    Accelerate makes them fp32 under autocast. Without it they are the residual stream's own
    tensors, which checkpoints already are.
    """
    if setup.goal.objective is not Objective.PPO:
        return None
    architecture = setup.shape.architecture
    states = architecture.depth + 1
    width = FP32 if setup.autocast else setup.numbers.compute.bytes_per_block
    recomputes = setup.checkpointing is Checkpointing.FULL
    if recomputes and (not setup.autocast or _stream_bytes(setup) == FP32):
        states -= architecture.depth
    return Line(
        key="hidden_states",
        bytes=setup.tokens * states * architecture.hidden * width,
        formula="tokens × states × hidden × state_bytes",
        terms={
            "tokens": setup.tokens,
            "states": states,
            "hidden": architecture.hidden,
            "state_bytes": width,
        },
        source="trl-ppo-trainer",
        basis=Basis.DERIVED,
    )


def _stream_bytes(setup: TrainSetup) -> int:
    in_fp32 = setup.kbit_prepare or setup.numbers.linear.id == setup.fp32.id
    return FP32 if in_fp32 else setup.numbers.compute.bytes_per_block
