"""Advice as presses: each way in the words that ask for it."""

from collections.abc import Iterator

from bot.ask import Desk
from bot.presenting.advised import way_in_short
from bot.presenting.spoken import spoken
from bot.presses.panel import Option
from bot.reading.changing import Changing
from bot.reading.facts import NotUnderstoodError
from bot.reading.write import write_line
from bot.replies import Replied
from bot.surface.limits import MOST_LABEL, MOST_OPTION
from estimator import Advice, Way


def remedies(desk: Desk, found: Replied) -> tuple[Option, ...]:
    """What makes it fit the cards that were named; only where it does not fit them."""
    if found.advice is None or not found.advice.asked:
        return ()
    return tuple(_options(desk, found, found.advice))


def _options(desk: Desk, found: Replied, advice: Advice) -> Iterator[Option]:
    for way in advice.ways:
        words = write_line({name: value for name, value in way.fields.items() if value is not None})
        if len(words) <= MOST_OPTION and _asks_for(desk, found, way, words):
            changes, saved = way_in_short(way, desk.locale)
            whole = (
                f"{changes}; {saved}" if len(spoken(changes, desk.locale)) > MOST_LABEL else saved
            )
            yield Option(label=changes, value=words, detail=whole)


def _asks_for(desk: Desk, found: Replied, way: Way, words: str) -> bool:
    """Whether the words below the answer ask for just that."""
    changing = Changing(desk.reader, desk.catalog, desk.locale)
    try:
        reading = changing.changed([found.presentation.line], words)
    except NotUnderstoodError:
        return False
    return reading.request == way.request
