"""What DeepSpeed's ZeRO allocates beside shards: its bucket, and fp32 gradients for the step."""

from estimator.breakdown import Basis, Line
from estimator.units import MILLION

BUCKET = 500 * MILLION  # elements; DeepSpeed's own `reduce_bucket_size`
SOURCE = "deepspeed-zero-config"


def reduce_bucket(hidden: int, element_bytes: int, *, automatic: bool) -> Line:
    """One buffer that gradients are copied into and reduced from.

    `automatic`: transformers makes an "auto" of it hidden × hidden, as its examples for stage
    3 have it; else DeepSpeed's own size, the high end. Twice as much where communication
    overlaps is left out.
    """
    small = hidden * hidden
    elements = small if automatic else BUCKET
    return Line(
        key="reduce_bucket",
        bytes=elements * element_bytes,
        formula="bucket_elements × gradient_bytes",
        terms={"bucket_elements": elements, "gradient_bytes": element_bytes},
        source=SOURCE,
        basis=Basis.ASSUMED,
        low_bytes=min(small, BUCKET) * element_bytes,
        high_bytes=max(elements, BUCKET) * element_bytes,
    )


def step_gradients(parameters: int, ways: int, fp32_bytes: int) -> Line:
    """This rank's gradients in fp32, made of 16-bit ones for the step on fp32 weights."""
    return Line(
        key="optimizer_temporaries",
        bytes=-(-parameters * fp32_bytes // ways),
        formula="ceil(trainable × fp32_bytes ÷ cards)",
        terms={"trainable": parameters, "fp32_bytes": fp32_bytes, "cards": ways},
        source="deepspeed-zero-estimate",
        basis=Basis.DERIVED,
    )
