"""How far forward and backward of one block, and of the final norm, rise above what is kept."""

from dataclasses import dataclass
from functools import partial

from estimator.block_kinds import kind_of
from estimator.block_tape import block_program, block_sizes, head_program
from estimator.blocks import Block
from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.memory.activations import above_kept, weight_casts
from estimator.program import sum_of
from estimator.tensors import Role
from estimator.words import Library


@dataclass(frozen=True, slots=True)
class Passes:
    """Lines at the highest instant of each pass.

    `forward`: of a block's, above all that it keeps; or, where it is recomputed and keeps
    nothing, above its input. `again`: the same block run again for its backward, above its
    input, with the gradient that has come in. `backward`: above all that the block kept, for
    the block that comes last; `start`: for the first one that is gone through, whose input
    is counted among the checkpoints. `head`: of the final norm, above what it kept.
    `made`, `pending`: parameters of the block's matrices with a gradient by then, and without.
    """

    forward: Line
    again: Line | None
    start: Line
    backward: Line
    head: Line
    made: int
    pending: int
    casts: Line | None  # autocast's copies of the block's own weights, made again with it


def passes(
    block: Block,
    hidden: int,
    *,
    tokens: int,
    seq: int,
    graph: Graph,
    recomputed: bool,
    gradient_bytes: int,
) -> Passes:
    """The passes of `block`, in a model so wide.

    `gradient_bytes`: of each trained parameter whose gradient stays; 0 where none does.
    """
    program = block_program(kind_of(block), graph.kind)
    sizes = block_sizes(block, hidden, seq=seq, graph=graph)
    head = head_program(graph.kind)
    matrices = _matrices(block, hidden) if graph.base_trained and gradient_bytes else {}
    gradients = {module: elements * gradient_bytes for module, elements in matrices.items()}
    backward, made = program.backward_peak(sizes, tokens, gradients)
    made_elements = sum(elements for module, elements in matrices.items() if module in made)
    own = {"hidden": graph.stream}  # the block's input
    counted = sum_of((*program.kept.items(), ("hidden", program.input_kept)))
    # the last block's input is its checkpoint, if it is not among what it keeps anyway
    checkpoint = [("hidden", graph.stream - program.input_kept)] if recomputed else []
    above = partial(above_kept, sizes=sizes, tokens=tokens)
    key, scratch = "forward_temporaries", "backward_temporaries"
    return Passes(
        forward=above(key, program.plain_peak(sizes), own)
        if recomputed
        else above(key, program.forward_peak(sizes), program.kept),
        again=above("recomputed_block", program.again_peak(sizes), own) if recomputed else None,
        start=above(scratch, backward, counted if recomputed else program.kept),
        backward=above(scratch, sum_of((*backward.items(), *checkpoint)), program.kept),
        head=above("norm_temporaries", head.backward_peak(sizes, tokens, {})[0], head.kept),
        made=made_elements,
        pending=sum(matrices.values()) - made_elements,
        casts=weight_casts(block.one(hidden)) if recomputed and graph.recast else None,
    )


def _matrices(block: Block, hidden: int) -> dict[str, int]:
    """Parameters of each module's matrix; norms, biases and routers are left out."""
    found: dict[str, int] = {}
    for tensor in block.one(hidden):
        if tensor.role in (Role.LINEAR, Role.EXPERT):
            found[tensor.module] = found.get(tensor.module, 0) + tensor.elements
    return found


def unread_by_first(block: Block, hidden: int, *, seq: int, graph: Graph) -> int:
    """Bytes a token that `block` does not keep as the first where nothing before it is trained.

    No gradient passes its input, so nothing is kept in front of its first adapter.
    """
    kind = graph.kind
    prompted = kind.prompts and graph.library is not Library.TRANSFORMERS
    if not (kind.targets or kind.scales or prompted):
        return 0
    sizes = block_sizes(block, hidden, seq=seq, graph=graph)
    kept = block_program(kind_of(block), graph.kind).kept
    first = block_program(kind_of(block), graph.kind, first=True).kept
    return sum((width - first.get(name, 0)) * sizes[name] for name, width in kept.items())
