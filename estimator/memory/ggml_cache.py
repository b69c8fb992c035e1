"""The cache that llama.cpp makes before the first token, layer by layer."""

from collections.abc import Iterable
from typing import NamedTuple

from estimator.breakdown import Basis, Line
from estimator.rows import Dtype

FP32 = 4


class CachedLayers(NamedTuple):
    """`layers` equal ones with room for `cells` tokens of each stream.

    `key`, `value`: elements a token, all heads together.
    """

    layers: int
    cells: int
    key: int
    value: int


def ggml_cache(
    layers: Iterable[CachedLayers], streams: int, key_dtype: Dtype, value_dtype: Dtype
) -> Line | None:
    """Keys and values of every layer; a row of packed blocks is a token's, all its heads.

    A stream has cells of its own: one for all sequences together, or one for each. None where
    no layer keeps any.
    """
    total, texts, terms = 0, [], {"streams": streams}
    kept = [one for one in layers if one.layers and (one.key or one.value)]
    for number, (count, cells, key, value) in enumerate(kept, start=1):
        suffix = "" if len(kept) == 1 else f"_{number}"
        row = key_dtype.size_of(key) + value_dtype.size_of(value)
        total += streams * count * cells * row
        texts.append(f"layers{suffix} × cells{suffix} × row_bytes{suffix}")
        terms |= {f"layers{suffix}": count, f"cells{suffix}": cells, f"row_bytes{suffix}": row}
    if not total:
        return None
    return Line(
        key="kv_cache",
        bytes=total,
        formula=f"streams × ({' + '.join(texts)})",
        terms=terms,
        source="llama-cpp-kv-cache",
        basis=Basis.COUNTED,
    )


def ggml_states(convolution: int, recurrent: int, sequences: int) -> Line | None:
    """What layers with a state keep of each sequence, all in fp32.

    `convolution`, `recurrent`: elements of all such layers; a convolution over n tokens keeps
    the last n - 1.
    """
    if not convolution and not recurrent:
        return None
    return Line(
        key="recurrent_state",
        bytes=sequences * (convolution + recurrent) * FP32,
        formula="sequences × (convolution + state) × fp32_bytes",
        terms={
            "sequences": sequences,
            "convolution": convolution,
            "state": recurrent,
            "fp32_bytes": FP32,
        },
        source="llama-cpp-recurrent",
        basis=Basis.COUNTED,
    )
