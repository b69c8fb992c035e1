"""Values that may be put in the place of what an answer has: sensible ones, accepted or not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.presenting.card_rows import examples_of
from bot.presenting.grades import grade
from bot.presenting.names import card_name, formats_named
from bot.reading.write import write_line
from estimator import Answer, CardFit, Catalog, TrainSetup, Verdict

COUNTS = (1, 2, 4, 8)
MOST_CARDS = 5  # classes of cards
BATCHES = tuple(2**n for n in range(11))
LENGTHS = tuple(2**n for n in range(9, 18))  # tokens
FROZEN = ("bf16", "fp16", "fp32", "int8", "nf4_dq", "nf4")  # weights beside adapters
TRAINED = ("fp16", "fp32")  # beside those in bf16
NUMBERS = 6  # offered of each kind, around the present one


@dataclass(frozen=True, slots=True)
class Candidate:
    """`fields` that would say it, `shown` as its value, and what is known of it beforehand."""

    name: str
    fields: Mapping[str, Any]
    shown: str
    present: bool = False
    grade: str = ""
    examples: str = ""

    @property
    def words(self) -> str:
        """What a person would type to get it."""
        return write_line(self.fields)


def named(
    name: str, values: Iterable[str], present: str, names: Mapping[str, str]
) -> Iterator[Candidate]:
    """Values of a closed set, and the present one if it is none of them."""
    for value in dict.fromkeys([*values, present]):
        shown = names.get(value, formats_named(value))
        yield Candidate(name, {name: value}, shown, present=value == present)


def numbers(
    name: str, ladder: Sequence[int], present: int, *, most: int | None = None
) -> Iterator[Candidate]:
    """A few numbers on both sides of the present one, none of them beyond `most`."""
    steps = sorted({*(n for n in ladder if most is None or n <= most), present})
    place = steps.index(present)
    first = max(0, min(place - NUMBERS // 2, len(steps) - NUMBERS))
    for value in steps[first : first + NUMBERS]:
        yield Candidate(name, {name: value}, f"{value:,}", present=value == present)


def cards(found: Answer, catalog: Catalog) -> Iterator[Candidate]:
    """Other numbers of the card that was named, and classes around where it begins to fit."""
    named_cards = [(one.id, one.count) for one in found.request.gpus]
    count = sum(count for _, count in named_cards) or 1
    asked = next((card for card in found.cards if card.asked), None)
    if len(named_cards) == 1 and asked is not None:
        (own, now), *_ = named_cards
        for number in sorted({*COUNTS, now}):
            same = asked if number == now else None
            yield _card(own, number, asked.name, same, catalog, present=number == now)
    for card in _classes(found.cards):
        if [(card.id, count)] != named_cards:
            yield _card(card.id, count, card.name, card, catalog)


def _classes(found: Sequence[CardFit]) -> Sequence[CardFit]:
    """Those around the smallest that holds it."""
    classes = [card for card in found if not card.asked]
    holding = (n for n, card in enumerate(classes) if card.verdict is Verdict.FITS)
    turn = next(holding, len(classes))
    first = max(0, min(turn - 2, len(classes) - MOST_CARDS))
    return classes[first : first + MOST_CARDS]


def _card(
    name: str, count: int, shown: str, fit: CardFit | None, catalog: Catalog, *,
    present: bool = False,
) -> Candidate:  # fmt: skip
    many = f"{count}× " if count > 1 else ""
    return Candidate(
        "gpus",
        {"gpus": [{"id": name, "count": count}]},
        f"{many}{card_name(shown)}",
        present,
        "" if fit is None else grade(fit),
        "" if fit is None else examples_of(fit, catalog),
    )


def precisions(setup: TrainSetup) -> Iterator[Candidate]:
    """What weights are held in while they are trained, or while adapters are."""
    weights = setup.numbers.format.id
    master = setup.master is not None
    formats: tuple[str, ...] = FROZEN
    if setup.adapter is None:
        for name, kept in (("bf16_master", "fp32"), ("bf16_pure", "none")):
            holds = weights == "bf16" and master is (kept == "fp32")
            yield _held(name, {"weights": "bf16", "master": kept}, present=holds)
        formats = TRAINED
    beside = () if setup.adapter is None and weights == "bf16" else (weights,)
    for one in dict.fromkeys((*formats, *beside)):
        yield _held(one, {"weights": one}, present=one == weights)


def _held(shown: str, fields: Mapping[str, Any], *, present: bool) -> Candidate:
    return Candidate("precision", fields, shown, present)
