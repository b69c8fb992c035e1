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
    expands_latents: bool,
) -> Line | None:
    """Summed over layers; shape a layer: (users, tokens, kv_heads, head_dim), twice.

    Tokens are rounded up to whole pages of `page_tokens`. `windows`: the engine keeps
    only a sliding layer's window. `expands_latents`: it keeps whole heads where the model
    has a latent (MLA) of (kv_rank + rope_dim,) a token. Packed types are cut into blocks
    head by head. None where no layer keeps any: encoders, layers with a state in its place.
    """
    total, texts = 0, []
    terms = {"users": users}
    caching = [
        (count, mixer)
        for count, block in architecture.stack
        for mixer in block.mixers
        if block.caches and mixer.cached.heads
    ]
    if not caching:
        return None
    for number, (count, attention) in enumerate(caching, start=1):
        suffix = "" if len(caching) == 1 else f"_{number}"
        tokens = context
        if windows and attention.window is not None:
            tokens = min(context, attention.window)
        tokens = -(-tokens // page_tokens) * page_tokens
        heads, key, value = attention.expanded if expands_latents else attention.cached
        head = key_dtype.size_of(key) + value_dtype.size_of(value)
        total += users * count * tokens * heads * head
        texts.append(f"layers{suffix} × tokens{suffix} × kv_heads{suffix} × head_bytes{suffix}")
        terms |= {
            f"layers{suffix}": count,
            f"tokens{suffix}": tokens,
            f"kv_heads{suffix}": heads,
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
