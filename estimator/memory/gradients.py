"""Gradients: one number for each trained parameter, unless it is used up at once."""

from collections.abc import Sequence

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.rows import Dtype
from estimator.tensors import Tensor


def gradients(
    trained: Sequence[Tensor], dtype: Dtype, *, in_backward: bool, cards: int = 1
) -> Line:
    """Trained parameters × bytes; only the largest tensor's if updated in backward.

    `cards`: over how many cards they are sharded after the reduction.
    """
    parameters = sum(tensor.parameters for tensor in trained)
    if in_backward:
        largest = max(tensor.elements for tensor in trained)
        return Line(
            key="gradients",
            bytes=largest * dtype.bytes_per_block,
            formula="largest_tensor × gradient_bytes",
            terms={"largest_tensor": largest, "gradient_bytes": dtype.bytes_per_block},
            source="lomo-2023",
            basis=Basis.DERIVED,
        )
    return Line(
        key="gradients",
        bytes=parameters * dtype.bytes_per_block,
        formula="trainable × gradient_bytes",
        terms={"trainable": parameters, "gradient_bytes": dtype.bytes_per_block},
        source="zero-2019",
        basis=Basis.COUNTED,
    ).divided(cards)


def tied_gradient(architecture: Architecture, dtype: Dtype) -> Line:
    """Where embedding and head are one weight: the embedding's gradient, and the sum of both.

    The head's own waits since the loss and is among the gradients; autograd adds the two
    out of place, so for a moment there are three.
    """
    return Line(
        key="embedding_gradient",
        bytes=2 * architecture.vocabulary * architecture.hidden * dtype.bytes_per_block,
        formula="2 × vocabulary × hidden × gradient_bytes",
        terms={
            "vocabulary": architecture.vocabulary,
            "hidden": architecture.hidden,
            "gradient_bytes": dtype.bytes_per_block,
        },
        source="transformers-llama",
        basis=Basis.DERIVED,
    )
