"""The buffer that llama.cpp plans for a pass, as a line: what lies in it where it is longest."""

from collections.abc import Mapping

from estimator.breakdown import Basis, Book, Line

UNPACKED = 2  # bytes of an element of a packed cache that flash attention unpacks to fp16


def ggml_compute(reach_bytes: int, held: Mapping[str, int], high_bytes: int | None = None) -> Line:
    """`held`: bytes of each kind of tensor at that point; the rest of the length is gaps.

    A gap is free, and too short for the tensor that is put behind it. `high_bytes`: the same
    buffer of an older release.
    """
    gaps = reach_bytes - sum(held.values())
    terms = {f"{kind}_bytes": size for kind, size in sorted(held.items()) if size}
    if gaps:
        terms["gap_bytes"] = gaps
    return Line(
        key="compute_buffer",
        bytes=reach_bytes,
        formula=" + ".join(terms) or "0",
        terms=terms,
        source="ggml-alloc",
        basis=Basis.COUNTED,
        low_bytes=None if high_bytes is None else reach_bytes,
        high_bytes=None if high_bytes is None else max(reach_bytes, high_bytes),
    )


def unpacked_cache(elements: int) -> Line | None:
    """A packed cache is unpacked for flash attention over a batch, one layer at a time.

    `elements`: of that layer's keys and values that are packed, all cells. CUDA's backend takes
    it of a pool of its own, which no buffer shows.
    """
    if not elements:
        return None
    return Line(
        key="unpacked_cache",
        bytes=elements * UNPACKED,
        formula="elements × fp16_bytes",
        terms={"elements": elements, "fp16_bytes": UNPACKED},
        source="llama-cpp-unpacked-cache",
        basis=Basis.DERIVED,
        book=Book.DEVICE,
    )
