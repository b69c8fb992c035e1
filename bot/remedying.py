"""An explanation with what would make the run fit, where it is known what ran.

It asks the estimator dozens of times, as advice on an answer does.
"""

from dataclasses import replace

from bot.advised import line_of
from bot.ask import Desk
from bot.presenting.remedies import with_remedies
from bot.replies import OomExplained
from estimator import advise_on

MOST_LINES = 3  # ways that are offered as lines


def remedied(desk: Desk, found: OomExplained) -> OomExplained:
    """The same with the smallest changes that fit; as it is where the estimate says that it fits.

    `desk`: the one that explained it, since it knows the model.
    """
    if found.run is None:
        return found
    advice = advise_on(found.run.answer, desk.catalog)
    if advice is None or not advice.asked:
        return found
    fields = found.run.fields
    lines = [line_of(desk, advice, way, fields) for way in advice.ways[:MOST_LINES]]
    offered = tuple(line for line in dict.fromkeys(lines) if line)
    shown = with_remedies(found.explanation, found.diagnosis, advice, offered, desk.locale)
    return replace(found, explanation=shown, run=replace(found.run, advice=advice))
