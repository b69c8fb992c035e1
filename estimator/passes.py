"""How far forward and backward of one block, and of the final norm, rise above what is kept."""

from dataclasses import dataclass

from estimator.architecture import Architecture
from estimator.block_tape import block_peaks, head_peaks
from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.kept import kept_by_block
from estimator.memory.activations import above_kept
from estimator.program import Widths, sum_of


@dataclass(frozen=True, slots=True)
class Passes:
    """Lines above what is kept, at the highest instant of each pass.

    `plain`: a block's forward pass that saves nothing, above its checkpoint. `recomputed`:
    the same block run again for its backward, above its checkpoint, with the gradient that
    has come in. `backward`: above all that the block kept. `rebuilt`: the same where the
    block was recomputed, and its input is a checkpoint that is counted already.
    """

    forward: Line
    plain: Line
    recomputed: Line
    backward: Line
    rebuilt: Line
    head: Line


def passes(architecture: Architecture, *, tokens: int, seq: int, graph: Graph) -> Passes:
    """The passes of the block that keeps the most."""
    hidden = architecture.hidden
    block = max(
        (block for _, block in architecture.stack),
        key=lambda block: kept_by_block(block, hidden, seq=seq, graph=graph).bytes,
    )
    own = {"hidden": graph.stream}  # the block's input
    peaks, sizes = block_peaks(block, hidden, seq=seq, graph=graph)
    counted = sum_of((*peaks.kept.items(), ("hidden", peaks.input_kept)))
    head, head_sizes = head_peaks(hidden, graph)

    def line(key: str, peak: Widths, less: Widths) -> Line:
        return above_kept(key, peak, less, sizes, tokens=tokens)

    return Passes(
        forward=line("forward_temporaries", peaks.forward, peaks.kept),
        plain=line("block_in_passing", peaks.plain, own),
        recomputed=line("recomputed_block", peaks.again, own),
        backward=line("backward_temporaries", peaks.backward, peaks.kept),
        rebuilt=line("backward_temporaries", peaks.backward, counted),
        head=above_kept("head_gradients", head.backward, head.kept, head_sizes, tokens=tokens),
    )
