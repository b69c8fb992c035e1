"""Losses that have the head in them and never hold every logit.

What stays is a piece of the logits, and gradients of the head's input and weight, made
where the loss is. Each function gives what is alive in forward, what is kept for backward,
and what is alive in the loss's backward.
"""

from typing import NamedTuple

from estimator.breakdown import Basis, Line

FP32 = 4
TILE_TOKENS = 4096  # TRL 1.16: tokens of a tile
TILE_WORDS = 32768  # and words


class Head(NamedTuple):
    """The head that a loss has in it. Bytes are an element's.

    `tokens`: rows that pass it. `input_bytes`: of the hidden states it reads;
    `weight_bytes`: of its weight; `compute_bytes`: of a product. `trained`: whether the
    weight gets a gradient, and its input is kept anyway.
    """

    tokens: int
    hidden: int
    vocabulary: int
    input_bytes: int
    weight_bytes: int
    compute_bytes: int
    trained: bool


class Alive(NamedTuple):
    """Lines of forward's peak, of what is kept, and of backward's peak."""

    forward: Line | None
    kept: Line | None
    backward: Line | None


def liger(head: Head) -> Alive:
    """Liger: tokens ÷ ⌈vocabulary ÷ hidden⌉ rows at a time, up to a power of two.

    The rows' logits turn into their gradient in place, and both gradients are made in
    forward and kept. Under autocast on an fp32 weight each product casts it anew.
    """
    rows = _liger_rows(head)
    weight = head.vocabulary * head.hidden
    cast = head.compute_bytes if head.weight_bytes != head.compute_bytes else 0
    gradient = head.weight_bytes if head.trained else 0
    spare = 0 if head.trained else head.input_bytes  # kept in place of the head's own input
    kept = _line(
        "fused_gradients",
        "tokens × hidden × input_bytes + vocabulary × hidden × weight_gradient",
        {
            "tokens": head.tokens,
            "hidden": head.hidden,
            "input_bytes": spare,
            "vocabulary": head.vocabulary,
            "weight_gradient": gradient,
        },
        head.tokens * head.hidden * spare + weight * gradient,
        "liger-fused-ce",
    )
    forward = _line(
        "logits",
        "rows × vocabulary × chunk_bytes + tokens × hidden × input_bytes"
        " + vocabulary × hidden × weight_bytes",
        {
            "rows": rows,
            "vocabulary": head.vocabulary,
            "chunk_bytes": head.compute_bytes,
            "tokens": head.tokens,
            "hidden": head.hidden,
            "input_bytes": spare + head.input_bytes,
            "weight_bytes": gradient + cast,
        },
        rows * head.vocabulary * head.compute_bytes
        + head.tokens * head.hidden * (spare + head.input_bytes)
        + weight * (gradient + cast),
        "liger-fused-ce",
    )
    return Alive(forward, kept, kept)


def _liger_rows(head: Head) -> int:
    chunks = -(-head.vocabulary // head.hidden)
    rows = -(-head.tokens // chunks)
    power: int = 1 << (rows - 1).bit_length()
    return min(head.tokens, power)


def tiled(head: Head) -> Alive:
    """TRL 1.16: tiles of 4,096 tokens × 32,768 words, in forward and again in backward.

    The rows that count are copied out of the hidden states and kept. Gradients are summed
    in fp32 and then cast to what they belong to.
    """
    rows = min(head.tokens, TILE_TOKENS)
    picked = head.input_bytes
    tile = head.compute_bytes
    piece = head.compute_bytes if head.input_bytes != head.compute_bytes else 0
    part = head.compute_bytes if head.weight_bytes != head.compute_bytes else 0
    gradient = _summed(head.weight_bytes) if head.trained else 0
    sizes = {
        "rows": rows,
        "tile_words": TILE_WORDS,
        "tile_bytes": tile,
        "tokens": head.tokens,
        "hidden": head.hidden,
        "words": min(head.vocabulary, TILE_WORDS),
        "cast_bytes": part,
    }
    common = rows * TILE_WORDS * tile + min(head.vocabulary, TILE_WORDS) * head.hidden * part
    text = "rows × tile_words × tile_bytes + words × hidden × cast_bytes"
    forward = _line(
        "logits",
        f"{text} + tokens × hidden × input_bytes + rows × hidden × piece_bytes",
        sizes | {"input_bytes": picked, "piece_bytes": piece},
        common + head.tokens * head.hidden * picked + rows * head.hidden * piece,
        "trl-fused-head",
    )
    kept = None
    if not head.trained:  # a trained head's input is kept anyway
        kept = _line(
            "head_input",
            "tokens × hidden × input_bytes",
            {"tokens": head.tokens, "hidden": head.hidden, "input_bytes": picked},
            head.tokens * head.hidden * picked,
            "trl-fused-head",
        )
    spare = 0 if head.trained else picked
    gradients = {
        "gradient_bytes": spare + _summed(head.input_bytes),
        "piece_bytes": piece,
        "vocabulary": head.vocabulary,
        "weight_gradient": gradient,
    }
    # the casts of tiles are gone when the sums are cast
    backward = _line(
        "logits",
        "rows × tile_words × tile_bytes + tokens × hidden × gradient_bytes"
        " + rows × hidden × piece_bytes + vocabulary × hidden × weight_gradient",
        {k: v for k, v in sizes.items() if k not in ("words", "cast_bytes")} | gradients,
        rows * TILE_WORDS * tile
        + head.tokens * head.hidden * (spare + _summed(head.input_bytes))
        + rows * head.hidden * piece
        + head.vocabulary * head.hidden * gradient,
        "trl-fused-head",
    )
    return Alive(forward, kept, backward)


def _summed(held_bytes: int) -> int:
    """An fp32 sum, and its copy in the type it is handed on in."""
    return FP32 + (held_bytes if held_bytes < FP32 else 0)


def cut(head: Head) -> Alive:
    """Cut cross-entropy: no logits; its 16-bit input is kept, both gradients come backward."""
    copied = head.compute_bytes if head.input_bytes != head.compute_bytes else 0
    spare = copied or (0 if head.trained else head.input_bytes)
    kept = None
    if spare:
        kept = _line(
            "head_input",
            "tokens × hidden × input_bytes",
            {"tokens": head.tokens, "hidden": head.hidden, "input_bytes": spare},
            head.tokens * head.hidden * spare,
            "cut-cross-entropy",
        )
    cast = head.weight_bytes if head.weight_bytes != head.compute_bytes else 0
    gradient = head.compute_bytes + cast if head.trained else 0
    backward = _line(
        "logits",
        "tokens × hidden × input_bytes + vocabulary × hidden × weight_gradient",
        {
            "tokens": head.tokens,
            "hidden": head.hidden,
            "input_bytes": spare + head.compute_bytes,
            "vocabulary": head.vocabulary,
            "weight_gradient": gradient,
        },
        head.tokens * head.hidden * (spare + head.compute_bytes)
        + head.vocabulary * head.hidden * gradient,
        "cut-cross-entropy",
    )
    return Alive(kept, kept, backward)


def _line(key: str, formula: str, terms: dict[str, int], size: int, source: str) -> Line:
    return Line(
        key=key, bytes=size, formula=formula, terms=terms, source=source, basis=Basis.DERIVED
    )
