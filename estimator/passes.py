"""How far forward and backward of one block, and of the final norm, rise above what is kept."""

from dataclasses import dataclass
from functools import partial

from estimator.architecture import Architecture
from estimator.block_tape import block_program, block_sizes, head_program, kind_of
from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.kept import kept_by_block
from estimator.memory.activations import above_kept
from estimator.program import sum_of


@dataclass(frozen=True, slots=True)
class Passes:
    """Lines at the highest instant of each pass.

    `forward`: of a block's, above all that it keeps; or, where it is recomputed and keeps
    nothing, above its input. `again`: the same block run again for its backward, above its
    input, with the gradient that has come in. `backward`: above all that the block kept, for
    the block that comes last; `start`: for the first one that is gone through, whose input
    is counted among the checkpoints. `head`: of the final norm, above what it kept.
    """

    forward: Line
    again: Line | None
    start: Line
    backward: Line
    head: Line


def passes(
    architecture: Architecture, *, tokens: int, seq: int, graph: Graph, recomputed: bool
) -> Passes:
    """The passes of the block that keeps the most."""
    hidden = architecture.hidden
    block = max(
        (block for _, block in architecture.stack),
        key=lambda block: kept_by_block(block, hidden, seq=seq, graph=graph).bytes,
    )
    program = block_program(kind_of(block), graph.kind)
    sizes = block_sizes(block, hidden, seq=seq, graph=graph)
    head = head_program(graph.kind)
    backward = program.backward_peak(sizes)
    own = {"hidden": graph.stream}  # the block's input
    counted = sum_of((*program.kept.items(), ("hidden", program.input_kept)))
    above = partial(above_kept, sizes=sizes, tokens=tokens)
    key, scratch = "forward_temporaries", "backward_temporaries"
    return Passes(
        forward=above(key, program.plain_peak(sizes), own)
        if recomputed
        else above(key, program.forward_peak(sizes), program.kept),
        again=above("recomputed_block", program.again_peak(sizes), own) if recomputed else None,
        start=above(scratch, backward, counted if recomputed else program.kept),
        backward=above(scratch, backward, program.kept),
        head=above("norm_temporaries", head.backward_peak(sizes), head.kept),
    )
