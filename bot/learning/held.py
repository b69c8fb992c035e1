"""What a step of the walk shows as held: the lines of an answer that it is about."""

from dataclasses import dataclass

from bot.learning.asking import fields_of
from bot.learning.place import Place
from bot.learning.steps import Step
from estimator import Answer, Book, Catalog, Line, Moment, answer, bounds, parse_request

WEIGHTS = "weights"  # the key of the line that the rule of thumb counts


@dataclass(frozen=True, slots=True)
class Held:
    """The answer to a place, the moment that is shown of it, and the range of that."""

    answer: Answer
    moment: Moment
    low_bytes: int
    high_bytes: int

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.moment.lines

    @property
    def bytes(self) -> int:
        return self.moment.bytes


def held_at(place: Place, catalog: Catalog) -> Held:
    """Weights alone at first; at the end what PyTorch allocates, as the run was measured."""
    found = answer(parse_request(dict(fields_of(place))), catalog)
    estimate = found.estimate
    match place.step:
        case Step.RULE:
            lines = tuple(line for line in estimate.peak.lines if line.key == WEIGHTS)
            alone = Moment(estimate.peak.name, lines)
            return Held(found, alone, alone.low_bytes, alone.high_bytes)
        case Step.REAL:
            moments = [one.within(Book.ALLOCATED) for one in estimate.moments]
            fullest = max(moments, key=lambda one: one.bytes)
            return Held(found, fullest, *bounds(moments))
        case _:
            return Held(found, estimate.peak, estimate.low_bytes, estimate.high_bytes)
