"""Low-rank adapters: what they add to the weights, and what is trained of them."""

from collections.abc import Iterator

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.setup import Adapter
from estimator.tensors import Role, Tensor


def adapter_tensors(architecture: Architecture, adapter: Adapter) -> Iterator[Tensor]:
    """A (rank × inputs) and B (outputs × rank) on every targeted linear; DoRA's lengths.

    Fused 3-D experts are no linears: `all-linear` passes them by, as PEFT does.
    """
    for tensor in architecture.tensors:
        if tensor.role is not Role.LINEAR or tensor.module not in adapter.targets:
            continue
        name, copies = tensor.module, tensor.copies
        yield Tensor(f"{name}.lora_A", Role.LINEAR, adapter.rank, tensor.columns, copies)
        yield Tensor(f"{name}.lora_B", Role.LINEAR, tensor.rows, adapter.rank, copies)
        if adapter.magnitudes:
            yield Tensor(f"{name}.magnitude", Role.NORM, 1, tensor.rows, copies)


def adapter_weights(trainable: int, adapter: Adapter) -> Line:
    """Rank × (inputs + outputs) summed over every targeted linear, in the adapters' type."""
    return Line(
        key="adapters",
        bytes=trainable * adapter.dtype.bytes_per_block,
        formula="trainable × adapter_bytes",
        terms={"trainable": trainable, "adapter_bytes": adapter.dtype.bytes_per_block},
        source="peft-lora-config",
        basis=Basis.COUNTED,
    )


def lora_parameters(architecture: Architecture, rank: int) -> int:
    """Parameters that LoRA of `rank` trains on every linear of the blocks."""
    return sum(
        rank * (tensor.rows + tensor.columns) * tensor.copies
        for tensor in architecture.tensors
        if tensor.role is Role.LINEAR
    )
