"""A training step over its cards: the fullest of them, and what exchanging takes on each."""

from dataclasses import replace

from estimator.breakdown import Estimate, Moment, MomentName, Parameters, bounds
from estimator.memory.communicators import communicators
from estimator.placing import placed
from estimator.setup import TrainSetup
from estimator.trained import all_of, groups
from estimator.training import estimate_training


def fullest_card(setup: TrainSetup) -> TrainSetup:
    """The step of the card that holds the most at its peak."""
    cards = placed(setup)
    if len(cards) == 1:
        return cards[0]
    return max(cards, key=lambda card: estimate_training(card).peak.bytes)


def estimate_over_cards(setup: TrainSetup) -> Estimate:
    """The moments of the fullest card; parameters are counted over the whole model."""
    found = max(map(estimate_training, placed(setup)), key=lambda one: one.peak.bytes)
    exchanging = communicators(setup.plan.groups)
    if exchanging is None:
        return found
    moments = tuple(
        one if one.name is MomentName.LOAD else Moment(one.name, (*one.lines, exchanging))
        for one in found.moments
    )
    low, high = bounds(moments)
    parameters = _of_model(setup) if setup.plan.divides else found.parameters
    return replace(found, moments=moments, parameters=parameters, low_bytes=low, high_bytes=high)


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
