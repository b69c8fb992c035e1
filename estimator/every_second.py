"""Checkpointing of every second block: the others keep all that backward reads.

The first block is left as it is and the second one checkpointed, as torchtitan counts them.
"""

from collections import Counter
from dataclasses import replace

from estimator.architecture import Architecture
from estimator.setup import TrainSetup
from estimator.words import Checkpointing


def plain_half(setup: TrainSetup) -> TrainSetup:
    """The step on those blocks alone that are not checkpointed."""
    shape, part = setup.shape, setup.part
    half = shape.architecture.with_layers(Counter(shape.architecture.order[::2]))
    return replace(
        setup,
        shape=replace(shape, architecture=half),
        part=None if part is None else replace(part, blocks=-(-part.blocks // 2)),
        checkpointing=Checkpointing.NONE,
    )


def checkpointed_half(architecture: Architecture) -> Architecture | None:
    """The model with those blocks alone that are checkpointed; none of a single block."""
    names = architecture.order[1::2]
    return architecture.with_layers(Counter(names)) if names else None
