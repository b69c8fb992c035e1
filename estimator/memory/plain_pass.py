"""The widest instant of a forward pass without gradients, operation by operation."""

from collections.abc import Mapping

from estimator.architecture import Architecture
from estimator.block_tape import block_program, block_sizes, kind_of
from estimator.blocks import Block
from estimator.breakdown import Basis, Line
from estimator.graph import Graph
from estimator.tensors import Role

SOURCE = "transformers-llama"


def plain_pass(
    architecture: Architecture,
    graph: Graph,
    *,
    tokens: int,
    seq: int,
    unpacked_bytes: int = 0,
) -> Line:
    """What one block holds at its widest, of the kind that holds most, beside what came in.

    `tokens` of all sequences, each `seq` long. Nothing is kept for backward, so a block's
    tensors go as it ends; its input is held by the model's loop, and the embedded tokens by
    their own name. `unpacked_bytes`: of each element of a packed matrix that is unpacked
    to be multiplied, and goes with the product.
    Left out: the mask, position ids, a router's scores.
    """
    found = (
        _widest(block, architecture.hidden, graph, (tokens, seq), unpacked_bytes)
        for _, block in architecture.stack
    )
    return max(found, key=lambda line: line.bytes)


def _widest(
    block: Block, hidden: int, graph: Graph, lengths: tuple[int, int], unpacked_bytes: int
) -> Line:
    tokens, seq = lengths
    sizes = block_sizes(block, hidden, seq=seq, graph=graph)
    matrices = _matrices(block, hidden) if unpacked_bytes else {}
    program = block_program(kind_of(block), graph.kind)
    amounts = dict.fromkeys(program.plain.names, 0)  # matrices that are not packed
    amounts |= {name: tokens * size for name, size in sizes.items()}
    amounts |= {module: size * unpacked_bytes for module, size in matrices.items()}
    peak = program.plain_peak(amounts)
    alive = {name: width for name, width in peak.items() if width and name in sizes}
    alive["hidden"] = alive.get("hidden", 0) + graph.stream  # the embedded tokens
    at_hand = sum(matrices.get(module, 0) for module in peak)
    total = tokens * sum(width * sizes[name] for name, width in alive.items())
    text = " + ".join(f"{width} × {name}" for name, width in alive.items())
    terms = {"tokens": tokens} | {name: sizes[name] for name in alive}
    formula = f"tokens × ({text})"
    if at_hand:
        total += at_hand * unpacked_bytes
        formula += " + matrix × unpacked_bytes"
        terms |= {"matrix": at_hand, "unpacked_bytes": unpacked_bytes}
    return Line(
        key="pass_activations",
        bytes=total,
        formula=formula,
        terms=terms,
        source=SOURCE,
        basis=Basis.DERIVED,
    )


def _matrices(block: Block, hidden: int) -> Mapping[str, int]:
    """Elements of each module's packed matrix."""
    found: dict[str, int] = {}
    for tensor in block.one(hidden):
        if tensor.role is Role.LINEAR:
            found[tensor.module] = found.get(tensor.module, 0) + tensor.elements
    return found
