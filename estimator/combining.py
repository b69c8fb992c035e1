"""Which changes to make together: as few as can be, and of as many the cheapest.

Every set of up to three is looked at, one change of a slot, each at its full strength. Taken
for granted is that a change more never takes more memory: so a slot without which all the rest
is not enough belongs to every set.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from estimator.changes import Change
from estimator.trying import Combination, Judge

MOST = 3  # ways that are offered
TOGETHER = 3  # changes, of which every set is looked at

Set = tuple[Change, ...]


def size_of(changes: Iterable[Change]) -> int:
    """How many changes they are."""
    return sum(one.parts for one in changes)


def cost(changes: Iterable[Change]) -> tuple[int, tuple[int, ...]]:
    """Fewer changes cost less; of as many, the dearest decides, then the next."""
    some = tuple(changes)
    return size_of(some), tuple(sorted((one.order for one in some), reverse=True))


def ways(changes: Sequence[Change], judge: Judge) -> list[Set]:
    """The smallest sets that hold, the cheapest first; none where nothing does.

    One is added that has a change more, where all of its changes cost less than the cheapest of
    the others: who would rather keep the run than change little of it takes that.
    """
    found = list(_alone(changes, judge))
    everything: Combination = () if found else judge.least(changes)
    if not found and judge.holds(everything):
        found = list(_smallest(changes, everything, judge))
    if not found or size_of(found[0]) >= TOGETHER:
        return found
    dearest = max(one.order for one in found[0])
    cheaper = [one for one in changes if one.order < dearest]
    everything = judge.least(cheaper)
    if judge.holds(everything):
        size = size_of(found[0]) + 1
        needed = _needed(cheaper, everything, judge)
        found += list(_of_size(size, cheaper, needed, judge))[:1]
    return found


def _alone(changes: Sequence[Change], judge: Judge) -> Iterator[Set]:
    """The cheapest that hold by themselves, one of a slot."""
    slots: set[str] = set()
    for change in sorted(changes, key=lambda one: one.order):
        if change.parts > 1 or change.slot in slots or len(slots) == MOST:
            continue
        if judge.holds(judge.strongest([change])):
            slots.add(change.slot)
            yield (change,)


def _smallest(changes: Sequence[Change], everything: Combination, judge: Judge) -> Iterator[Set]:
    """Of two, else of three, else of as many as it takes; `everything` is known to hold."""
    needed = _needed(changes, everything, judge)
    for size in range(2, TOGETHER + 1):
        found = list(_of_size(size, changes, needed, judge))
        if found:
            yield from found
            return
    yield _irreducible(everything, judge)


def _needed(changes: Sequence[Change], everything: Combination, judge: Judge) -> list[str]:
    """Slots without which all the rest does not hold, whichever of the rest is made."""
    return [
        one.slot for one, _ in everything if not _holds_without(one, changes, everything, judge)
    ]


def _holds_without(
    change: Change, changes: Sequence[Change], everything: Combination, judge: Judge
) -> bool:
    if judge.holds(_less(everything, change)):
        return True
    rest = [one for one in changes if one.slot != change.slot]
    return judge.holds(judge.least(rest))


def _of_size(
    size: int, changes: Sequence[Change], needed: Sequence[str], judge: Judge
) -> Iterator[Set]:
    """The cheapest sets of `size` that hold, at most one of the same slots."""
    seen: set[frozenset[str]] = set()
    for some in sorted(_sets(size, changes, needed), key=cost):
        slots = frozenset(one.slot for one in some)
        if slots not in seen and judge.holds(judge.strongest(some)):
            seen.add(slots)
            yield some
        if len(seen) == MOST:
            return


def _sets(size: int, changes: Sequence[Change], needed: Sequence[str]) -> Iterator[Set]:
    slots: dict[str, list[Change]] = {}
    for change in changes:
        slots.setdefault(change.slot, []).append(change)
    others = [name for name in slots if name not in needed]
    for beside in range(size - len(needed) + 1):
        for names in combinations(others, beside):
            for some in product(*(slots[name] for name in (*needed, *names))):
                if size_of(some) == size:
                    yield some


def _irreducible(everything: Combination, judge: Judge) -> Set:
    """What is left where the dearest are dropped, as long as the rest holds."""
    kept = everything
    for change, _ in sorted(everything, key=lambda one: -one[0].order):
        without = _less(kept, change)
        if judge.holds(without):
            kept = without
    return tuple(change for change, _ in kept)


def _less(combination: Combination, change: Change) -> Combination:
    return tuple(one for one in combination if one[0] is not change)
