"""What DeepSpeed's ZeRO holds in a step beside its shards."""

from collections.abc import Sequence
from typing import NamedTuple

from estimator.breakdown import Line
from estimator.memory.zero import reduce_bucket, step_gradients
from estimator.setup import TrainSetup
from estimator.tensors import Tensor
from estimator.words import Offload, Strategy

STAGES = (Strategy.ZERO1, Strategy.ZERO2, Strategy.ZERO3)


class ZeroLines(NamedTuple):
    """`resident`: there all the time; `backward`: while gradients are made; `step`: in the step."""

    resident: Line | None = None
    backward: Line | None = None
    step: Line | None = None


def zero_lines(setup: TrainSetup, trained: Sequence[Tensor]) -> ZeroLines:
    """The reduce bucket, which stage 3 never lets go, and what the step casts to fp32."""
    if setup.strategy not in STAGES or setup.world == 1:
        return ZeroLines()
    third = setup.strategy is Strategy.ZERO3
    bucket = reduce_bucket(
        setup.shape.architecture.hidden, setup.grads.bytes_per_block, automatic=third
    )
    on_host = setup.offload in (Offload.OPTIMIZER, Offload.BOTH)
    narrow = setup.grads.bytes_per_block < setup.fp32.bytes_per_block
    step = None
    if setup.master is not None and narrow and not on_host and setup.main_grads is None:
        parameters = sum(tensor.parameters for tensor in trained)
        step = step_gradients(parameters, setup.world, setup.fp32.bytes_per_block)
    if third:
        return ZeroLines(resident=bucket, step=step)
    return ZeroLines(backward=bucket, step=step)
