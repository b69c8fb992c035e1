"""How far forward and backward of one block, and of the final norm, rise above what is kept."""

from dataclasses import dataclass

from estimator.architecture import Architecture
from estimator.block_tape import tape_block, tape_head
from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.kept import kept_by_block
from estimator.memory.activations import above_kept


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
    tape = tape_block(block, hidden, seq=seq, graph=graph)
    head = tape_head(hidden, graph)
    own = {"hidden": graph.stream}  # the block's input
    counted = tape.kept | {"hidden": tape.kept.get("hidden", 0) + tape.input_kept}

    def line(key: str, peak: dict[str, int], less: dict[str, int]) -> Line:
        return above_kept(key, peak, less, tape.sizes, tokens=tokens)

    return Passes(
        forward=line("forward_temporaries", tape.forward, tape.kept),
        plain=line("block_in_passing", tape.plain, own),
        recomputed=line("recomputed_block", tape.again, own),
        backward=line("backward_temporaries", tape.backward, tape.kept),
        rebuilt=line("backward_temporaries", tape.backward, counted),
        head=above_kept("head_gradients", head.backward, head.kept, head.sizes, tokens=tokens),
    )
