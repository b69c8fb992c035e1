"""The moments of serving: load, the prefill of a prompt, decoding.

What the work needs, not what an engine reserves: vLLM takes a share of the card
whatever the model, which the answer says apart.
"""

from collections.abc import Hashable
from dataclasses import replace

from estimator.breakdown import Estimate, Parameters, Share, bounds, widest
from estimator.engines import moments_of
from estimator.ranks import Rank, content, ranks_of
from estimator.setup import ServeSetup


def estimate_serving(setup: ServeSetup) -> Estimate:
    """What one card holds, the fullest, at each moment; the engine says which lines.

    `shares`: what each holds, where cards have unlike parts.
    """
    ranks = ranks_of(setup)
    known: dict[Hashable, Estimate] = {}
    for rank in ranks:
        if content(rank) not in known:
            known[content(rank)] = _of_rank(setup, rank)
    found = [known[content(rank)] for rank in ranks]
    fullest = max(found, key=lambda one: one.peak.bytes)
    if len(found) == 1:
        return fullest
    shares = [_share(rank, one) for rank, one in zip(ranks, found, strict=True)]
    return replace(widest(fullest, found), shares=tuple(shares))


def _of_rank(setup: ServeSetup, rank: Rank) -> Estimate:
    whole, moments = setup.shape.architecture, moments_of(rank.setup)
    low, high = bounds(moments)
    return Estimate(
        moments=moments,
        resting=None,
        parameters=Parameters(total=whole.parameters, active=whole.active_parameters, trainable=0),
        low_bytes=low,
        high_bytes=high,
    )


def _share(rank: Rank, found: Estimate) -> Share:
    part = rank.setup.here
    if part is None:
        raise ValueError("a card of several holds a part of the model")
    return Share(rank.first, rank.count, part.first, part.blocks, part.head, found)
