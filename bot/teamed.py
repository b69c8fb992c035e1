"""An answer with whether it fits the cards of a team.

It asks the estimator several times, so it is no part of an answer while a line is typed.
"""

from dataclasses import replace

from bot.ask import Answered, Desk
from bot.presenting.card_rows import is_by_processor
from bot.presenting.team import with_team, with_team_beside
from bot.replies import Replied, Weighed
from bot.team import Team
from estimator import Answer, Catalog, EstimatorError, GpuCount, OnOwnCards, on_own_cards


def teamed(desk: Desk, found: Answered) -> Answered:
    """The same with the verdict on the team's cards; as it is without a team.

    `desk`: the one that gave the answer, since it knows the model.
    """
    team = desk.team
    if team is None:
        return found
    match found:
        case Replied():
            judged = _judged(found.answer, team, desk.catalog)
            if judged is None:
                return found
            shown = with_team(found.presentation, judged, team, desk.locale)
            return replace(found, presentation=shown)
        case Weighed() if not _are_cards(found, desk.catalog):
            sides = {
                side.presentation.line: judged
                for side in found.sides
                if isinstance(side, Replied)
                and (judged := _judged(side.answer, team, desk.catalog)) is not None
                and len(judged.unknown) < len(team.cards)
            }
            weighed = with_team_beside(found.comparison, sides, team, desk.locale)
            return replace(found, comparison=weighed)
        case _:
            return found


def _judged(answer: Answer, team: Team, catalog: Catalog) -> OnOwnCards | None:
    """The verdict; none where the question names these very cards, or takes no card at all."""
    if is_by_processor(answer) or _asked(answer, catalog) == _own(team):
        return None
    cards = [GpuCount(id=card.id, count=card.count) for card in team.cards]
    try:
        return on_own_cards(answer.request, cards, catalog)
    except EstimatorError:
        return None


def _are_cards(found: Weighed, catalog: Catalog) -> bool:
    """Whether cards are what is compared: each side is of its own."""
    asked = [_asked(one.answer, catalog) for one in found.sides if isinstance(one, Replied)]
    return any(one != asked[0] for one in asked[1:])


def _asked(answer: Answer, catalog: Catalog) -> dict[str, int]:
    """The cards of the question, by the catalogue's ids."""
    asked: dict[str, int] = {}
    for one in answer.request.gpus:
        row = catalog.gpus.get(one.id) or catalog.classes.get(one.id)
        id_ = one.id if row is None else row.id
        asked[id_] = asked.get(id_, 0) + one.count
    return asked


def _own(team: Team) -> dict[str, int]:
    return {card.id: card.count for card in team.cards}
