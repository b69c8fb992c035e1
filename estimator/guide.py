"""Where the plan differs from the GPU guide's, and what the guide leaves out.

The guide counts weights, gradients and Adam's states, 12 bytes a parameter, and some of its
own cards have less than that; see `estimator.rules`, which quotes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from estimator.plan import Plan
from estimator.refusals_of_adapters import LORA
from estimator.rules import GUIDE_ADAPTED, GUIDE_PARTS, near
from estimator.setup import TrainSetup
from estimator.units import BILLION, GB
from estimator.words import Method

CARD = "class-80gb"  # that the guide counts in
CARD_GB = 80
CARDS = {7: (1, 2), 13: (2,), 34: (4,), 70: (8,)}  # of full training, by billions
ADAPTED_GB = 48  # the largest card that it gives adapters of its small models
QLORA_70B = 70


class Why(StrEnum):
    """What the guide has otherwise."""

    SUM = "sum"  # its own sum is more than its cards have
    MASTER = "master"  # no fp32 master, and nothing but weights and states
    DIVIDED = "divided"  # its sum is divided evenly over the cards
    ADAPTERS = "adapters"  # nothing but weights


@dataclass(frozen=True, slots=True)
class Difference:
    """The guide's cards, `said` of `card_gb` each, and the plan's of the same; none: no number.

    `sum_bytes`: the guide's own sum, of full training.
    """

    card_gb: int
    said: int
    planned: int | None
    why: Why
    sum_bytes: int | None


def difference(setup: TrainSetup, found: Sequence[Plan]) -> Difference | None:
    """Where the guide names other cards than the plan for what is trained; none else."""
    parameters = setup.shape.typed or setup.shape.architecture.parameters
    size = Fraction(parameters, BILLION)
    if setup.goal.companions or setup.goal.rollout is not None:
        return None  # it knows of no other models
    if setup.method is Method.FULL:
        return _of_full(size, parameters, setup, found)
    return _of_adapters(size, setup.method, found) if setup.method in LORA else None


def _of_full(
    size: Fraction, parameters: int, setup: TrainSetup, found: Sequence[Plan]
) -> Difference | None:
    said = next((cards for number, cards in CARDS.items() if near(size, number)), None)
    planned = _cards_of(found)
    if said is None or planned in said:
        return None
    whole = parameters * sum(GUIDE_PARTS.values())
    why = Why.MASTER if setup.master is not None else Why.DIVIDED
    if whole > max(said) * CARD_GB * GB:
        why = Why.SUM
    return Difference(CARD_GB, max(said), planned, why, whole)


def _of_adapters(size: Fraction, method: Method, found: Sequence[Plan]) -> Difference | None:
    first, last = GUIDE_ADAPTED
    if method is Method.QLORA and near(size, QLORA_70B):
        planned = _cards_of(found)
        return None if planned == 1 else Difference(CARD_GB, 1, planned, Why.ADAPTERS, None)
    if not (near(size, first) or near(size, last) or first < size < last):
        return None
    singles = [plan for plan in found if plan.count == 1]
    if any(plan.usable_bytes <= ADAPTED_GB * GB for plan in singles):
        return None
    of_size = next((plan.count for plan in found if plan.card == f"class-{ADAPTED_GB}gb"), None)
    return Difference(ADAPTED_GB, 1, of_size, Why.ADAPTERS, None)


def _cards_of(found: Sequence[Plan]) -> int | None:
    return next((plan.count for plan in found if plan.card == CARD), None)
