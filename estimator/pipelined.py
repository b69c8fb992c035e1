"""What a pipeline's stage keeps: activations of every micro-batch that is in flight there."""

from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.memory.pipeline import stage_tensors
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
