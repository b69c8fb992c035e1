"""What an offloaded training step asks of the host: what a card would hold between steps."""

from dataclasses import replace

from estimator.over_cards import estimate_over_cards
from estimator.setup import TrainSetup
from estimator.units import show_gib
from estimator.words import Offload

OF_WEIGHTS = (Offload.PARAMS, Offload.OPTIMIZER, Offload.BOTH)


def offloaded_bytes(setup: TrainSetup) -> int:
    """Host memory for each card: weights, masters and states that are not on it.

    Left out: buffers on the way, and fp32 gradients that an optimizer on the host reads.
    """
    if setup.offload not in OF_WEIGHTS:
        return 0
    whole = estimate_over_cards(replace(setup, offload=Offload.NONE)).resting
    left = estimate_over_cards(setup).resting
    if whole is None or left is None:
        return 0
    return max(0, whole.before_step - left.before_step)


def host_memory(setup: TrainSetup) -> str | None:
    """The sentence of it; none where nothing is offloaded."""
    each = offloaded_bytes(setup)
    if not each:
        return None
    told = f"Offloaded: at least {show_gib(each)} of the host's memory"
    if setup.world == 1:
        return f"{told}; how much it has was not said."
    return (
        f"{told} for each card, {show_gib(each * setup.world)} for all {setup.world:,} together; "
        "how much the hosts have was not said."
    )
