"""What ExLlamaV2 holds beside weights: a scratch made at load, a cache, and a layer unpacked."""

from collections.abc import Iterable

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.mixers import Attention
from estimator.mlps import ExpertsMlp, NoMlp
from estimator.rows import Dtype
from estimator.tensors import Cached, Role
from estimator.units import MIB

HALF = 2
FP32 = 4
MOST_UNPACKED = 512 * MIB  # elements of a matrix that are unpacked at a time


def scratch(architecture: Architecture, tokens: int) -> Line:
    """One buffer for all modules, as large as the one that asks for the most.

    A module asks for its matrix unpacked to fp16 (`max_dq_size` elements of it at most), and
    for states of `tokens` (`max_input_len`): attention for one, an MLP for its output and two
    inner ones. It stays. Left out: 128 bytes a part.
    """
    asked = [*_attention(architecture), *_mlps(architecture), (0, _head(architecture))]
    width, matrix = max(asked, key=lambda one: tokens * one[0] + min(one[1], MOST_UNPACKED))
    matrix = min(matrix, MOST_UNPACKED)
    return Line(
        key="unpacking_scratch",
        bytes=(tokens * width + matrix) * HALF,
        formula="(tokens × width + matrix) × fp16_bytes",
        terms={"tokens": tokens, "width": width, "matrix": matrix, "fp16_bytes": HALF},
        source="exllamav2-scratch",
        basis=Basis.DERIVED,
    )


def _attention(architecture: Architecture) -> Iterable[tuple[int, int]]:
    """(elements a token, of the largest matrix) of each kind of attention."""
    hidden = architecture.hidden
    for _, block in architecture.stack:
        mixer = block.attention
        if isinstance(mixer, Attention):
            yield max(mixer.query_width, hidden), max(mixer.query_width, mixer.kv_width) * hidden


def _mlps(architecture: Architecture) -> Iterable[tuple[int, int]]:
    hidden = architecture.hidden
    for _, block in architecture.stack:
        mlp = block.mlp
        if isinstance(mlp, ExpertsMlp):
            yield 2 * hidden + 2 * mlp.inner + mlp.experts, mlp.inner * hidden
        elif not isinstance(mlp, NoMlp):
            yield hidden + 2 * max(hidden, mlp.inner), mlp.inner * hidden


def _head(architecture: Architecture) -> int:
    heads = (t.elements for t in architecture.tensors if t.role is Role.HEAD)
    return max(heads, default=architecture.vocabulary * architecture.hidden)


def unpacked_layer(cached: Cached, tokens: int, keys: Dtype, values: Dtype) -> Line | None:
    """A packed cache has room for one layer of it in fp16, as long as the cache."""
    if all(one.plain and one.bytes_per_block == HALF for one in (keys, values)):
        return None
    elements = cached.heads * (cached.key + cached.value)
    return Line(
        key="unpacked_cache",
        bytes=tokens * elements * HALF,
        formula="tokens × elements × fp16_bytes",
        terms={"tokens": tokens, "elements": elements, "fp16_bytes": HALF},
        source="exllamav2-cache",
        basis=Basis.COUNTED,
    )


def chunk_states(architecture: Architecture, tokens: int) -> Line:
    """States of one chunk beside the scratch: the stream, its normed copy, queries, keys, values.

    Attention's output is as wide as the queries. Flash attention holds no scores.
    """
    width = 2 * architecture.hidden + max(
        (
            2 * one.attention.query_width + 2 * one.attention.kv_width
            for _, one in architecture.stack
            if isinstance(one.attention, Attention)
        ),
        default=0,
    )
    return Line(
        key="pass_activations",
        bytes=tokens * width * HALF,
        formula="tokens × width × fp16_bytes",
        terms={"tokens": tokens, "width": width, "fp16_bytes": HALF},
        source="exllamav2-scratch",
        basis=Basis.DERIVED,
    )


def sampled_logits(rows: int, vocabulary: int) -> Line:
    """Logits of the last token of each sequence, fp16 and once more in fp32."""
    return Line(
        key="logits",
        bytes=rows * vocabulary * (HALF + FP32),
        formula="rows × vocabulary × (fp16_bytes + fp32_bytes)",
        terms={
            "rows": rows,
            "vocabulary": vocabulary,
            "fp16_bytes": HALF,
            "fp32_bytes": FP32,
        },
        source="exllamav2-scratch",
        basis=Basis.DERIVED,
    )
