"""What a stage keeps of micro-batches in flight, and what a card gathers of a divided sequence."""

from estimator.blocks import Block
from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.memory.context import gathered_keys
from estimator.memory.pipeline import stage_tensors
from estimator.mixers import Attention, LatentAttention
from estimator.setup import TrainSetup

Lines = tuple[Line | None, ...]


def waiting(setup: TrainSetup, graph: Graph, kept: Lines) -> Lines:
    """`kept` of one micro-batch, for all that wait; and what lies at the stage's borders.

    One forward, one backward: a stage goes forward until the first micro-batch comes back, and
    then takes turns. A checkpointed stage's inputs are its first block's checkpoints already.
    """
    plan = setup.plan
    if plan.pp == 1:
        return kept
    received = 0 if setup.recomputes or plan.stage == 1 else plan.in_flight
    borders = stage_tensors(
        inputs=received,
        tokens=setup.tokens,
        hidden=setup.shape.architecture.hidden // graph.spread,
        stream_bytes=graph.stream,
        gradients=1,
    )
    every = [None if line is None else line.times("in_flight", plan.in_flight) for line in kept]
    every += [None] * (3 - len(every))  # blocks, head and its copy, then what stands in front
    return (*every, borders)


def attending(setup: TrainSetup, graph: Graph, block: Block) -> Line | None:
    """Keys and values of the other cards' tokens, where each has a part of the sequence."""
    match block.attention:
        case Attention() as mixer:
            width = 2 * mixer.kv_width
        case LatentAttention() as latent:
            head = latent.nope_dim + latent.rope_dim + latent.value_dim
            width = latent.query_heads * head
        case _:
            return None
    return gathered_keys(
        tokens=setup.tokens, width=width, element_bytes=graph.attending, ranks=setup.plan.cp
    )
