"""Whether so many cards of a kind hold it in some way: the same estimate, asked again.

What does not depend on the kind of card is worked out once. A candidate is let go as soon as
the model itself is too large; what else a bare size may stand for is asked only then.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from estimator.breakdown import Estimate
from estimator.catalog import Catalog
from estimator.errors import EstimatorError
from estimator.estimate import estimate, spanning
from estimator.fit import usable_bytes
from estimator.gpu_rows import CardClass, Gpu
from estimator.judging import others_of, resolve
from estimator.plan_ways import ON_WEIGHTS, Way, over, ways_of
from estimator.request import Request, TrainRequest
from estimator.reservation import holds, reservations
from estimator.resolve_precision import ADAPTERS
from estimator.setup import ServeSetup, Setup
from estimator.words import Strategy

SHARING = (None, "transformers")  # what generates takes no share of the card
LAYERED = (Strategy.DEVICE_MAP, Strategy.PP)
APPLE = "apple"
Candidate = tuple[str, int, Way]
Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """A candidate that holds it: how it was resolved, and what it takes of each card."""

    request: Request
    setup: Setup
    estimate: Estimate
    way: Way


@dataclass(frozen=True, slots=True)
class _Tried:
    """A candidate, resolved; `key`: all that its estimate depends on."""

    request: Request
    setup: Setup
    estimate: Estimate
    key: Key


class Judge:
    """Asks one question of many candidates; keeps what it worked out."""

    def __init__(self, request: Request, catalog: Catalog) -> None:
        self.request = request
        self.catalog = catalog
        self._alike = isinstance(request, TrainRequest) and request.engine in SHARING
        self._tried: dict[Candidate, _Tried | None] = {}
        self._estimates: dict[Key, Estimate] = {}
        self._spanned: dict[Key, Estimate] = {}
        self._rooms: dict[str, int] = {}
        self._loads: dict[int, int] = {}
        self._highs: dict[Way, dict[int, int]] = {}  # of each way by the number of cards
        self._floors: dict[Way, int] = {}  # weights that stay whole

    def room(self, card: Gpu | CardClass) -> int:
        """What a card leaves usable; of a class, its smallest common member."""
        if card.id not in self._rooms:
            gpus = self.catalog.class_members(card) if isinstance(card, CardClass) else (card,)
            use, taken = self.catalog.card_use, self.request.in_use_bytes or 0
            self._rooms[card.id] = min(usable_bytes(gpu, use, taken) for gpu in gpus)
        return self._rooms[card.id]

    @cached_property
    def dealt(self) -> bool:
        """Whether the program deals layers out to any number of cards."""
        card = self.catalog.classes.rows[-1]
        tried = self._candidate(card, 2, ways_of(self.request, 2)[0])
        return tried is not None and tried.setup.strategy is Strategy.DEVICE_MAP

    @cached_property
    def _of_size(self) -> Mapping[int, int]:
        """By the size on the box, most cards of it in one machine of a cloud.

        Of those that run PyTorch.
        """
        found: dict[int, int] = {}
        for one in self.catalog.instances.rows:
            gpu = self.catalog.gpus.find(one.gpu)
            if gpu.microarchitecture.software is None:
                found[gpu.memory_gb] = max(one.count, found.get(gpu.memory_gb, 0))
        return found

    def in_one(self, card: Gpu | CardClass) -> int:
        """Most such cards that one machine of a cloud has; 0 where none has any."""
        if isinstance(card, CardClass):
            return self._of_size.get(card.memory_gb, 0)
        rows = self.catalog.instances.rows
        return max((one.count for one in rows if one.gpu == card.id), default=0)

    def held(
        self, card: Gpu | CardClass, count: int, ways: Iterable[Way], *, tight: bool = False
    ) -> Held | None:
        """The first of `ways` in which `count` cards hold it with room to spare, if one does.

        `tight`: or without, so that only the estimate itself goes in.
        """
        for way in ways:
            found = self._held(card, count, way, tight=tight)
            if found is not None:
                return found
        return None

    def hopeless(self, card: Gpu | CardClass, most: int) -> bool:
        """Whether not even the most cards hold it; asked only where that spares asking fewer."""
        return self._alike and self.held(card, most, ways_of(self.request, most)) is None

    def high(self, card: Gpu | CardClass, count: int, way: Way) -> int | None:
        """The high end of one card of a candidate, the model's own; none where it is no way."""
        tried = self._candidate(card, count, way)
        return None if tried is None else tried.estimate.high_bytes

    def tried(self, card: Gpu | CardClass, count: int, way: Way) -> tuple[Setup, Estimate] | None:
        """What a candidate takes, whether it is held or not; none where it is no way."""
        found = self._candidate(card, count, way)
        return None if found is None else (found.setup, found.estimate)

    def loaded(self, count: int) -> int:
        """The least that each of `count` cards takes of any kind: weights, once they are loaded.

        0 of training, whose candidates are quick to ask.
        """
        if self._alike:
            return 0
        if count not in self._loads:
            card = self.catalog.classes.rows[-1]
            tried = self._candidate(card, count, ways_of(self.request, count)[0])
            self._loads[count] = tried.estimate.moments[0].bytes if tried else 0
        return self._loads[count]

    def _held(self, card: Gpu | CardClass, count: int, way: Way, *, tight: bool) -> Held | None:
        room = self.room(card)
        if not tight and self._too_few(count, way, room):
            return None
        tried = self._candidate(card, count, way)
        if tried is None or _needed(tried.estimate, tight=tight) > room:
            return None
        if tried.key not in self._spanned:
            rest = map(estimate, others_of(tried.setup, self.catalog))
            self._spanned[tried.key] = spanning(tried.estimate, rest)
        whole = self._spanned[tried.key]
        if _needed(whole, tight=tight) > room or not self._starts(tried.setup):
            return None
        request = tried.request
        if self._alike:  # it was worked out for another card
            request = over(self.request, card.id, count, way)
        return Held(request, tried.setup, whole, way)

    def _too_few(self, count: int, way: Way, room: int) -> bool:
        """Whether another number of cards tells that this one does not do either.

        More cards never need more each, so what more of them do not hold these do not. Sharing
        divides a card's part at best by the number of cards, and weights that stay whole not at
        all. What one card takes alone is a floor of full training for ways that offload no more;
        adapters may be held in other types where the model is sharded.
        """
        if not self._alike:
            return False
        if self._floors.get(way, 0) > room:
            return True
        alone = Way(None, way.offload)
        if any(n >= count and high > room for n, high in self._highs.get(way, {}).items()):
            return True
        known = list(self._highs.get(way, {}).items())
        if isinstance(self.request, TrainRequest) and self.request.method not in ADAPTERS:
            known += self._highs.get(alone, {}).items()
        if way.offload in ON_WEIGHTS:  # which one card keeps, whatever the way
            known = [(n, high) for n, high in known if n > 1]
        return any(high * n > room * count for n, high in known if n < count)

    def _candidate(self, card: Gpu | CardClass, count: int, way: Way) -> _Tried | None:
        candidate = ("" if self._alike else card.id, count, way)
        if candidate not in self._tried:
            self._tried[candidate] = self._asked(card, count, way)
        return self._tried[candidate]

    def _asked(self, card: Gpu | CardClass, count: int, way: Way) -> _Tried | None:
        request = over(self.request, card.id, count, way)
        try:
            setup = resolve(request, self.catalog)
            if self._alike and setup.world != count:  # `tp 8` of one card stands for 8 of it
                return None
            key = self._key(setup, candidate=(card.id, count, way))
            if key not in self._estimates:
                self._estimates[key] = estimate(setup)
        except EstimatorError:  # a card, a count or a way that this does not run on
            return None
        if not self._runs_on(setup, card) or _has_too_few_layers(setup):
            return None
        found = self._estimates[key]
        if self._alike:
            self._highs.setdefault(way, {})[count] = found.high_bytes
            if way.strategy is Strategy.ZERO2:
                self._floors[way] = found.moments[0].bytes
        return _Tried(request, setup, found, key)

    def _key(self, setup: Setup, candidate: Candidate) -> Key:
        """Of serving, what an engine takes by itself for a card; else the candidate."""
        if not isinstance(setup, ServeSetup):
            card, count, way = candidate
            return ("" if self._alike else card, count, way)
        numbers = setup.numbers
        types = (numbers.format.id, numbers.linear.id, numbers.expert.id, numbers.compute.id)
        kept = (setup.kv_k.id, setup.kv_v.id, setup.attention, setup.paging)
        return (*types, *kept, setup.engine.id, setup.world, setup.strategy, candidate[1])

    def _runs_on(self, setup: Setup, card: Gpu | CardClass) -> bool:
        """Whether some card of the kind is of a maker whose cards the engine runs on."""
        if not isinstance(setup, ServeSetup) or not setup.engine.vendors:
            return True
        gpus = self.catalog.class_members(card) if isinstance(card, CardClass) else (card,)
        vendors = setup.engine.vendors
        if APPLE in vendors:  # on other makers' cards by a build that nobody plans with
            vendors = (APPLE,)
        return any(gpu.vendor in vendors for gpu in gpus)

    def _starts(self, setup: Setup) -> bool:
        """Whether a server that takes a share of each card has room for what was asked."""
        if not isinstance(setup, ServeSetup):
            return True
        return all(holds(setup, one) for one in reservations(setup, self.catalog))


def _needed(found: Estimate, *, tight: bool) -> int:
    return found.peak.bytes if tight else found.high_bytes


def _has_too_few_layers(setup: Setup) -> bool:
    """Whether a card would get none of the layers that are dealt out."""
    dealt = isinstance(setup, ServeSetup) and setup.strategy in LAYERED
    return dealt and setup.world > setup.shape.architecture.depth
