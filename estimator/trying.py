"""Changes tried on the estimate: which are of use, which sets of them hold, how far each has to go.

A set holds where every shape that a bare size may stand for fits every card that was named.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product
from typing import Any

from estimator.breakdown import Estimate, MomentName
from estimator.catalog import Catalog
from estimator.changes import Change
from estimator.errors import EstimatorError
from estimator.estimate import estimate, spanning
from estimator.fit import Verdict, fit_asked
from estimator.judging import others_of, resolve
from estimator.request import Request
from estimator.reservation import holds as room_in
from estimator.reservation import reservations
from estimator.setup import ServeSetup, Setup

Combination = tuple[tuple[Change, int], ...]  # each change at a strength
Key = str  # the fields that a combination sets, whichever changes set them
Highs = dict[MomentName, int]  # the high end of each moment
MOST_REFUSED = 8  # strengths that are tried where stronger ones are refused
ROUNDS = 3  # that all of it together is looked for in


def merged(combination: Iterable[tuple[Change, int]]) -> dict[str, Any]:
    """The fields of all changes; of a field that two set, the dearer one's."""
    fields: dict[str, Any] = {}
    for change, step in sorted(combination, key=lambda one: one[0].order):
        fields |= change.at(step)
    return fields


class Judge:
    """Asks the estimate about one request with changes, and remembers what it said."""

    def __init__(self, request: Request, catalog: Catalog) -> None:
        self.request = request
        self._catalog = catalog
        self._setups: dict[Key, Setup | None] = {}
        self._estimates: dict[Key, Estimate | None] = {}
        self._held: dict[Key, bool] = {}
        self._high_of: dict[frozenset[str], int | None] = {}
        self._worst = 0  # of the shapes a bare size stands for, that which failed last

    def strongest(self, changes: Iterable[Change]) -> Combination:
        """Each change as far as it goes; where the estimator refuses that, as far as it may."""
        full = tuple((change, change.steps - 1) for change in changes)
        if all(not change.scanned or change.steps == 1 for change, _ in full):
            return full
        turns = [
            range(change.steps - 1, -1, -1) if change.scanned else (step,) for change, step in full
        ]
        every = (tuple(zip((c for c, _ in full), steps, strict=True)) for steps in product(*turns))
        return next(filter(self._accepts, islice(every, MOST_REFUSED)), full)

    def _accepts(self, combination: Combination) -> bool:
        return self._setup(combination) is not None

    def holds(self, combination: Combination) -> bool:
        """Whether it fits with those changes; not where the estimator refuses them."""
        key = _key(combination)
        if key not in self._held:
            self._held[key] = self._fits(combination)
        return self._held[key]

    def _fits(self, combination: Combination) -> bool:
        setup = self._setup(combination)
        if setup is None:
            return False
        try:
            if isinstance(setup, ServeSetup) and not self._starts(setup):
                return False
            shapes = [setup, *others_of(setup, self._catalog)]
            if isinstance(setup, ServeSetup) and setup.world > 1:  # cards may hold unlike parts
                first, *rest = map(estimate, shapes)
                return self._goes_in(spanning(first, rest), setup)
            worst = self._worst if self._worst < len(shapes) else 0
            for place in (worst, *(n for n in range(len(shapes)) if n != worst)):
                found = estimate(shapes[place]) if place else self._estimate(combination)
                if found is None or not self._goes_in(found, setup):
                    self._worst = place
                    return False
        except EstimatorError:
            return False
        return True

    def _setup(self, combination: Combination) -> Setup | None:
        """None where the estimator refuses it."""
        key = _key(combination)
        if key not in self._setups:
            self._setups[key] = None
            with suppress(EstimatorError):
                request = self.request.model_copy(update=merged(combination))
                self._setups[key] = resolve(request, self._catalog)
        return self._setups[key]

    def _estimate(self, combination: Combination) -> Estimate | None:
        """Of the first shape alone; none where the estimator refuses it."""
        key = _key(combination)
        if key not in self._estimates:
            self._estimates[key] = None
            setup = self._setup(combination)
            with suppress(EstimatorError):
                self._estimates[key] = None if setup is None else estimate(setup)
        return self._estimates[key]

    def _starts(self, setup: ServeSetup) -> bool:
        return all(room_in(setup, one) for one in reservations(setup, self._catalog))

    def _goes_in(self, found: Estimate, setup: Setup) -> bool:
        in_use = self.request.in_use_bytes or 0
        cards = fit_asked(found, setup.cards, self._catalog, in_use)
        return all(card.verdict is Verdict.FITS for card in cards)

    def useful(self, changes: Iterable[Change]) -> Iterator[Change]:
        """The changes that lower a moment, with those of their strengths that do."""
        before = self._highs(()) or {}
        for change in changes:
            kept = self._lowering(change, before)
            if kept is not None:
                yield kept

    def _lowering(self, change: Change, before: Highs) -> Change | None:
        if not change.scanned:
            return change if self._lowers(change, change.steps - 1, before) else None
        steps = [step for step in range(change.steps) if self._lowers(change, step, before)]
        if not steps:
            return None
        most = min(reversed(steps), key=lambda step: self._peak(change, step))
        steps = [*(step for step in steps if step != most), most]  # what saves most is strongest
        return replace(change, steps=len(steps), at=lambda step: change.at(steps[step]))

    def _peak(self, change: Change, step: int) -> int:
        return max((self._highs(((change, step),)) or {}).values(), default=sys.maxsize)

    def _lowers(self, change: Change, step: int, before: Highs) -> bool:
        after = self._highs(((change, step),)) if change.steps else None
        return after is not None and any(
            after.get(name, size) < size for name, size in before.items()
        )

    def _highs(self, combination: Combination) -> Highs | None:
        """Of the first shape alone; none where the estimator refuses it."""
        found = self._estimate(combination)
        return None if found is None else {one.name: one.high_bytes for one in found.moments}

    def least(self, changes: Sequence[Change]) -> Combination:
        """The changes that together come to least memory, each as far as it goes.

        What saves most alone comes first, since it may rule others out.
        """
        chosen: dict[str, Change] = {}
        least = self._high({})
        order = sorted(changes, key=self._high_alone)
        for _ in range(ROUNDS):
            before = least
            for change in order:
                tried = {**chosen, change.slot: change}
                high = self._high(tried)
                if high is not None and (least is None or high < least):
                    chosen, least = tried, high
            if least == before:
                break
        return self.strongest(chosen.values())

    def _high_alone(self, change: Change) -> int:
        high = self._high({change.slot: change})
        return sys.maxsize if high is None else high

    def worthwhile(self, everything: Combination, part: int) -> Combination:
        """Without those changes that save less than so small a part of what is left."""
        kept = {change.slot: change for change, _ in everything}
        least = self._high(kept)
        for change, _ in sorted(everything, key=lambda one: -one[0].order):
            rest = {slot: one for slot, one in kept.items() if slot != change.slot}
            high = self._high(rest)
            if least is not None and high is not None and (high - least) * part < least:
                kept = rest
        return self.strongest(kept.values())

    def _high(self, chosen: dict[str, Change]) -> int | None:
        """Of the first shape, with each change as far as it goes; none where that is refused."""
        key = frozenset(change.key for change in chosen.values())
        if key not in self._high_of:
            found = self._estimate(self.strongest(chosen.values()))
            self._high_of[key] = None if found is None else found.high_bytes
        return self._high_of[key]

    def loosened(self, changes: Sequence[Change]) -> Combination:
        """The same changes, the dearest first, no stronger than they have to be."""
        strength = {change.key: step for change, step in self.strongest(changes)}

        def at(key: str, step: int) -> Combination:
            return tuple((c, step if c.key == key else strength[c.key]) for c in changes)

        for change in sorted(changes, key=lambda one: -one.order):
            key = change.key
            if change.scanned:
                steps = range(strength[key] + 1)
                strength[key] = next(step for step in steps if self.holds(at(key, step)))
                continue
            low, high = -1, strength[key]  # high holds
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if self.holds(at(key, middle)) else (middle, high)
            strength[key] = high
        return at("", 0)


def _key(combination: Combination) -> Key:
    return repr(sorted(merged(combination).items()))
