"""Log-probabilities of a sequence's labels, taken from its logits, as TRL 1.0 takes them.

n sequences of `rows` logits each, of which `scored` count; V words; w bytes a logit: 4 where
Accelerate hands the output of an autocast model back in fp32, or where the head is fp32.
In fp32 a label's log-probability is its logit less the log-sum-exp, which keeps the logits;
in 16 bits it is log-softmax's, which keeps its result. Both go sequence by sequence.
"""

from estimator.breakdown import Basis, Line

FP32 = 4
HALF = 2


def preference_forward(
    *, sequences: int, rows: int, scored: int, vocabulary: int, width: int, reference: bool
) -> Line:
    """DPO: logits and their shifted copy, of the policy and the reference, held to the end.

    The mean of the chosen half's logits copies that half; in 16 bits log-softmax is kept too.
    """
    models = 2 if reference else 1
    kept = HALF if width < FP32 else 0
    half = sequences // 2
    return Line(
        key="logits",
        bytes=vocabulary
        * (
            models * sequences * (rows + scored) * width
            + sequences * scored * kept
            + half * scored * width
        ),
        formula="vocabulary × (models × sequences × (rows + scored) × logit_bytes"
        " + sequences × scored × kept_bytes + half × scored × logit_bytes)",
        terms={
            "vocabulary": vocabulary,
            "models": models,
            "sequences": sequences,
            "rows": rows,
            "scored": scored,
            "logit_bytes": width,
            "kept_bytes": kept,
            "half": half,
        },
        source="trl-dpo-trainer",
        basis=Basis.DERIVED,
    )


def held_for_reference(
    *, sequences: int, rows: int, scored: int, vocabulary: int, width: int
) -> Line:
    """DPO: what of the policy's logits is held while the reference model runs."""
    kept = HALF if width < FP32 else 0
    return Line(
        key="logits",
        bytes=vocabulary * sequences * (rows * width + scored * (width + kept)),
        formula="vocabulary × sequences × (rows × logit_bytes + scored × scored_bytes)",
        terms={
            "vocabulary": vocabulary,
            "sequences": sequences,
            "rows": rows,
            "logit_bytes": width,
            "scored": scored,
            "scored_bytes": width + kept,
        },
        source="trl-dpo-trainer",
        basis=Basis.DERIVED,
    )


def kept_logits(*, sequences: int, rows: int, vocabulary: int, width: int, source: str) -> Line:
    """What backward needs: the fp32 logits, or the 16-bit log-softmax."""
    return Line(
        key="logits",
        bytes=sequences * rows * vocabulary * width,
        formula="sequences × rows × vocabulary × logit_bytes",
        terms={
            "sequences": sequences,
            "rows": rows,
            "vocabulary": vocabulary,
            "logit_bytes": width,
        },
        source=source,
        basis=Basis.DERIVED,
    )


def preference_backward(
    *, sequences: int, scored: int, vocabulary: int, width: int, source: str
) -> Line:
    """The gradient of log-probabilities, back to the logits.

    fp32: the kept logits, the gathered labels' gradient, every sequence's, and two
    temporaries of one. 16 bits: every sequence's gradient, and all of them put together.
    """
    of_all, of_one = (3 * width, 2 * width) if width == FP32 else (2 * width, 0)
    return Line(
        key="logits",
        bytes=vocabulary * scored * (sequences * of_all + of_one),
        formula="vocabulary × scored × (sequences × all_bytes + one_bytes)",
        terms={
            "vocabulary": vocabulary,
            "scored": scored,
            "sequences": sequences,
            "all_bytes": of_all,
            "one_bytes": of_one,
        },
        source=source,
        basis=Basis.DERIVED,
    )


def generated_forward(
    *, sequences: int, rows: int, scored: int, vocabulary: int, width: int, half_head: bool
) -> Line:
    """GRPO: logits of the generated tokens, and a copy of them to take the entropy of.

    A single sequence needs no copy; then the fp32 logits beside those they were made of are
    the most, where autocast makes two of them. In 16 bits log-softmax is kept too.
    """
    copied = scored if sequences > 1 else 0
    kept = HALF if width < FP32 else 0
    later = rows * width + scored * kept + copied * width
    upcast = rows * (width + (HALF if half_head else 0))
    per_sequence = max(later, upcast)
    return Line(
        key="logits",
        bytes=sequences * vocabulary * per_sequence,
        formula="sequences × vocabulary × sequence_bytes",
        terms={
            "sequences": sequences,
            "vocabulary": vocabulary,
            "sequence_bytes": per_sequence,
        },
        source="trl-grpo-trainer",
        basis=Basis.DERIVED,
    )


def divided_backward(
    *,
    sequences: int,
    rows: int,
    scored: int,
    logits_held: bool,
    vocabulary: int,
    width: int,
    source: str,
) -> Line:
    """Back through the division by the temperature, in place on a part of the logits.

    Autograd holds the gradient of all rows twice, and of the scored ones twice; PPO's loop
    the logits besides. In fp32 the log-sum-exp behind may be wider: the logits, gradients of
    the labels and of all sequences, and two temporaries of one.
    """
    dividing = width * (2 * rows + 2 * scored + (rows if logits_held else 0))
    summing, alone = (width * (rows + 2 * scored), 2 * width * scored) if width == FP32 else (0, 0)
    return Line(
        key="logits",
        bytes=vocabulary * max(sequences * dividing, sequences * summing + alone),
        formula="vocabulary × max(sequences × dividing_bytes, sequences × summing_bytes"
        " + one_bytes)",
        terms={
            "vocabulary": vocabulary,
            "sequences": sequences,
            "dividing_bytes": dividing,
            "summing_bytes": summing,
            "one_bytes": alone,
        },
        source=source,
        basis=Basis.DERIVED,
    )
