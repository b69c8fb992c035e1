"""Setup → Estimate, and what a bare size leaves open."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from estimator.breakdown import Estimate, Share
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
        shares=tuple(_spanning_shares(middle, every)),
    )


def _spanning_shares(middle: Estimate, every: Sequence[Estimate]) -> Iterator[Share]:
    """Each card's share, with the range of what it holds of the others."""
    alike = [other for other in every if len(other.shares) == len(middle.shares)]
    for number, share in enumerate(middle.shares):
        held = [other.shares[number].estimate for other in alike]
        estimate = replace(
            share.estimate,
            low_bytes=min(one.low_bytes for one in held),
            high_bytes=max(one.high_bytes for one in held),
        )
        yield replace(share, estimate=estimate)
