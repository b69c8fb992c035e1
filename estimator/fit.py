"""Estimate + cards → verdicts: what a card leaves usable, and whether the peak goes in.

A class of cards is judged by its smallest common member; each member's verdict is kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from estimator.breakdown import Basis, Estimate
from estimator.card_total import context_bytes, total_bytes
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.gpu_rows import CardClass, CardUse, Gpu
from estimator.units import GIB, MIB


class Verdict(StrEnum):
    """Whether the range of the peak goes into what a card leaves usable."""

    FITS = "fits"  # the high end goes in
    TIGHT = "tight"  # the low end does, the high end does not
    NO = "no"


@dataclass(frozen=True, slots=True)
class Judged:
    """How a question's answer goes into all cards that it names, the fullest of them.

    `room_bytes`: what the high end of the range leaves there; negative where it is too much.
    """

    verdict: Verdict
    room_bytes: int


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What of a card's total is not there for the run: `key` says what, `basis` how it is known."""

    key: str
    bytes: int
    basis: Basis
    source: str


@dataclass(frozen=True, slots=True)
class Member:
    """A common card of a class, judged by itself."""

    verdict: Verdict
    usable_bytes: int


@dataclass(frozen=True, slots=True)
class CardFit:
    """One kind of card: `needed_bytes` and `usable_bytes` are per card.

    `high_bytes`: the high end of what is needed. `held_back`: what lies between the total and
    what is usable. `members`: the common cards of a class by their names; none of a card.
    """

    id: str
    name: str
    count: int
    verdict: Verdict
    usable_bytes: int
    needed_bytes: int
    total_bytes: int
    asked: bool
    high_bytes: int
    held_back: tuple[HeldBack, ...] = ()
    members: Mapping[str, Member] = field(default_factory=dict)

    @property
    def room_bytes(self) -> int:
        """What the high end of the range leaves; negative where it does not go in."""
        return self.usable_bytes - self.high_bytes

    @property
    def gap_bytes(self) -> int:
        """How much is missing; negative where there is room."""
        return self.needed_bytes - self.usable_bytes


def held_back(gpu: Gpu, use: CardUse, in_use_bytes: int = 0) -> tuple[HeldBack, ...]:
    """The context a program opens on the card, a margin, and what others are said to hold.

    The context is the card's own where it was measured, else the largest measured. Of memory
    that is the system's as well, others first take what no GPU may use anyway.
    """
    (measured, *_) = use.sources
    context = HeldBack(
        key="cuda_context",
        bytes=context_bytes(gpu, use),
        basis=Basis.ASSUMED if gpu.context_mib is None else Basis.MEASURED,
        source=measured,
    )
    margin = HeldBack("margin", use.margin_mib * MIB, Basis.ASSUMED, "defaults")
    beside = gpu.memory_gb * GIB - total_bytes(gpu, use) if gpu.unified else 0
    taken = max(0, in_use_bytes - max(0, beside))
    others = HeldBack("in_use", taken, Basis.MEASURED, "in-use-given")
    return (context, margin, others) if taken else (context, margin)


def usable_bytes(gpu: Gpu, use: CardUse, in_use_bytes: int = 0) -> int:
    """The total less what is held back."""
    held = sum(part.bytes for part in held_back(gpu, use, in_use_bytes))
    return max(0, total_bytes(gpu, use) - held)


def verdict(low_bytes: int, high_bytes: int, usable: int) -> Verdict:
    """The verdict of one card on a range of bytes."""
    if high_bytes <= usable:
        return Verdict.FITS
    return Verdict.TIGHT if low_bytes <= usable else Verdict.NO


def fit(
    estimate: Estimate,
    asked: tuple[Cards, ...],
    catalog: Catalog,
    *,
    world: int = 1,
    elsewhere: Estimate | None = None,
    in_use_bytes: int = 0,
) -> tuple[CardFit, ...]:
    """The cards that were asked for, then every class that is listed, smallest first.

    The estimate is of one card of `world`, and so are the verdicts. `elsewhere`: of cards
    that were not asked for, where that is another one. `in_use_bytes`: held of each by others.
    """
    found = _fits(estimate, asked, catalog, world, elsewhere or estimate, in_use_bytes=in_use_bytes)
    return tuple(found)


def judge(
    estimate: Estimate, asked: tuple[Cards, ...], catalog: Catalog, in_use_bytes: int = 0
) -> Judged:
    """The worst of the cards that were asked for, and the room on the fullest."""
    found = list(fit_asked(estimate, asked, catalog, in_use_bytes))
    verdicts = {card.verdict for card in found}
    worst = next((v for v in (Verdict.NO, Verdict.TIGHT) if v in verdicts), Verdict.FITS)
    return Judged(worst, min((card.room_bytes for card in found), default=0))


def _fits(
    estimate: Estimate,
    asked: tuple[Cards, ...],
    catalog: Catalog,
    world: int,
    elsewhere: Estimate,
    *,
    in_use_bytes: int,
) -> Iterator[CardFit]:
    yield from fit_asked(estimate, asked, catalog, in_use_bytes)
    if any(isinstance(entry.card, Gpu) and entry.card.unified for entry in asked):
        in_use_bytes = 0  # what programs hold of a Mac is no card's
    named = {entry.card.id for entry in asked}
    for card_class in catalog.classes.rows:
        if card_class.listed and card_class.id not in named:
            yield _class(elsewhere, card_class, world, catalog, in_use_bytes, asked=False)


def fit_asked(
    estimate: Estimate, asked: tuple[Cards, ...], catalog: Catalog, in_use_bytes: int = 0
) -> Iterator[CardFit]:
    """The cards that were asked for alone."""
    for entry, own in zip(asked, _held_by(estimate, asked), strict=True):
        if isinstance(entry.card, Gpu):
            yield _card(own, entry.card, entry.count, catalog, in_use_bytes)
        else:
            yield _class(own, entry.card, entry.count, catalog, in_use_bytes, asked=True)


def _held_by(estimate: Estimate, asked: tuple[Cards, ...]) -> Iterator[Estimate]:
    """Of each kind of card the fullest one's estimate: shares lie on cards in their order.

    Cards beyond those of one copy of a model hold another.
    """
    places = [share.estimate for share in estimate.shares for _ in range(share.cards)]
    first = 0
    for entry in asked:
        span = range(first, first + min(entry.count, len(places)))
        own = [places[number % len(places)] for number in span]
        yield max(own, key=lambda one: one.high_bytes, default=estimate)
        first += entry.count


def _card(estimate: Estimate, gpu: Gpu, count: int, catalog: Catalog, in_use_bytes: int) -> CardFit:
    usable = usable_bytes(gpu, catalog.card_use, in_use_bytes)
    return CardFit(
        id=gpu.id,
        name=gpu.name,
        count=count,
        verdict=verdict(estimate.low_bytes, estimate.high_bytes, usable),
        usable_bytes=usable,
        needed_bytes=estimate.peak.bytes,
        total_bytes=total_bytes(gpu, catalog.card_use),
        asked=True,
        high_bytes=estimate.high_bytes,
        held_back=held_back(gpu, catalog.card_use, in_use_bytes),
    )


def _class(
    estimate: Estimate,
    card_class: CardClass,
    count: int,
    catalog: Catalog,
    in_use_bytes: int,
    *,
    asked: bool,
) -> CardFit:
    low, high = estimate.low_bytes, estimate.high_bytes
    room = _room(card_class, catalog, in_use_bytes)
    return CardFit(
        id=card_class.id,
        name=card_class.name,
        count=count,
        verdict=verdict(low, high, room.smallest),
        usable_bytes=room.smallest,
        needed_bytes=estimate.peak.bytes,
        total_bytes=room.total_bytes,
        asked=asked,
        high_bytes=high,
        held_back=room.held_back,
        members={name: Member(verdict(low, high, one), one) for name, one in room.of.items()},
    )


@dataclass(frozen=True, slots=True)
class _Room:
    """Bytes that the cards of a class leave, by their names; `smallest`: of the tightest of them.

    `total_bytes`: the least that a program sees. `held_back`: of the tightest.
    """

    of: Mapping[str, int]
    smallest: int
    total_bytes: int
    held_back: tuple[HeldBack, ...]


def _room(card_class: CardClass, catalog: Catalog, in_use_bytes: int) -> _Room:
    """Worked out once for each class where nothing else is in use, as nearly always."""
    if in_use_bytes:
        return _worked_out(card_class, catalog, in_use_bytes)
    if card_class.id not in catalog.class_rooms:
        catalog.class_rooms[card_class.id] = _worked_out(card_class, catalog, 0)
    room: _Room = catalog.class_rooms[card_class.id]
    return room


def _worked_out(card_class: CardClass, catalog: Catalog, in_use_bytes: int) -> _Room:
    use, cards = catalog.card_use, catalog.class_members(card_class)
    rooms = {gpu.name: usable_bytes(gpu, use, in_use_bytes) for gpu in cards}
    tightest = min(cards, key=lambda gpu: rooms[gpu.name])
    total = min(total_bytes(gpu, use) for gpu in cards)
    return _Room(rooms, rooms[tightest.name], total, held_back(tightest, use, in_use_bytes))
