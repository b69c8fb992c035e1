"""An answer with its plan: what would do it, where the cards that were asked about may not.

It asks the estimator dozens of times, so it is no part of an answer while a line is typed.
"""

from dataclasses import replace
from typing import TypeGuard

from bot.ask import Answered, Desk
from bot.config import Settings
from bot.presenting.planning import with_plan, worth_planning
from bot.presenting.prices import Prices
from bot.replies import Replied
from estimator import plans


def prices_of(settings: Settings) -> Prices | None:
    """The operator's prices; none where there are none."""
    said = settings.prices
    return Prices(said.currency, said.per_hour) if said.per_hour else None


def wants_plan(found: Answered) -> TypeGuard[Replied]:
    """Whether a plan has something to add."""
    return isinstance(found, Replied) and worth_planning(found.answer)


def planned(desk: Desk, found: Answered) -> Answered:
    """The same with the fewest cards that do it; as it is where that says nothing new.

    `desk`: the one that gave the answer, since it knows the model.
    """
    if not wants_plan(found):
        return found
    plan = plans(found.answer.request, desk.catalog)
    shown = with_plan(
        found.presentation, plan, found.answer, prices=desk.prices(), locale=desk.locale
    )
    return replace(found, presentation=shown, plans=plan)
