"""Megatron's loss on a card's part of the vocabulary.

Logits are cast to fp32, and that copy becomes exponentials, softmax and gradient in place; the
gradient is cast back for the head.
"""

from estimator.breakdown import Basis, Line

FP32 = 4


def vocabulary_parallel(*, tokens: int, vocabulary: int, head_bytes: int, narrow: bool) -> Line:
    """Bytes for each logit of a card; shape (tokens, vocabulary).

    `narrow`: with the logits, or their gradient, in the head's own type beside the fp32 ones.
    """
    width = FP32 + (head_bytes if narrow else 0)
    return Line(
        key="logits",
        bytes=tokens * vocabulary * width,
        formula="tokens × vocabulary × bytes_a_logit",
        terms={"tokens": tokens, "vocabulary": vocabulary, "bytes_a_logit": width},
        source="megatron-cross-entropy",
        basis=Basis.DERIVED,
    )
