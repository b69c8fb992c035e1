"""Setup → Estimate, and what a bare size leaves open."""

from collections.abc import Iterable
from dataclasses import replace

from estimator.breakdown import Estimate
from estimator.over_cards import estimate_over_cards
from estimator.serving import estimate_serving
from estimator.setup import Setup, TrainSetup


def estimate(setup: Setup) -> Estimate:
    """The moments of one card, the fullest; pure arithmetic on looked-up values."""
    if isinstance(setup, TrainSetup):
        return estimate_over_cards(setup)
    return estimate_serving(setup)


def spanning(middle: Estimate, others: Iterable[Estimate]) -> Estimate:
    """`middle` with a range that also holds the other shapes a bare size stands for."""
    every = (middle, *others)
    return replace(
        middle,
        low_bytes=min(other.low_bytes for other in every),
        high_bytes=max(other.high_bytes for other in every),
    )
