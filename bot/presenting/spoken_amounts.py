"""Whether an amount of memory that a question speaks of is enough: `can it run in 8.75 GB`."""

from collections.abc import Iterator, Sequence

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from estimator import GIB, Answer, show_gib

_SIZE = compiled(r"\d+(?:\.\d+)?")


def amount_notes(answer: Answer, amounts: Sequence[str], locale: Locale) -> Iterator[str]:
    """A sentence for each; an amount is counted in GiB, as cards are."""
    estimate = answer.estimate
    for amount in amounts:
        found = _SIZE.search(amount)
        if found is None:
            continue
        there = round(float(found[0]) * GIB)
        key = "amount_short" if there < estimate.low_bytes else "amount_tight"
        key = "amount_enough" if there >= estimate.high_bytes else key
        yield locale.say(key, amount=echo(amount), needed=show_gib(estimate.peak.bytes))
