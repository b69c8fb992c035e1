"""Packed matrices that are written out in full to be multiplied."""

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.engine_rows import Engine
from estimator.setup import Numbers
from estimator.tensors import Role


def matrix_buffer(architecture: Architecture, engine: Engine, numbers: Numbers) -> Line | None:
    """A buffer for the largest packed matrix, which stays (ExLlama's kernels)."""
    width = engine.unpacked_in_buffer.get(numbers.linear.id, 0)
    if not width:
        return None
    return _written_out("matrix_buffer", largest_matrix(architecture), width, engine.sources[0])


def largest_matrix(architecture: Architecture, *, head: bool = False) -> int:
    """Elements of the largest linear, the head among them if it is packed too."""
    roles = (Role.LINEAR, Role.HEAD) if head else (Role.LINEAR,)
    found = [tensor.elements for tensor in architecture.tensors if tensor.role in roles]
    if head and architecture.tied:
        found.append(architecture.vocabulary * architecture.hidden)
    return max(found, default=0)


def unpacked_matrix(elements: int, width: int, source: str) -> Line:
    """One matrix, written out for a moment, `width` bytes an element."""
    return _written_out("unpacked_matrix", elements, width, source)


def _written_out(key: str, elements: int, width: int, source: str) -> Line:
    return Line(
        key=key,
        bytes=elements * width,
        formula="matrix × unpacked_bytes",
        terms={"matrix": elements, "unpacked_bytes": width},
        source=source,
        basis=Basis.DERIVED,
    )
