"""Keys and values kept for every token of every sequence that is served."""

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.rows import Dtype


def kv_cache(
    architecture: Architecture,
    *,
    context: int,
    users: int,
    key_dtype: Dtype,
    value_dtype: Dtype,
    page_tokens: int,
    windows: bool,
) -> Line:
    """Summed over layers; shape a layer: (users, tokens, kv_heads, head_dim), twice.

    Tokens are rounded up to whole pages of `page_tokens`. `windows`: the engine keeps
    only a sliding layer's window. Packed types are cut into blocks head by head.
    """
    total, texts = 0, []
    terms = {"users": users}
    kinds = len(architecture.stack)
    for number, (count, block) in enumerate(architecture.stack, start=1):
        attention, suffix = block.attention, "" if kinds == 1 else f"_{number}"
        tokens = context
        if windows and attention.window is not None:
            tokens = min(context, attention.window)
        tokens = -(-tokens // page_tokens) * page_tokens
        head = key_dtype.size_of(attention.head_dim) + value_dtype.size_of(attention.head_dim)
        total += users * count * tokens * attention.kv_heads * head
        texts.append(f"layers{suffix} × tokens{suffix} × kv_heads{suffix} × head_bytes{suffix}")
        terms |= {
            f"layers{suffix}": count,
            f"tokens{suffix}": tokens,
            f"kv_heads{suffix}": attention.kv_heads,
            f"head_bytes{suffix}": head,
        }
    return Line(
        key="kv_cache",
        bytes=total,
        formula=f"users × ({' + '.join(texts)})",
        terms=terms,
        source="paged-attention-2023",
        basis=Basis.COUNTED,
    )
