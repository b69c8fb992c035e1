"""How many bytes of a card a program sees."""

from estimator.rows import CardUse, Gpu
from estimator.units import GIB, MIB


def total_bytes(gpu: Gpu, use: CardUse) -> int:
    """What a program sees on Linux: PyTorch's total, or the driver's less the usual gap."""
    if gpu.torch_total_gib is not None:
        return round(gpu.torch_total_gib * GIB)
    if gpu.reported_mib is None:
        raise ValueError(f"{gpu.id} has no total")
    gap = 0
    if gpu.vendor == "nvidia":
        gap = use.gap_large_mib if gpu.memory_gb >= use.gap_from_gb else use.gap_small_mib
    return (gpu.reported_mib - gap) * MIB
