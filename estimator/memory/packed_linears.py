"""What bitsandbytes' packed linears hold beside their weights, as Lightning's Fabric has them.

Their inputs are attributes of the graph's nodes up to bitsandbytes 0.42, and so stay until the
graph itself goes: a loop that still names the last loss has them beside the next step's. And a
weight is unpacked to be multiplied: to fp16, from which Fabric packed it, and cast to bf16.
"""

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.tensors import Role


def earlier_inputs(architecture: Architecture, *, tokens: int, element_bytes: int) -> Line:
    """Inputs of an earlier step's packed linears, as long as this one.

    Of each block what its norms put out, attention's output and the MLP's inner one; and the
    head's input. Left out: the first block's, whose input needs no gradient.
    """
    total = architecture.hidden
    for count, block in architecture.stack:
        norms = min(block.norms, 2)
        total += count * (
            norms * architecture.hidden + block.attention.output_width + block.mlp.token_inner
        )
    return Line(
        key="earlier_inputs",
        bytes=tokens * total * element_bytes,
        formula="tokens × inputs × element_bytes",
        terms={"tokens": tokens, "inputs": total, "element_bytes": element_bytes},
        source="bitsandbytes-042",
        basis=Basis.DERIVED,
    )


def unpacked_weight(architecture: Architecture, *, copies: int, element_bytes: int) -> Line:
    """The largest linear's weight while it is multiplied, in `copies` of 16 bits."""
    largest = max(
        (tensor.elements for tensor in architecture.tensors if tensor.role is Role.LINEAR),
        default=0,
    )
    return Line(
        key="unpacked_weight",
        bytes=largest * copies * element_bytes,
        formula="largest_linear × copies × element_bytes",
        terms={"largest_linear": largest, "copies": copies, "element_bytes": element_bytes},
        source="fabric-bitsandbytes" if copies > 1 else "torchtune-modules",
        basis=Basis.DERIVED,
    )
