"""Whether cards that somebody has hold it: the fewest of them that do, asked of the estimate.

First a number of one kind, shared as a plan would share it; then all kinds together. Where none
does with room to spare, those that are tight; where none does at all, what misses least.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from estimator.answering import answer
from estimator.breakdown import Estimate
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.fit import CardFit, Verdict, verdict
from estimator.gpu_rows import CardClass, Gpu
from estimator.plan_judging import Judge
from estimator.plan_ways import counts_of, over, ways_of
from estimator.request import GpuCount, Request
from estimator.setup import Setup
from estimator.words import Strategy


@dataclass(frozen=True, slots=True)
class OwnFit:
    """`fit.count` of the `own` cards of a kind, sharing the work by `strategy`."""

    fit: CardFit
    own: int
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class OnOwnCards:
    """`held`: each of these holds it alone, all in the same number and with the same verdict.

    `together`: instead, all cards of all kinds do; of unequal ones the fullest is told. Where
    nothing does, `nearest` is what misses least; none where it runs on none of them.
    `unknown`: ids that no table has any more.
    """

    held: tuple[OwnFit, ...]
    together: OwnFit | None
    nearest: OwnFit | None
    unknown: tuple[str, ...]

    @property
    def best(self) -> OwnFit | None:
        """One that decides: the others of `held` are judged alike."""
        return self.held[0] if self.held else self.together or self.nearest


def on_own_cards(request: Request, own: Sequence[GpuCount], catalog: Catalog) -> OnOwnCards:
    """The fewest of `own` that do what was asked, on whatever cards that was asked for."""
    request = request.model_copy(update={"find": None})
    known = [cards for cards in (_cards(one, catalog) for one in own) if cards is not None]
    unknown = tuple(one.id for one in own if _cards(one, catalog) is None)
    judge = Judge(request, catalog)
    known = [cards for cards in known if any(True for _ in _tried(judge, cards))]
    for tight in (False, True):
        held = _alone(judge, known, tight=tight)
        if held:
            return OnOwnCards(held, None, None, unknown)
        together = _together(request, known, catalog, tight=tight)
        if together is not None:
            return OnOwnCards((), together, None, unknown)
    return OnOwnCards((), None, _nearest(judge, known), unknown)


def _cards(one: GpuCount, catalog: Catalog) -> Cards | None:
    row: Gpu | CardClass | None = catalog.gpus.get(one.id) or catalog.classes.get(one.id)
    return None if row is None else Cards(row, one.count)


def _counts(judge: Judge, cards: Cards) -> list[int]:
    """The numbers of a kind that are asked about: what a plan would take, and all there are."""
    return sorted({*counts_of(cards.count, dealt=judge.dealt), cards.count})


def _alone(judge: Judge, known: Sequence[Cards], *, tight: bool) -> tuple[OwnFit, ...]:
    """The kinds of which the fewest cards do, the smallest first."""
    order = sorted(known, key=lambda cards: judge.room(cards.card))
    asked = {cards.card.id: _counts(judge, cards) for cards in order}
    for count in sorted({count for counts in asked.values() for count in counts}):
        found = []
        for cards in order:
            if count not in asked[cards.card.id]:
                continue
            held = judge.held(cards.card, count, ways_of(judge.request, count), tight=tight)
            if held is not None:
                found.append(_fit(judge, cards, count, held.setup, held.estimate))
        if found:
            return tuple(found)
    return ()


def _together(
    request: Request, known: Sequence[Cards], catalog: Catalog, *, tight: bool
) -> OwnFit | None:
    """All cards of all kinds, as far as the work can be shared among unequal ones."""
    if len(known) < 2:  # noqa: PLR2004  (kinds)
        return None
    total = sum(cards.count for cards in known)
    gpus = tuple(GpuCount(id=cards.card.id, count=cards.count) for cards in known)
    for way in ways_of(request, total):
        shared = over(request, gpus[0].id, 1, way).model_copy(update={"gpus": gpus})
        try:
            found = answer(shared, catalog)
        except EstimatorError:
            continue
        asked = [card for card in found.cards if card.asked]
        fullest = min(asked, key=lambda card: card.room_bytes)
        tightest = max(card.gap_bytes for card in asked)
        if fullest.verdict is Verdict.FITS or (tight and tightest <= 0):
            return OwnFit(fullest, total, found.setup.strategy)
    return None


def _nearest(judge: Judge, known: Sequence[Cards]) -> OwnFit | None:
    """What misses least; of one kind as of several."""
    found = (fit for cards in known for fit in _tried(judge, cards))
    return min(found, key=lambda one: one.fit.gap_bytes, default=None)


def _tried(judge: Judge, cards: Cards) -> Iterator[OwnFit]:
    for count in {1, cards.count}:
        for way in ways_of(judge.request, count):
            tried = judge.tried(cards.card, count, way)
            if tried is not None:
                yield _fit(judge, cards, count, *tried)


def _fit(judge: Judge, cards: Cards, count: int, setup: Setup, found: Estimate) -> OwnFit:
    usable = judge.room(cards.card)
    fit = CardFit(
        id=cards.card.id,
        name=cards.card.name,
        count=count,
        verdict=verdict(found.low_bytes, found.high_bytes, usable),
        usable_bytes=usable,
        needed_bytes=found.peak.bytes,
        total_bytes=usable,
        asked=True,
        high_bytes=found.high_bytes,
    )
    return OwnFit(fit, cards.count, setup.strategy)
