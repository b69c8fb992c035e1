"""What a stage of a pipeline holds for the stages beside it."""

from estimator.breakdown import Basis, Line


def stage_tensors(
    *, inputs: int, tokens: int, hidden: int, stream_bytes: int, gradients: int
) -> Line | None:
    """The residual stream at the stage's borders: `inputs` that came in, and wait for backward.

    `gradients`: those that are there at a time. A stage's output goes when it is sent.
    """
    if not inputs + gradients:
        return None
    return Line(
        key="stage_tensors",
        bytes=(inputs + gradients) * tokens * hidden * stream_bytes,
        formula="(inputs + gradients) × tokens × hidden × stream_bytes",
        terms={
            "inputs": inputs,
            "gradients": gradients,
            "tokens": tokens,
            "hidden": hidden,
            "stream_bytes": stream_bytes,
        },
        source="megatron-pipeline-2021",
        basis=Basis.DERIVED,
    )
