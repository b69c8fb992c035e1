"""How MLX's cache grows: in steps, by a copy of a layer's keys and values."""

from estimator.breakdown import Basis, Line
from estimator.rows import Dtype
from estimator.tensors import Cached


def grown_layer(cached: Cached, users: int, tokens: int, keys: Dtype, values: Dtype) -> Line:
    """One layer's keys and values once more, while a longer cache is made of them.

    `tokens`: those that the shorter one holds. Layers grow one after another.
    """
    each = cached.heads * (keys.size_of(cached.key) + values.size_of(cached.value))
    return Line(
        key="cache_growth",
        bytes=users * tokens * each,
        formula="users × tokens × token_bytes",
        terms={"users": users, "tokens": tokens, "token_bytes": each},
        source="mlx-lm-cache",
        basis=Basis.DERIVED,
    )
