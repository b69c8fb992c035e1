"""What loading a model into a server takes beside its weights, and its log counts among them."""

from collections.abc import Iterable

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Book, Line
from estimator.mixers import Attention, LatentAttention
from estimator.units import MIB

LARGE = 10 * MIB  # from here on a tensor has a segment of its own
STEP = 2 * MIB  # of which that is a multiple
SMALL = MIB  # a rest that is no larger is not split off
BITS = 8
STRETCHED = 8  # times the rows of a table that is stretched linearly
FP32 = 4


def rotary_tables(
    architecture: Architecture, positions: int | None, compute_bytes: int
) -> Line | None:
    """Cosines and sines of every position, for each width of a rotated head once.

    High: layers with a window may have a table of their own, and the others one that is
    stretched, with so many times the rows (Gemma 3: eight).
    """
    widths = {
        mixer.rope_dim if isinstance(mixer, LatentAttention) else mixer.rotary_width
        for _, block in architecture.stack
        for mixer in block.mixers
        if isinstance(mixer, Attention | LatentAttention)
    }
    width = 0 if architecture.positions else sum(widths)
    mixed = len({block.attention.window for _, block in architecture.stack}) > 1
    if not width or not positions:
        return None
    return Line(
        key="weights_rotary",
        bytes=positions * width * compute_bytes,
        formula="positions × width × compute_bytes",
        terms={"positions": positions, "width": width, "compute_bytes": compute_bytes},
        source="vllm-rotary",
        basis=Basis.DERIVED,
        low_bytes=0,
        high_bytes=positions * width * compute_bytes * (1 + STRETCHED if mixed else 1),
    )


def unsplit_rests(matrices: Iterable[tuple[int, int]]) -> Line:
    """What PyTorch hands out beyond matrices that stay; `matrices`: bytes of one, and how many.

    From 10 MiB on each has a segment of whole 2 MiB; a rest of up to 1 MiB is not split off,
    and counts as allocated. Left out: smaller tensors, which share segments.
    """
    rest = sum(count * _rest(size) for size, count in matrices)
    return Line(
        key="weights_rounding",
        bytes=rest,
        formula="unsplit_bytes",
        terms={"unsplit_bytes": rest},
        source="torch-allocator",
        basis=Basis.DERIVED,
        book=Book.ALLOCATED,
        low_bytes=0,
    )


def _rest(size: int) -> int:
    rest = -size % STEP if size >= LARGE else 0
    return rest if rest <= SMALL else 0


def fused_matrices(
    architecture: Architecture, cards: int, element_bytes: int
) -> Iterable[tuple[int, int]]:
    """Bytes of the large matrices as a server holds them: q, k, v in one, gate and up in one."""
    for count, block in architecture.stack:
        found: dict[str, int] = {}
        for tensor in block.one(architecture.hidden):
            inputs = tensor.module in block.attention.input_modules
            gate = tensor.module.endswith(("gate_proj", "up_proj")) and tensor.experts == 1
            name = "qkv" if inputs else "gate_up" if gate else tensor.module
            found[name] = found.get(name, 0) + tensor.elements
        for elements in found.values():
            yield -(-elements // cards) * element_bytes, count
    table = -(-architecture.vocabulary // cards) * architecture.hidden * element_bytes
    yield table, architecture.embeds + (architecture.head and not architecture.tied)


def output_counts(sequences: int, vocabulary: int) -> Line:
    """Counts of the words that each sequence put out, and a bit for each of its prompt's."""
    words = -(-vocabulary // (BITS * FP32))
    return Line(
        key="output_counts",
        bytes=sequences * (vocabulary + words) * FP32,
        formula="sequences × (vocabulary + mask_words) × int32_bytes",
        terms={
            "sequences": sequences,
            "vocabulary": vocabulary,
            "mask_words": words,
            "int32_bytes": FP32,
        },
        source="vllm-0.29.0-runner",
        basis=Basis.DERIVED,
    )
