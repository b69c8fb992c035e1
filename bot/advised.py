"""An answer with advice: what would make it fit, and the line that asks for the first of it.

It asks the estimator dozens of times, so it is no part of an answer while a line is typed.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.ask import Answered, Desk
from bot.presenting.advised import with_advice
from bot.reading.facts import NotUnderstoodError
from bot.reading.write import write_line
from bot.replies import Replied
from estimator import Advice, Way, advise_on


def advised(desk: Desk, found: Answered) -> Answered:
    """The same with what would make it fit; as it is where it fits, or nothing can be changed.

    `desk`: the one that gave the answer, since it knows the model.
    """
    if not isinstance(found, Replied):
        return found
    advice = advise_on(found.answer, desk.catalog)
    if advice is None:
        return found
    line = line_of(desk, advice, advice.ways[0], found.fields) if advice.ways else ""
    shown = with_advice(found.presentation, advice, line, desk.locale)
    return replace(found, presentation=shown, advice=advice)


def line_of(desk: Desk, advice: Advice, way: Way, fields: Mapping[str, Any]) -> str:
    """A line that asks for one way; none where no line says all of it."""
    card = {"id": advice.card.id, "count": advice.card.count}
    cards = {} if advice.asked else {"gpus": [card]}
    try:
        again = desk.reader.read(write_line({**fields, **way.fields, **cards}))
    except NotUnderstoodError:
        return ""
    return again.line if again.request == way.request else ""
