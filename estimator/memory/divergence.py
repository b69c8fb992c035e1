"""Distillation: a student's and a teacher's distributions over the same words, compared.

TRL 1.0's GKD trainer holds both models' logits and, of every scored token and word: both
log-softmaxes, the two stacked for their mixture, the mixture, and of each divergence what
its multiplication keeps and gives.
"""

from estimator.breakdown import Basis, Line

KEPT = 7  # the student's log-softmax, the stack of two, the mixture, two exps, a difference
AT_ONCE = 13  # besides: the teacher's log-softmax, four products and their sum

FP32 = 4
TILE_TOKENS = 4096  # TRL 1.16: tokens of a tile
TILE_WORDS = 32768  # and words
TILES = 2  # the student's and the teacher's, in fp32


def divergence_forward(
    *, sequences: int, rows: int, scored: int, vocabulary: int, width: int
) -> Line:
    """The most that is held: where the weighted divergences are added."""
    return Line(
        key="logits",
        bytes=sequences * vocabulary * width * (2 * rows + AT_ONCE * scored),
        formula="sequences × vocabulary × logit_bytes × (2 × rows + copies × scored)",
        terms={
            "sequences": sequences,
            "vocabulary": vocabulary,
            "logit_bytes": width,
            "rows": rows,
            "copies": AT_ONCE,
            "scored": scored,
        },
        source="trl-gkd-trainer",
        basis=Basis.DERIVED,
    )


def divergence_kept(*, sequences: int, scored: int, vocabulary: int, width: int) -> Line:
    """What its backward needs, which adds less than forward's temporaries did."""
    return Line(
        key="logits",
        bytes=sequences * vocabulary * width * KEPT * scored,
        formula="sequences × vocabulary × logit_bytes × copies × scored",
        terms={
            "sequences": sequences,
            "vocabulary": vocabulary,
            "logit_bytes": width,
            "copies": KEPT,
            "scored": scored,
        },
        source="trl-gkd-trainer",
        basis=Basis.DERIVED,
    )


def tiled_divergence(
    *,
    tokens: int,
    hidden: int,
    teacher_hidden: int,
    vocabulary: int,
    input_bytes: int,
    weight_gradient: int,
    backward: bool,
) -> Line:
    """TRL 1.16: tiles of both models' logits in fp32; both hidden states are kept.

    Backward sums gradients in fp32 and casts them; `weight_gradient`: bytes for each number
    of the head, sum and cast, 0 if it is not trained.
    """
    rows = min(tokens, TILE_TOKENS)
    gradient = 0
    if backward:
        gradient = FP32 + (input_bytes if input_bytes < FP32 else 0)
    head = weight_gradient if backward else 0
    return Line(
        key="logits",
        bytes=TILES * rows * TILE_WORDS * FP32
        + tokens * (hidden + teacher_hidden) * input_bytes
        + tokens * hidden * gradient
        + vocabulary * hidden * head,
        formula="tiles × rows × tile_words × fp32_bytes + tokens × (hidden + teacher_hidden)"
        " × input_bytes + tokens × hidden × gradient_bytes + vocabulary × hidden × weight_gradient",
        terms={
            "tiles": TILES,
            "rows": rows,
            "tile_words": TILE_WORDS,
            "fp32_bytes": FP32,
            "tokens": tokens,
            "hidden": hidden,
            "teacher_hidden": teacher_hidden,
            "input_bytes": input_bytes,
            "gradient_bytes": gradient,
            "vocabulary": vocabulary,
            "weight_gradient": head,
        },
        source="trl-distillation-trainer",
        basis=Basis.DERIVED,
    )
