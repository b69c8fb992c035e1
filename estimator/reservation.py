"""What a server takes of a card, whatever the work needs, and how much cache that leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from estimator.breakdown import Line
from estimator.card_total import total_bytes
from estimator.catalog import Catalog
from estimator.engine_rows import EngineKind
from estimator.engines.paged import Held, held_of
from estimator.fit import held_back
from estimator.gpu_rows import CardClass, Gpu
from estimator.memory.paged_cache import PoolUse, pool_use
from estimator.paging import Paging
from estimator.ranks import Rank, content, held_by, ranks_of, users_of_each
from estimator.setup import ServeSetup
from estimator.units import KIB, MIB

MILLE = 3  # digits of a share that SGLang keeps
# SGLang reserves for a step: MiB a token (as halves), a sequence of graphs, a card, and a rest.
HALVES_A_TOKEN, A_SEQUENCE, A_CARD, REST = 3, 2, 128, 512
FEWEST = 2 * KIB  # tokens of a step that it counts with at least
LEAST, LEAST_FROM = 10 * KIB, 60 * KIB  # MiB, on cards from so many
DRAFT, SGLANG = "draft_", "sglang"


@dataclass(frozen=True, slots=True)
class Reservation:
    """One kind of card under a server. `share` of it is `bytes`; `pool_bytes` is cache of that.

    The pool lies between `pool_low_bytes` and `pool_high_bytes`. `pool_tokens`: of one sequence
    that fill it; `users`: how many of one copy's, with the context that was asked. `starts`: one
    request of `longest` tokens fits, without which vLLM does not start; `starts_whole`: one of
    the model's own window. A model that keeps no cache (`cached`) leaves no pool, and `bytes` are
    those that it takes. `loaded_bytes`: weights and what lies with them; `held_bytes`: a step's
    tensors too; `free_bytes`: of the card, before anything is loaded.
    """

    engine: str
    card: str
    share: float
    bytes: int
    pool_bytes: int
    pool_low_bytes: int
    pool_high_bytes: int
    pool_tokens: int
    users: int
    longest: int
    starts: bool
    starts_whole: bool
    cached: bool
    loaded_bytes: int
    held_bytes: int
    free_bytes: int


def holds(setup: ServeSetup, one: Reservation) -> bool:
    """Whether the server starts on that card with room for all users, and for their contexts.

    Without a cache they are as many as it runs at once, where it has such a limit of its own.
    """
    users = users_of_each(setup)
    if one.cached or setup.paging is None:
        return one.starts and one.users >= users
    unlimited = setup.engine.id == SGLANG and setup.request.max_num_seqs is None
    return one.starts and (unlimited or setup.paging.sequences >= users)


def reservations(setup: ServeSetup, catalog: Catalog) -> tuple[Reservation, ...]:
    """Of each card that was asked about; of a class, its smallest. None of other engines.

    Where cards hold unlike parts of the model, it is that of the part whose cache is full first.
    """
    if setup.paging is None or setup.engine.kind is not EngineKind.PAGED:
        return ()
    return tuple(
        _reservation(setup.paging, entry.card, held, catalog)
        for entry, held in held_by(setup.cards, ranks_of(setup))
    )


def _reservation(
    paging: Paging,
    card: Gpu | CardClass,
    ranks: tuple[Rank, ...],
    catalog: Catalog,
) -> Reservation:
    """Of the fullest of the ranks that such cards hold."""
    use = catalog.card_use
    members = catalog.class_members(card) if isinstance(card, CardClass) else (card,)
    smallest = min(members, key=lambda gpu: total_bytes(gpu, use))
    context = held_back(smallest, use)[0].bytes
    total = total_bytes(smallest, use)
    found = [
        _of_total(
            rank.setup, paging, held_of(rank.setup), card=card.name, total=total, context=context
        )
        for rank in {content(rank): rank for rank in ranks}.values()
    ]
    return min(found, key=lambda one: (one.starts, one.pool_tokens))


def reserved_of(setup: ServeSetup, total: int, context: int) -> Reservation:
    """The same of a card of `total` bytes, of which a program's own context takes `context`."""
    if setup.paging is None:
        raise ValueError(f"{setup.engine.id} reserves nothing")
    held, card = held_of(setup), setup.engine.id
    return _of_total(setup, setup.paging, held, card=card, total=total, context=context)


def _of_total(
    setup: ServeSetup, paging: Paging, held: Held, *, card: str, total: int, context: int
) -> Reservation:
    share = share_of(setup, paging, total)
    room = Room(total, context, share)
    middle, most, least = (_taken(held, size) for size in (_middle, _most, _least))
    reserved, pool = _pool(setup, paging, middle, room)
    cached = any(line is not None for line in held.cache)
    if not cached:
        reserved, pool = middle.loaded + middle.stepping + middle.graphs, 0
    low = _pool(setup, paging, most, room)[1] if cached else 0
    high = _pool(setup, paging, least, room)[1] if cached else 0
    found = _used(setup, paging, held, max(0, pool))
    free = total - context
    starts = pool >= 0 and found.starts if cached else reserved <= free
    return Reservation(
        engine=setup.engine.id,
        card=card,
        share=share,
        bytes=reserved,
        pool_bytes=max(0, pool),
        pool_low_bytes=max(0, low),
        pool_high_bytes=max(0, high),
        pool_tokens=found.tokens,
        users=found.users,
        longest=paging.longest,
        starts=starts,
        starts_whole=starts and (found.starts_whole or not cached),
        cached=cached,
        loaded_bytes=middle.loaded,
        held_bytes=middle.loaded + middle.stepping,
        free_bytes=free,
    )


class Room(NamedTuple):
    """A card's bytes, those of a program's own context, and the share that a server may take."""

    total: int
    context: int
    share: float


class Taken(NamedTuple):
    """Bytes that are no cache: loaded, of a step, of captured graphs."""

    loaded: int
    stepping: int
    graphs: int


def _middle(line: Line) -> int:
    return line.bytes


def _least(line: Line) -> int:
    return line.bytes if line.low_bytes is None else line.low_bytes


def _most(line: Line) -> int:
    return line.bytes if line.high_bytes is None else line.high_bytes


def _taken(held: Held, size: Callable[[Line], int]) -> Taken:
    return Taken(
        loaded=sum(size(line) for line in held.loaded if line is not None),
        stepping=sum(size(line) for line in held.stepping if line is not None),
        graphs=0 if held.graphs is None else size(held.graphs),
    )


def _pool(setup: ServeSetup, paging: Paging, taken: Taken, room: Room) -> tuple[int, int]:
    """(what is reserved, what of it is left for the cache), by each engine's own rule."""
    free = room.total - room.context
    match setup.engine.id:
        case "sglang":  # of what is free before loading, for weights and cache
            reserved = round(room.share * free)
            return reserved, reserved - taken.loaded
        case "tensorrt_llm":  # of what a step leaves free
            left = free - taken.loaded - taken.stepping
            pool = round(room.share * left) if left > 0 else left
            return min(free, free - left + pool), pool
        case _:
            inside = paging.version is not None and paging.version.graphs_inside
            reserved = round(room.share * room.total)
            apart = taken.loaded + taken.stepping + (taken.graphs if inside else 0)
            return reserved, reserved - apart


def _used(setup: ServeSetup, paging: Paging, held: Held, pool: int) -> PoolUse:
    """What the pool holds; a draft's cache takes its part of each token.

    Where tokens are spread over cards, those that a card has are a part of them.
    """
    spread = setup.split.cp
    drafted = sum(
        line.bytes for line in held.cache if line is not None and line.key.startswith(DRAFT)
    )
    found = pool_use(
        held.cells,
        pool,
        asked=setup.users,
        tokens=-(-setup.context // spread),
        shared=setup.shared // spread,
        longest=-(-paging.longest // spread),
        window=-(-(setup.shape.context or paging.longest) // spread),
        step=-(-paging.step_tokens // spread),
        beside=-(-drafted // setup.users),
    )
    return found._replace(tokens=found.tokens * spread)


def share_of(setup: ServeSetup, paging: Paging, total: int) -> float:
    """The share that was named, or the engine's own: by version, by card."""
    if paging.share is not None:
        return paging.share
    if paging.version is not None:
        return paging.version.utilisation
    if setup.engine.id == SGLANG:
        return _sglang_share(setup, paging, total)
    return setup.engine.utilisation or 1.0


def _sglang_share(setup: ServeSetup, paging: Paging, total: int) -> float:
    """What SGLang leaves for a step's tensors and graphs is a sum of its own, by settings.

    Nothing where the sum is more than the card.
    """
    mebibytes = total // MIB
    tokens = max(FEWEST, paging.step_tokens)
    reserved = REST + tokens * HALVES_A_TOKEN / 2 + setup.world * A_CARD
    reserved += paging.sequences * A_SEQUENCE if paging.graphs else 0
    if mebibytes > LEAST_FROM:
        reserved = max(reserved, LEAST)
    return max(0.0, round((mebibytes - reserved) / mebibytes, MILLE))
