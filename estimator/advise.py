"""What would make it fit: the smallest changes of a request, found by asking the estimate again.

First each change alone; where none is enough, two together, then three, and then as many as it
takes, of which none may be left out. Of equally many the cheapest come first: the dearest of
them decides, by the order of `PRICES`. Each goes only as far as it has to.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from estimator.answering import Answer, answer
from estimator.catalog import Catalog
from estimator.changes import Change, Price, Update
from estimator.changes_of_serving import changes_of_serving
from estimator.changes_of_training import changes_of_training
from estimator.combining import ways
from estimator.errors import EstimatorError
from estimator.fit import CardFit, Verdict
from estimator.host import host_lines
from estimator.request import GpuCount, Request, ServeRequest, TrainRequest
from estimator.setup import ServeSetup, TrainSetup
from estimator.trying import Combination, Judge, merged

COMMON = (  # sizes that many cards have: those to aim at where no card was named
    *("class-8gb", "class-12gb", "class-16gb", "class-24gb", "class-48gb", "class-80gb"),
    *("class-141gb", "class-180-192gb"),
)
NEXT = 2  # of these, so many below the smallest that holds it are tried
WORTH = 64  # of all that is tried together, what saves less than this part is not named


@dataclass(frozen=True, slots=True)
class Applied:
    """One change that is made: which, what it costs, and the fields that it sets."""

    key: str
    price: Price
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Way:
    """Changes that are made together, the cheapest first, and what comes of them.

    `fields` replace those of the request (none leaves one open), so that a later question can
    ask just that. `saved_bytes`: of the peak on a card, which is then `peak_bytes`. `engine`: the
    one that then serves, where another would have. `host_bytes`: of the host's memory, for all
    cards together, where a change moves something there.
    """

    steps: tuple[Applied, ...]
    fields: Mapping[str, Any]
    request: Request
    peak_bytes: int
    saved_bytes: int
    verdict: Verdict
    engine: str = ""
    host_bytes: int = 0

    def document(self) -> dict[str, Any]:
        """JSON values: the fields that change, what is saved, what is left."""
        return {
            "changes": [step.key for step in self.steps],
            "fields": dict(self.fields),
            "peak_bytes": self.peak_bytes,
            "saved_bytes": self.saved_bytes,
            "verdict": self.verdict,
            "host_bytes": self.host_bytes,
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """What makes a request fit `card`, the one that decides of those that were asked about.

    `asked`: it was named; else it is the next smaller size than what holds the request. Without
    `ways`, `closest` is all that can be done together, `missing_bytes` how much the high end
    of it is still too much, and `holder` the smallest size that holds that, if one does.
    """

    card: CardFit
    asked: bool
    peak_bytes: int
    ways: tuple[Way, ...]
    closest: Way | None = None
    missing_bytes: int = 0
    holder: CardFit | None = None

    def document(self) -> dict[str, Any]:
        """JSON values; `closest` is what all of it together comes to."""
        return {
            "card": self.card.id,
            "count": self.card.count,
            "asked": self.asked,
            "ways": [way.document() for way in self.ways],
            "closest": None if self.closest is None else self.closest.document(),
            "missing_bytes": self.missing_bytes,
            "holder": None if self.holder is None else self.holder.id,
        }


def advise(request: Request, catalog: Catalog) -> Advice | None:
    """The smallest changes that make `request` fit the cards that it names, or the next size.

    None where it fits, where no size is smaller, or where nothing can be changed. Raises
    EstimatorError for a request that has no answer.
    """
    return advise_on(answer(request, catalog), catalog)


def advise_on(found: Answer, catalog: Catalog) -> Advice | None:
    """The same of a request that was answered."""
    if found.solved is not None:
        return None  # the most that fits was asked for, and fits
    if any(card.asked for card in found.cards):
        return _advice(found, catalog, asked=True)
    for target in _smaller_sizes(found):
        named = (GpuCount(id=target.id, count=target.count),)
        with suppress(EstimatorError):  # an engine that does not run on the smallest card of it
            aimed = answer(found.request.model_copy(update={"gpus": named}), catalog)
            advice = _advice(aimed, catalog, asked=False)
            if advice is not None:
                return advice
    return None


def _smaller_sizes(found: Answer) -> Iterator[CardFit]:
    """Common sizes below the smallest that holds it, the largest first."""
    sizes = [card for card in found.cards if card.id in COMMON]
    first = next((n for n, card in enumerate(sizes) if card.verdict is Verdict.FITS), len(sizes))
    yield from reversed(sizes[max(0, first - NEXT) : first])


def _advice(found: Answer, catalog: Catalog, *, asked: bool) -> Advice | None:
    if _worst(found) is Verdict.FITS:
        return None
    judge = Judge(found.request, catalog)
    changes = list(judge.useful(_changes(found, catalog)))
    sets = ways(changes, judge)
    if not sets:
        return _nothing(changes, found, judge, catalog) if asked and changes else None
    return Advice(
        card=_deciding(found),
        asked=asked,
        peak_bytes=found.estimate.peak.bytes,
        ways=tuple(_way(judge.loosened(one), found, catalog)[0] for one in sets),
    )


def _changes(found: Answer, catalog: Catalog) -> Iterator[Change]:
    request, setup = found.request, found.setup
    if isinstance(request, TrainRequest) and isinstance(setup, TrainSetup):
        yield from changes_of_training(request, setup)
    if isinstance(request, ServeRequest) and isinstance(setup, ServeSetup):
        yield from changes_of_serving(request, setup, catalog)


def _deciding(found: Answer) -> CardFit:
    return max((card for card in found.cards if card.asked), key=lambda one: one.gap_bytes)


def _way(combination: Combination, before: Answer, catalog: Catalog) -> tuple[Way, Answer]:
    ordered = sorted(combination, key=lambda one: one[0].order)
    fields = merged(ordered)
    request = before.request.model_copy(update=fields)
    after = answer(request, catalog)
    own = _own_cache(fields, after)
    if own:
        fields |= own
        after = answer(before.request.model_copy(update=fields), catalog)
    steps = [(change, change.at(step)) for change, step in ordered]
    kind = _deciding(before).id
    peak = _needed_by(kind, after)
    way = Way(
        steps=tuple(
            Applied(change.key, change.price, {name: fields[name] for name in update})
            for change, update in steps
        ),
        fields=fields,
        request=after.request,
        peak_bytes=peak,
        saved_bytes=_needed_by(kind, before) - peak,
        verdict=_worst(after),
        engine=_other_engine(before, after),
        host_bytes=_on_host(after) if any(change.on_host for change, _ in steps) else 0,
    )
    return way, after


def _needed_by(kind: str, found: Answer) -> int:
    """The peak; of unequal cards, what those of one kind need, since the fullest may be another."""
    needed = {card.id: card.needed_bytes for card in found.cards if card.asked}
    return needed[kind] if len(needed) > 1 else found.estimate.peak.bytes


def _own_cache(fields: Update, after: Answer) -> dict[str, Any]:
    """The engine's own name for the type of a cache, where another change chose the engine."""
    setup = after.setup
    if not isinstance(setup, ServeSetup) or fields.get("kv") in (None, setup.kv_k.id):
        return {}
    return {"kv": setup.kv_k.id}


def _other_engine(before: Answer, after: Answer) -> str:
    one, other = before.setup, after.setup
    if not isinstance(one, ServeSetup) or not isinstance(other, ServeSetup):
        return ""
    return "" if one.engine.id == other.engine.id else other.engine.id


def _on_host(after: Answer) -> int:
    return sum(line.bytes for line in host_lines(after.setup))


def _worst(found: Answer) -> Verdict:
    verdicts = {card.verdict for card in found.cards if card.asked}
    return next(one for one in (Verdict.NO, Verdict.TIGHT, Verdict.FITS) if one in verdicts)


def _nothing(changes: list[Change], found: Answer, judge: Judge, catalog: Catalog) -> Advice | None:
    """Nothing does it: how close all of it comes, and which size would do."""
    everything = judge.least(changes)
    if not everything:
        return None
    counting = judge.worthwhile(everything, WORTH) or everything[:1]
    closest, after = _way(counting, found, catalog)
    card = _deciding(after)
    holder = next((c for c in after.cards if not c.asked and c.verdict is Verdict.FITS), None)
    return Advice(
        card=card,
        asked=True,
        peak_bytes=found.estimate.peak.bytes,
        ways=(),
        closest=closest,
        missing_bytes=max(0, after.estimate.high_bytes - card.usable_bytes),
        holder=holder,
    )
