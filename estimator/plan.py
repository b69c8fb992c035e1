"""The plan: for each class of cards the fewest that hold it, and how they share the work.

Found by changing the number and kind of cards in the request, and the way they share, and
asking the same estimate again; nothing is ever a sum that was divided. A smaller class never
needs fewer cards than a larger one, so the search goes down the classes and up the counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from estimator.breakdown import Line
from estimator.cards import asked_cards
from estimator.catalog import Catalog
from estimator.gpu_rows import CardClass, Gpu
from estimator.host import host_lines
from estimator.links import Path, Reach, paths_of, sent
from estimator.plan_instances import Machine, machines
from estimator.plan_judging import Held, Judge
from estimator.plan_ways import (
    IN_ONE_BOX,
    MOST_PLANNED,
    counts_of,
    offloading_ways,
    ways_of,
)
from estimator.request import Request, ServeRequest, TrainRequest
from estimator.resolve import resolve_cards
from estimator.setup import Setup
from estimator.words import Offload, Strategy

MOST_MACHINES = 4  # that are named
ALONE = ("unsloth", "unsloth trainer")


@dataclass(frozen=True, slots=True)
class Plan:
    """`count` cards of a kind that hold it; `needed_bytes` and `usable_bytes` are per card.

    `request`: the question changed to it. `copies`: of a served model, each over a part of the
    cards. `in_one`: most of such cards that one machine of the table has; `boxes`: machines of
    so many that it takes. `paths`: what they talk over, the commonest first. `some`: cards of
    the class that do with half of them. `tight`: there is no room to spare.
    """

    card: str
    name: str
    count: int
    strategy: Strategy
    offload: Offload
    copies: int
    needed_bytes: int
    high_bytes: int
    usable_bytes: int
    in_one: int
    boxes: int
    paths: tuple[Path, ...]
    some: tuple[str, ...]
    request: Request
    setup: Setup
    tight: bool = False

    @property
    def sent(self) -> Line | None:
        """What each card sends while they share the work."""
        return sent(self.setup)

    @property
    def host(self) -> tuple[Line, ...]:
        """Lines of the host's memory."""
        return host_lines(self.setup)


@dataclass(frozen=True, slots=True)
class Plans:
    """What holds it. `asked`: of the kind that was named; `classes`: the largest class first.

    `offloaded`: fewer cards, where part may lie in the host's memory; those that were named, if
    they do. `machines` of clouds, the smallest first. `most`: so many cards were looked at;
    `fixed`: so many were asked for. `named`: the kind of card that was,
    `named_count` of it; `named_most`: so many were looked at.
    `named_class`: the id of its class, where it is listed in one.
    `mixed`: several kinds were, and `asked` is the smallest, in the place of all.
    """

    asked: Plan | None
    classes: tuple[Plan, ...]
    offloaded: Plan | None
    machines: tuple[Machine, ...]
    most: int
    fixed: int | None
    named: str
    named_count: int
    named_most: int
    named_class: str
    mixed: bool

    @property
    def turning(self) -> tuple[Plan, ...]:
        """Of each number of cards the smallest class: what one would choose between."""
        smallest: dict[int, Plan] = {}
        for plan in self.classes:  # smaller ones replace larger ones
            smallest[plan.count] = plan
        return tuple(smallest[count] for count in sorted(smallest))


def plans(request: Request, catalog: Catalog) -> Plans:
    """The fewest cards of each class; raises what the request itself raises.

    A number of cards that was asked for without their kind is kept.
    """
    if isinstance(request, ServeRequest):
        request = request.model_copy(update={"find": None})
    cards = resolve_cards(request.gpus, catalog)
    judge = Judge(request, catalog)
    kinds = {entry.card.id: entry.card for entry in cards}
    named = max(request.world or 1, asked_cards(cards))
    fixed = named if named > 1 and not cards else None
    classes = tuple(_classes(judge, fixed))
    kind = min(kinds.values(), key=judge.room, default=None)  # of unequal cards it decides
    mixed = len(kinds) > 1
    asked = None
    if kind is not None:
        asked = _asked(judge, kind, named, more=not mixed)
    if asked is not None and mixed:
        same = asked.request.model_copy(update={"gpus": request.gpus})
        asked = replace(asked, request=same)
    offloaded = None
    if kind is not None and not mixed and (asked is None or asked.tight or asked.count > named):
        offloaded = _own_offloaded(judge, kind, named)
    if offloaded is None and asked is None and fixed is None:
        offloaded = _offloaded(judge, classes)
    return Plans(
        asked=asked,
        classes=classes,
        offloaded=offloaded,
        machines=tuple(machines(judge, MOST_MACHINES)) if fixed is None else (),
        most=MOST_PLANNED,
        fixed=fixed,
        named="" if kind is None else kind.name,
        named_count=named,
        named_most=_looked_at(judge, kind, named, mixed=mixed),
        named_class=_class_of(kind, catalog),
        mixed=mixed,
    )


def _class_of(card: Gpu | CardClass | None, catalog: Catalog) -> str:
    """The class that a card belongs to, or that it is."""
    if card is None or isinstance(card, CardClass):
        return "" if card is None else card.id
    rows = catalog.classes.rows
    return next((one.id for one in rows if card in catalog.class_members(one)), "")


def _classes(judge: Judge, fixed: int | None) -> Iterator[Plan]:
    """Of each listed class, the largest cards first."""
    listed = [one for one in judge.catalog.classes.rows if one.listed]
    least = 1
    for card in sorted(listed, key=judge.room, reverse=True):
        counts = (fixed,) if fixed else counts_of(_most_of(judge, card), least, dealt=judge.dealt)
        found = _fewest(judge, card, counts)
        if found is None:
            continue
        if isinstance(judge.request, ServeRequest) and not fixed:
            found = _fewer(judge, card, found)
        yield found
        least = found.count


def _fewer(judge: Judge, card: Gpu | CardClass, found: Plan) -> Plan:
    """What an engine takes by itself is less on smaller cards, so fewer may do after all."""
    while found.count > 1:
        counts = counts_of(found.count - 1, dealt=judge.dealt)
        less = _fewest(judge, card, counts[-1:])
        if less is None:
            return found
        found = less
    return found


def _most_of(judge: Judge, card: Gpu | CardClass) -> int:
    """Cards that neither a cloud has several of nor a switch links stay in one box.

    Some programs use one card alone.
    """
    if isinstance(judge.request, TrainRequest) and judge.request.framework in ALONE:
        return 1
    gpus = () if isinstance(card, CardClass) else (card,)
    linked = any(path.reach is Reach.ALL for path in paths_of(gpus))
    return MOST_PLANNED if linked or judge.in_one(card) > 1 else IN_ONE_BOX


def _fewest(judge: Judge, card: Gpu | CardClass, counts: Sequence[int]) -> Plan | None:
    """The first of `counts` that holds it. More cards never need more each: see `hopeless`."""
    if not counts or judge.hopeless(card, counts[-1]):
        return None
    for count in counts:
        found = judge.held(card, count, ways_of(judge.request, count))
        if found is not None:
            return _plan(judge, card, count, found)
    return None


def _asked(judge: Judge, card: Gpu | CardClass, named: int, *, more: bool) -> Plan | None:
    """The cards that were named, shared in another way; else the fewest more of them.

    Where no number of them has room to spare, the fewest that are tight.
    """
    most = _most_of(judge, card)
    others = counts_of(most, named + 1, dealt=judge.dealt) if more else ()
    counts = (named, *others)
    found = _fewest(judge, card, counts)
    if found is not None:
        return found
    for count in counts:
        held = judge.held(card, count, ways_of(judge.request, count), tight=True)
        if held is not None:
            return replace(_plan(judge, card, count, held), tight=True, some=())
    return None


def _looked_at(judge: Judge, card: Gpu | CardClass | None, named: int, *, mixed: bool) -> int:
    """The most cards of the kind that were asked about."""
    if card is None or mixed:
        return named
    return max(named, _most_of(judge, card))


def _own_offloaded(judge: Judge, card: Gpu | CardClass, named: int) -> Plan | None:
    """The cards that were named, with part of it in the host's memory."""
    held = judge.held(card, named, offloading_ways(judge.request))
    return None if held is None else _plan(judge, card, named, held)


def _offloaded(judge: Judge, classes: Sequence[Plan]) -> Plan | None:
    """The smallest machine that does it with the host's memory, of classes that need several.

    None where one machine with less memory does it without.
    """
    ways = offloading_ways(judge.request)
    if not ways:
        return None
    done = {plan.card for plan in classes if plan.boxes == 1}
    found = []
    for card in (one for one in judge.catalog.classes.rows if one.listed and one.id not in done):
        for count in counts_of(min(IN_ONE_BOX, judge.in_one(card))):
            held = judge.held(card, count, ways)
            if held is not None:
                found.append(_plan(judge, card, count, held))
                break
    least = min(found, key=lambda plan: plan.count * plan.usable_bytes, default=None)
    whole = min((p.count * p.usable_bytes for p in classes if p.boxes == 1), default=None)
    if least is None or (whole is not None and whole <= least.count * least.usable_bytes):
        return None
    return least


def _plan(judge: Judge, card: Gpu | CardClass, count: int, found: Held) -> Plan:
    catalog, setup = judge.catalog, found.setup
    gpus = catalog.class_members(card) if isinstance(card, CardClass) else (card,)
    in_one = judge.in_one(card)
    box = max(IN_ONE_BOX, in_one)
    return Plan(
        card=card.id,
        name=card.name,
        count=count,
        strategy=setup.strategy,
        offload=found.way.offload or Offload.NONE,
        copies=max(1, count // setup.world),
        needed_bytes=found.estimate.peak.bytes,
        high_bytes=found.estimate.high_bytes,
        usable_bytes=judge.room(card),
        in_one=in_one,
        boxes=-(-count // box),
        paths=paths_of(gpus),
        some=() if found.way.offload else _some(judge, card, count),
        request=found.request,
        setup=setup,
    )


def _some(judge: Judge, card: Gpu | CardClass, count: int) -> tuple[str, ...]:
    """Cards of a class of which half as many hold it, where its smallest takes more."""
    if not isinstance(card, CardClass) or count == 1:
        return ()
    half = count // 2
    ways = ways_of(judge.request, half)
    least = judge.room(card) + 1
    if isinstance(judge.request, ServeRequest):  # whose candidates are asked for each card anew
        least = max(least, judge.high(card, half, ways[0]) or 0)
    return tuple(
        gpu.name
        for gpu in judge.catalog.class_members(card)
        if judge.room(gpu) >= least and judge.held(gpu, half, ways) is not None
    )
