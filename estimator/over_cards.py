"""A training step over its cards: the fullest of them, and what exchanging takes on each."""

from dataclasses import replace

from estimator.breakdown import Estimate, Line, Moment, MomentName, Parameters, bounds, widest
from estimator.memory.communicators import communicators
from estimator.placing import placed, stages
from estimator.setup import TrainSetup
from estimator.trained import all_of, groups
from estimator.training import estimate_training


def estimate_over_cards(setup: TrainSetup) -> Estimate:
    """The moments of the fullest card; parameters are counted over the whole model."""
    exchanging = communicators(setup.plan.groups)
    every = [_of_card(one, exchanging) for one in placed(setup)]
    found = max(every, key=lambda one: one.peak.bytes)
    parameters = _of_model(setup) if setup.plan.divides else found.parameters
    return replace(widest(found, every), parameters=parameters)


def _of_card(setup: TrainSetup, exchanging: Line | None) -> Estimate:
    """What one card holds, with what exchanging takes once the model is loaded."""
    found = replace(estimate_training(setup), stage=setup.plan.stage)
    if exchanging is None:
        return found
    moments = tuple(
        one if one.name is MomentName.LOAD else Moment(one.name, (*one.lines, exchanging))
        for one in found.moments
    )
    low, high = bounds(moments)
    return replace(found, moments=moments, low_bytes=low, high_bytes=high)


def _of_model(setup: TrainSetup) -> Parameters:
    """Counts of the model that is divided."""
    architecture = setup.shape.architecture
    trained = sum(t.parameters for t in all_of(groups(setup)))
    added = trained if setup.adapter else 0
    return Parameters(
        total=architecture.parameters + added,
        active=architecture.active_parameters + added,
        trainable=trained,
    )


def place_of(setup: TrainSetup, found: Estimate) -> str | None:
    """Which stage of a pipeline the fullest card has, in words; none where there is one alone."""
    if found.stage is None or setup.plan.pp == 1:
        return None
    before = stages(setup.shape.architecture, setup.plan.pp)
    first = sum(len(blocks) for blocks in before[: found.stage - 1]) + 1
    last = first + len(before[found.stage - 1]) - 1
    held = f"block {first}" if first == last else f"blocks {first} to {last}"
    waiting = min(setup.accumulation, setup.plan.pp - found.stage + 1)
    if found.stage == setup.plan.pp:
        held = f"{held} and the head"
    elif found.stage == 1:
        held = f"{held} and the embedding"
    batches = "one micro-batch waits at a time"
    if waiting > 1:
        batches = f"{waiting} of a step's {setup.accumulation} micro-batches wait at once"
    return (
        f"The fullest card is of stage {found.stage} of {setup.plan.pp}, with {held}: there "
        f"{batches}."
    )
