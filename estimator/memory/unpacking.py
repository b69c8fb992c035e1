"""Room for one packed matrix as plain numbers, while it is multiplied."""

from collections.abc import Iterable

from estimator.breakdown import Basis, Line
from estimator.tensors import Role, Tensor


def unpacked_linear(
    tensors: Iterable[Tensor], element_bytes: int, source: str, *, head: bool = False
) -> Line | None:
    """The largest packed matrix, unpacked to `element_bytes` a weight.

    GPTQ's ExLlama kernels hold such a buffer from loading on (2 bytes). bitsandbytes makes one
    for every pass of several tokens: 2 bytes, or 4 where it was packed from another half
    precision than is computed in, since it is then cast. `head`: the head is packed as well.
    Left out: what is unpacked of fused experts.
    """
    roles = (Role.LINEAR, Role.HEAD, Role.EMBEDDING) if head else (Role.LINEAR,)
    sizes = [(one.rows * one.columns, one) for one in tensors if one.role in roles]
    if not sizes:
        return None
    elements, widest = max(sizes, key=lambda size: size[0])
    return Line(
        key="unpacked_linear",
        bytes=elements * element_bytes,
        formula="rows × columns × element_bytes",
        terms={"rows": widest.rows, "columns": widest.columns, "element_bytes": element_bytes},
        source=source,
        basis=Basis.DERIVED,
    )
