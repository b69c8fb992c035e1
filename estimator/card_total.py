"""How many bytes of a card a program sees."""

from estimator.gpu_rows import CardUse, Ecc, Gpu
from estimator.units import GIB, KIB, MIB


def total_bytes(gpu: Gpu, use: CardUse) -> int:
    """What a program sees on Linux: PyTorch's total, or the driver's less the usual gap."""
    if gpu.torch_total_gib is not None:
        return round(gpu.torch_total_gib * GIB)
    driver = gpu.reported_mib or _unreported_mib(gpu, use)
    return (driver - _gap_mib(gpu, use)) * MIB


def largest_bytes(gpu: Gpu, use: CardUse) -> int:
    """The most that anybody may be shown of it: the driver's own total is above a program's."""
    driver = gpu.reported_mib or _unreported_mib(gpu, use)
    return max(total_bytes(gpu, use), driver * MIB)


def context_bytes(gpu: Gpu, use: CardUse) -> int:
    """What a program's own context takes: the card's where it was measured, else the largest."""
    return round((use.context_mib if gpu.context_mib is None else gpu.context_mib) * MIB)


def _gap_mib(gpu: Gpu, use: CardUse) -> int:
    """What the driver keeps: by size on NVIDIA's cards, nothing on AMD's and Apple's."""
    if not gpu.has_total and gpu.vendor in use.gaps_mib:
        return 0  # the share of such a box is already a program's
    if gpu.vendor != "nvidia" or gpu.unified:
        return use.gaps_mib.get(gpu.vendor, 0)
    return use.gap_large_mib if gpu.memory_gb >= use.gap_from_gb else use.gap_small_mib


def _unreported_mib(gpu: Gpu, use: CardUse) -> int:
    """The driver's total of a card of which none was seen: a share of the size on the box."""
    share = use.box_shares.get(gpu.vendor, 1.0)
    if gpu.unified:
        share = gpu.unified_share or use.unified_share
    if gpu.slice_of is not None:
        share = use.slice_share
    if gpu.ecc is Ecc.ON:
        share *= use.ecc_share
    return int(gpu.memory_gb * KIB * share)
