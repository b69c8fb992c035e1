"""Adapters that are served beside the model, all on the card at once."""

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.rows import Dtype
from estimator.tensors import Role, Tensor

RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # that slots are made for
SLICED = "experts.gate_up_proj"  # two matrices in one, each with an A of its own


def served_loras(
    architecture: Architecture, *, count: int, rank: int, dtype: Dtype, cards: int, slots: bool
) -> Line:
    """A (rank, inputs) and B (outputs, rank) beside every linear, `count` times.

    `slots`: they are made at start, for the next larger rank that there is, also beside the
    embedding and the head; tensor parallelism divides B where outputs are divided, A where
    inputs are. Else they are as large as their files.
    """
    held = next((one for one in RANKS if one >= rank), rank) if slots else rank
    width = sum(_width(tensor, cards) for tensor in architecture.tensors)
    if slots:
        tables = architecture.embeds + (architecture.head and not architecture.tied)
        width += tables * (-(-architecture.vocabulary // cards) + architecture.hidden)
    return Line(
        key="served_loras",
        bytes=count * held * width * dtype.bytes_per_block,
        formula=f"adapters × rank × width × {dtype.id}_bytes",
        terms={
            "adapters": count,
            "rank": held,
            "width": width,
            f"{dtype.id}_bytes": dtype.bytes_per_block,
        },
        source="vllm-lora",
        basis=Basis.DERIVED,
    )


def _width(tensor: Tensor, cards: int) -> int:
    """Inputs and outputs of a linear, those that one card has, of all its copies."""
    if tensor.role not in (Role.LINEAR, Role.EXPERT):
        return 0
    slices = 2 if tensor.module == SLICED else 1
    inward = tensor.module.endswith(("o_proj", "down_proj", "out_proj", "fc2", "dense_4h_to_h"))
    inputs = -(-tensor.columns // cards) if inward else tensor.columns
    outputs = tensor.rows if inward else -(-tensor.rows // cards)
    return tensor.copies * tensor.experts * (slices * inputs + outputs)
