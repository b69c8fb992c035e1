"""The head of a safetensors file, and a repository's index: how many elements of which type.

A file begins with eight bytes that say how long its header is, then JSON: of each tensor its
type and shape. Nothing behind the header is read.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

from bot.hub.decoding import decoded
from bot.hub.repository import MOST_PARAMETERS, MissedError, Reason
from estimator import MIB

LENGTH_BYTES = 8
LARGEST_HEADER = 16 * MIB  # the format allows 100 MB; a file of 20,000 tensors has 3
METADATA = "__metadata__"
DTYPE_BYTES = {
    **dict.fromkeys(("F64", "I64", "U64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("BF16", "F16", "I16", "U16"), 2),
    **dict.fromkeys(("F8_E4M3", "F8_E5M2", "I8", "U8", "BOOL"), 1),
}
MOST_DIMENSIONS = 8


def header_length(beginning: bytes, what: str) -> int:
    """How long the header is; raises MissedError for what cannot be one."""
    if len(beginning) < LENGTH_BYTES:
        raise MissedError(Reason.MALFORMED, f"{what} is too short for a header")
    length = int.from_bytes(beginning[:LENGTH_BYTES], "little")
    if length > LARGEST_HEADER:
        raise MissedError(Reason.TOO_LARGE, f"the header of {what}")
    return length


def holds_header(beginning: bytes) -> bool:
    """Whether all of the header is there, or it is not worth waiting for."""
    length = int.from_bytes(beginning[:LENGTH_BYTES], "little")
    return length > LARGEST_HEADER or len(beginning) >= LENGTH_BYTES + length


def counts_of_header(beginning: bytes, what: str) -> dict[str, int]:
    """Elements by type, of all tensors that the header lists."""
    end = LENGTH_BYTES + header_length(beginning, what)
    if len(beginning) < end:
        raise MissedError(Reason.MALFORMED, f"{what} ends within its header")
    counts: dict[str, int] = {}
    for name, tensor in decoded(beginning[LENGTH_BYTES:end], f"the header of {what}").items():
        if name != METADATA:
            dtype, elements = _tensor(tensor, what)
            counts[dtype] = counts.get(dtype, 0) + elements
    if sum(counts.values()) > MOST_PARAMETERS:
        raise MissedError(Reason.MALFORMED, f"{what} claims more than any model holds")
    return counts


def _tensor(tensor: object, what: str) -> tuple[str, int]:
    dtype = tensor.get("dtype") if isinstance(tensor, dict) else None
    shape = tensor.get("shape") if isinstance(tensor, dict) else None
    if dtype not in DTYPE_BYTES or not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
        raise MissedError(Reason.MALFORMED, f"{what} lists a tensor without type or shape")
    if not all(type(size) is int and 0 <= size <= MOST_PARAMETERS for size in shape):
        raise MissedError(Reason.MALFORMED, f"{what} lists a tensor of an impossible shape")
    return str(dtype), prod(shape)


def total_bytes_of_index(index: Mapping[str, Any]) -> int | None:
    """What an index says that all files hold; none where it does not."""
    metadata = index.get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    if isinstance(total, float) and total.is_integer():
        total = int(total)
    if isinstance(total, bool) or not isinstance(total, int):
        return None
    return total if 0 < total <= DTYPE_BYTES["F64"] * MOST_PARAMETERS else None
