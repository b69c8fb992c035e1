"""An answer with what a press can change of it: values that the estimator takes, and no others.

Each is tried on the fields of the request, which costs a tenth of a millisecond; nothing is
estimated for it. A press then goes through the same reading as words below an answer do.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from bot.ask import Desk
from bot.presses.candidates import Candidate, cards
from bot.presses.of_serving import of_how as serving_how
from bot.presses.of_serving import of_size as serving_size
from bot.presses.of_training import of_how as training_how
from bot.presses.of_training import of_size as training_size
from bot.presses.panel import Offers, Option
from bot.presses.remedies import remedies
from bot.reading.facts import Fact, NotUnderstoodError, Said
from bot.reading.follow_up import Reply
from bot.reading.overlaid import kept_of
from bot.reading.write import unsaid
from bot.replies import Answered, Replied
from bot.surface.limits import MOST_OPTIONS
from estimator import EstimatorError, GpuCount, TrainSetup, can_answer, parse_request

log = logging.getLogger(__name__)

UNREADABLE = Offers(readable=False)
GOES_ALONG = {"weights": ("engine", "engine_version", "kv", "kv_k", "kv_v")}


def offered(desk: Desk, found: Answered) -> Answered:
    """The same, with what can be changed. `desk`: the one that gave it: it knows the model."""
    if not isinstance(found, Replied):
        return found
    try:
        offers = Offering(desk, found).offers() if _is_readable(desk, found) else UNREADABLE
    except Exception:  # an answer goes out all the same
        log.exception("what can be changed of an answer could not be found")
        return found
    return replace(found, offers=offers)


def _is_readable(desk: Desk, found: Replied) -> bool:
    """Whether the line can be read again, and says all that was asked."""
    try:
        desk.reader.read(found.presentation.line)
    except NotUnderstoodError as error:
        return bool(error.strange)  # the Hub knows it
    return not unsaid(found.fields)


@dataclass(frozen=True, slots=True)
class Offering:
    """The changes of one answer."""

    desk: Desk
    found: Replied

    def offers(self) -> Offers:
        """Both lists, each as long as Discord lets it be, and what makes it fit."""
        setup = self.found.answer.setup
        names = {**self.desk.locale.reply.ways, **self.desk.locale.press.values}
        if isinstance(setup, TrainSetup):
            how, size = training_how(setup, names), training_size(setup, names)
        else:
            how, size = serving_how(setup, names), serving_size(setup)
        return Offers(
            how=self._options(how),
            size=self._options([*size, *cards(self.found.answer, self.desk.catalog)]),
            fit=remedies(self.desk, self.found),
        )

    def _options(self, candidates: Iterable[Candidate]) -> tuple[Option, ...]:
        kept: dict[str, Option] = {}
        for one in candidates:
            if one.present or self._is_accepted(one):
                kept.setdefault(one.words, self._option(one))
        return _as_many_as_go_in([*kept.values()])

    def _option(self, one: Candidate) -> Option:
        words = self.desk.locale.press
        value = words.values.get(one.shown, one.shown)
        said = [words.now if one.present else "", words.grades.get(one.grade, ""), one.examples]
        return Option(
            label=words.fields[one.name].format(value=value),
            value=one.words,
            detail=", ".join(part for part in said if part),
            present=one.present,
        )

    def _is_accepted(self, one: Candidate) -> bool:
        kept = kept_of(self.found.fields, _as_said(one))
        loosened = {n: v for n, v in kept.items() if n not in GOES_ALONG.get(one.name, ())}
        return any(self._answers({**fields, **one.fields}) for fields in (kept, loosened))

    def _answers(self, fields: Mapping[str, Any]) -> bool:
        with suppress(EstimatorError):
            return can_answer(parse_request(fields), self.desk.catalog)
        return False


def _as_many_as_go_in(options: list[Option]) -> tuple[Option, ...]:
    """The first of them; what holds now is never left out."""
    while len(options) > MOST_OPTIONS:
        del options[max(n for n, one in enumerate(options) if not one.present)]
    return tuple(options)


def _as_said(one: Candidate) -> Reply:
    """The candidate as the words of a reply say it."""
    facts = [Fact(name, value, one.words) for name, value in _facts(one.fields)]
    return Reply(one.words, Said(facts), None, (), strange=False, is_whole=False, thanks=False)


def _facts(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if name == "gpus":
            yield from (("gpus", GpuCount(**card)) for card in value)
        else:
            yield name, value
