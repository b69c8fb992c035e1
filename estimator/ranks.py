"""A served model on several cards, card by card: what each of them holds is a setup of its own."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from estimator.cards import Cards
from estimator.engine_rows import EngineKind
from estimator.setup import Companion, ServeSetup
from estimator.split import Slice, sliced


@dataclass(frozen=True, slots=True)
class Rank:
    """`count` equal cards from number `first` on, which hold `setup` each.

    `setup` is of those cards alone: its model is the part that lies there, its users are those
    whose cache does.
    """

    first: int
    count: int
    setup: ServeSetup


def ranks_of(setup: ServeSetup) -> tuple[Rank, ...]:
    """The ranks of one copy, stage by stage: together as many cards as it is spread over.

    Cards that divide each tensor of a stage are equal, and so are those beside them that attend
    for other users.
    """
    split = setup.split
    users = users_of_each(setup)
    alike = split.tp * split.attentions
    if split.stages == 1:
        return (Rank(0, alike, replace(setup, users=users) if split.dp > 1 else setup),)
    order = setup.shape.architecture.order
    parts: dict[Hashable, ServeSetup] = {}  # stages of the same blocks are one model
    found = []
    for number, part in enumerate(split.slices):
        key = (order[part.first : part.end], part.embedding, part.head, part.rows)
        if key not in parts:
            parts[key] = replace(_part(setup, part), users=users)
        found.append(Rank(number * alike, alike, replace(parts[key], here=part)))
    return tuple(found)


def content(rank: Rank) -> Hashable:
    """The same for ranks that hold the same; llama.cpp's types go by a layer's number."""
    here = rank.setup.here
    if here is None or rank.setup.engine.kind is EngineKind.GGML:
        return rank.first
    return (id(rank.setup.shape), here.embedding, here.head)


def users_of_each(setup: ServeSetup) -> int:
    """Users of one copy, or of one attention of several in a copy: the most of any."""
    return -(-setup.users // setup.split.dp)


def _part(setup: ServeSetup, part: Slice) -> ServeSetup:
    """llama.cpp's recipes go by a layer's number in the file, so its model stays whole."""
    if setup.engine.kind is EngineKind.GGML:
        return replace(setup, here=part)
    architecture = sliced(setup.shape.architecture, part)
    return replace(
        setup,
        here=part,
        shape=replace(setup.shape, architecture=architecture),
        draft=_draft(setup, part),
        numbers=replace(setup.numbers, given_bytes=_given(setup, architecture.parameters)),
    )


def _draft(setup: ServeSetup, part: Slice) -> Companion | None:
    """Servers run a draft where the head is."""
    paged = setup.engine.kind is EngineKind.PAGED
    return None if paged and not part.head else setup.draft


def _given(setup: ServeSetup, parameters: int) -> int | None:
    """Of weights whose bytes were told, as many as the part has of the parameters."""
    given = setup.numbers.given_bytes
    if given is None:
        return None
    return -(-given * parameters // setup.shape.architecture.parameters)


def held_by(
    cards: Sequence[Cards], ranks: tuple[Rank, ...]
) -> Iterator[tuple[Cards, tuple[Rank, ...]]]:
    """Each kind of card with what such cards hold: ranks lie on the cards in their order.

    Cards beyond those of one copy hold another, from its first rank on.
    """
    places = [rank for rank in ranks for _ in range(rank.count)]
    first = 0
    for entry in cards:
        span = range(first, first + min(entry.count, len(places)))
        found = {id(places[n % len(places)]): places[n % len(places)] for n in span}
        yield entry, tuple(found.values())
        first += entry.count
