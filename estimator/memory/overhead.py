"""What comes on top of tensors: cuBLAS's workspaces and the allocator's slack.

The CUDA context is not here: it belongs to the card, and `fit` takes it off what the
card leaves usable.
"""

from collections.abc import Sequence
from dataclasses import replace

from estimator.breakdown import Basis, Book, Line
from estimator.cards import Cards
from estimator.engine_rows import Engine
from estimator.engine_versions import EngineVersion, Span
from estimator.gpu_rows import Gpu
from estimator.tensors import Tensor
from estimator.units import KIB, MIB

CUBLAS_WORKSPACE = 8 * MIB + 128 * KIB  # a handle and stream, below compute capability 9
CUBLAS_WORKSPACE_HOPPER = 32 * MIB  # from compute capability 9
HOPPER = (9, 0)  # NVIDIA’s compute capability
LARGE = 10 * MIB  # from here on the allocator asks for a segment of its own
SEGMENT = 2 * MIB  # which is a multiple of this
COMMUNICATOR = 430 * MIB  # NCCL's, between two cards: 563 less 133 MiB outside PyTorch
TRAINING_THREADS = 2  # forward's and autograd's, each with its own handle


def cublas_workspace(threads: int) -> Line:
    """One workspace for each thread that multiplies matrices: 8.125 MiB, 32 MiB from Hopper."""
    return Line(
        key="cublas_workspace",
        bytes=threads * CUBLAS_WORKSPACE_HOPPER,
        formula="threads × workspace_bytes",
        terms={"threads": threads, "workspace_bytes": CUBLAS_WORKSPACE_HOPPER},
        source="torch-cublas-workspace",
        basis=Basis.MEASURED,
        book=Book.ALLOCATED,
        low_bytes=threads * CUBLAS_WORKSPACE,
        high_bytes=threads * CUBLAS_WORKSPACE_HOPPER,
    )


def loop_workspace(cards: Sequence[Cards]) -> Line:
    """The one workspace of a loop without gradients, which PyTorch's allocator gives.

    32 MiB where a card is named that has them, from Hopper on.
    """
    named = [one.card.capability for one in cards if isinstance(one.card, Gpu)]
    wide = any(capability is not None and capability >= HOPPER for capability in named)
    size = CUBLAS_WORKSPACE_HOPPER if wide else CUBLAS_WORKSPACE
    return Line(
        key="cublas_workspace",
        bytes=size,
        formula="workspace_bytes",
        terms={"workspace_bytes": size},
        source="torch-cublas-workspace",
        basis=Basis.MEASURED,
        book=Book.ALLOCATED,
        high_bytes=CUBLAS_WORKSPACE_HOPPER,
    )


def allocator_rounding(resident: Sequence[tuple[Tensor, int]]) -> Line:
    """What PyTorch's allocator takes beyond large tensors that stay: whole 2 MiB a segment.

    `resident`: tensors with the bytes of an element. From 10 MiB on each has a segment of its
    own; what is left of one may serve smaller tensors, so the low end is none of it. Left
    out: smaller ones, which share segments, and the 512 bytes to which each is rounded.
    """
    rest = 0
    for tensor, width in resident:
        size = tensor.elements * width
        if size >= LARGE:
            rest += tensor.copies * (-size % SEGMENT)
    return Line(
        key="allocator_rounding",
        bytes=rest,
        formula="segment_rest_bytes",
        terms={"segment_rest_bytes": rest},
        source="torch-allocator",
        basis=Basis.DERIVED,
        book=Book.ALLOCATED,
        low_bytes=0,
        high_bytes=rest,
    )


def fragmentation(logits_bytes: int, block_bytes: int) -> Line:
    """Cached memory that no longer fits what is asked for next.

    Seen between 0.58 and 1.97 times the smaller of the logits and one block, on one
    card model (79 runs); nothing where segments can grow. Low: none. High: twice it.
    """
    smaller = min(logits_bytes, block_bytes)
    return Line(
        key="fragmentation",
        bytes=smaller,
        formula="min(logits_bytes, block_bytes)",
        terms={"logits_bytes": logits_bytes, "block_bytes": block_bytes},
        source="fitcheck-fragmentation",
        basis=Basis.ASSUMED,
        book=Book.RESERVED,
        low_bytes=0,
        high_bytes=2 * smaller,
    )


def engine_runtime(engine: Engine, cards: int = 1, stages: int = 1) -> Line:
    """Buffers, graphs and workspaces of a serving engine, from its row.

    `cards`: that divide each layer, for which NCCL has buffers to sum up what they put out.
    `stages`: that hand on what they put out, by a communicator of their own.
    """
    own = Span(engine.runtime_low_mib, engine.runtime_mib, engine.runtime_high_mib)
    found = (engine.runtime_several or own) if cards > 1 else own
    source, basis = engine.sources[0], engine.runtime_basis
    return _handing(_runtime(found, source, basis), stages, engine.runtime_several or own)


def measured_runtime(version: EngineVersion, cards: int, stages: int) -> Line:
    """What a server holds outside PyTorch: kernels, and NCCL's buffers.

    `cards`: that divide each layer; their buffers were measured. `stages`: as above.
    """
    found = version.runtime if cards == 1 else version.runtime_several
    line = _runtime(found, version.sources[1], Basis.MEASURED)
    return _handing(line, stages, version.runtime_several)


def _runtime(found: Span, source: str, basis: Basis) -> Line:
    low, middle, high = found
    return Line(
        key="engine_runtime",
        bytes=middle * MIB,
        formula="runtime_bytes",
        terms={"runtime_bytes": middle * MIB},
        source=source,
        basis=basis,
        book=Book.DEVICE,
        low_bytes=low * MIB,
        high_bytes=high * MIB,
    )


def _handing(line: Line, stages: int, several: Span) -> Line:
    """With the communicator between stages: as large as one of two cards was measured to be."""
    if stages == 1:
        return line
    *_, most = several
    return replace(
        line,
        bytes=line.bytes + COMMUNICATOR,
        formula=f"{line.formula} + communicator_bytes",
        terms={**line.terms, "communicator_bytes": COMMUNICATOR},
        source="llm-d-planner-0.11",
        basis=Basis.ASSUMED,
        high_bytes=max(line.high_bytes or 0, most * MIB) + COMMUNICATOR,
    )
