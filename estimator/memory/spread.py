"""How far off a line may be that stands for another framework's code, read and not counted.

Two things. Reading may have missed a tensor, or taken one for kept that is not: a few percent
either way, by assumption. And PyTorch's allocator leaves up to 1 MiB of a block with the tensor
that asked for it, which `max_memory_allocated` counts as that tensor's.
"""

from dataclasses import replace

from estimator.breakdown import Line
from estimator.units import MIB

PERCENT = 3  # assumed; source `defaults`
HUNDRED = 100
UNSPLIT = MIB  # the allocator splits off what is more; source `torch-allocator`


def as_read(line: Line, *, tensors: int = 0, at_most: int = 0) -> Line:
    """The line with its range: `tensors` that it is made of, or `at_most` so many bytes."""
    spread = -(-line.bytes * PERCENT // HUNDRED)
    low = line.bytes if line.low_bytes is None else line.low_bytes
    high = max(line.bytes if line.high_bytes is None else line.high_bytes, at_most)
    return replace(
        line, low_bytes=low - spread, high_bytes=high + spread + min(tensors * UNSPLIT, high)
    )
