"""What a server takes of a card, whatever the work needs, and how much cache that leaves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from estimator.breakdown import Line
from estimator.card_total import total_bytes
from estimator.catalog import Catalog
from estimator.engine_rows import EngineKind
from estimator.engines.paged import Held, held_of
from estimator.fit import CardFit, Verdict, held_back
from estimator.memory.paged_cache import PoolUse, pool_use
from estimator.paging import Paging
from estimator.rows import CardClass, Gpu
from estimator.setup import ServeSetup
from estimator.units import KIB, MIB, show_gib

MILLE = 3  # digits of a share that SGLang keeps
# SGLang reserves for a step: MiB a token (as halves), a sequence of graphs, a card, and a rest.
HALVES_A_TOKEN, A_SEQUENCE, A_CARD, REST = 3, 2, 128, 512
LEAST, LEAST_FROM = 10 * KIB, 60 * KIB  # MiB, on cards from so many
DRAFT = "draft_"


@dataclass(frozen=True, slots=True)
class Reservation:
    """One kind of card under a server. `share` of it is `bytes`; `pool_bytes` is cache of that.

    The pool lies between `pool_low_bytes` and `pool_high_bytes`. `pool_tokens`: of one sequence
    that fill it; `users`: how many, with the context that was asked. `starts`: one request of
    `longest` tokens fits, without which vLLM does not start.
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


def reservations(setup: ServeSetup, catalog: Catalog) -> tuple[Reservation, ...]:
    """Of each card that was asked about; of a class, its smallest. None of other engines."""
    if setup.paging is None or setup.engine.kind is not EngineKind.PAGED:
        return ()
    held = held_of(setup)
    return tuple(
        _reservation(setup, setup.paging, held, entry.card, catalog) for entry in setup.cards
    )


def reserved_of(setup: ServeSetup, total: int, context: int) -> Reservation:
    """The same of a card of `total` bytes, of which a program's own context takes `context`."""
    if setup.paging is None:
        raise ValueError(f"{setup.engine.id} reserves nothing")
    held, card = held_of(setup), setup.engine.id
    return _of_total(setup, setup.paging, held, card=card, total=total, context=context)


def _reservation(
    setup: ServeSetup, paging: Paging, held: Held, card: Gpu | CardClass, catalog: Catalog
) -> Reservation:
    use = catalog.card_use
    members = catalog.class_members(card) if isinstance(card, CardClass) else (card,)
    smallest = min(members, key=lambda gpu: total_bytes(gpu, use))
    context = held_back(smallest, use)[0].bytes
    total = total_bytes(smallest, use)
    return _of_total(setup, paging, held, card=card.name, total=total, context=context)


def _of_total(
    setup: ServeSetup, paging: Paging, held: Held, *, card: str, total: int, context: int
) -> Reservation:
    share = share_of(setup, paging, total)
    room = Room(total, context, share)
    reserved, pool = _pool(setup, paging, _taken(held, lambda line: line.bytes), room)
    low = _pool(setup, paging, _taken(held, _most), room)[1]
    high = _pool(setup, paging, _taken(held, _least), room)[1]
    found = _used(setup, paging, held, max(0, pool))
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
        starts=found.starts,
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
            pool = round(room.share * left)
            return free - left + pool, pool
        case _:
            inside = paging.version is not None and paging.version.graphs_inside
            reserved = round(room.share * room.total)
            apart = taken.loaded + taken.stepping + (taken.graphs if inside else 0)
            return reserved, reserved - apart


def _used(setup: ServeSetup, paging: Paging, held: Held, pool: int) -> PoolUse:
    """What the pool holds; a draft's cache takes its part of each token."""
    drafted = sum(
        line.bytes for line in held.cache if line is not None and line.key.startswith(DRAFT)
    )
    return pool_use(
        held.cells,
        pool,
        tokens=setup.context,
        shared=setup.shared,
        longest=paging.longest,
        step=paging.step_tokens,
        beside=-(-drafted // setup.users),
    )


def share_of(setup: ServeSetup, paging: Paging, total: int) -> float:
    """The share that was named, or the engine's own: by version, by card."""
    if paging.share is not None:
        return paging.share
    if paging.version is not None:
        return paging.version.utilisation
    if setup.engine.id == "sglang":
        return _sglang_share(setup, paging, total)
    return setup.engine.utilisation or 1.0


def _sglang_share(setup: ServeSetup, paging: Paging, total: int) -> float:
    """What SGLang leaves for a step's tensors and graphs is a sum of its own, by settings."""
    mebibytes = total // MIB
    reserved = REST + paging.step_tokens * HALVES_A_TOKEN / 2 + setup.world * A_CARD
    reserved += paging.sequences * A_SEQUENCE if paging.graphs else 0
    if mebibytes > LEAST_FROM:
        reserved = max(reserved, LEAST)
    return max(0.0, round((mebibytes - reserved) / mebibytes, MILLE))


def reservation_warnings(
    setup: ServeSetup, found: tuple[Reservation, ...], cards: tuple[CardFit, ...]
) -> Iterator[str]:
    """What a share of the card means, and where it is too small for the work."""
    name = setup.engine.id
    if not found:
        share = _usual_share(setup)
        if share is not None:
            yield (
                f"{name} takes {share:.0%} of the card whatever the model needs; what is left of "
                "it over this need becomes room for more cache."
            )
        return
    fits = {card.name: card.verdict is not Verdict.NO for card in cards if card.asked}
    for one in found:
        if not one.pool_bytes:
            yield (
                f"{one.share:.0%} of {one.card} is {show_gib(one.bytes)}, which weights and a step "
                f"use up: {name} does not start. Raise its share, or lower `max_num_seqs`."
            )
        elif not one.starts:
            yield (
                f"{name} does not start on {one.card}: the cache of one request of "
                f"{one.longest:,} tokens does not go into {show_gib(one.pool_bytes)}. Shorten "
                "`max_model_len`, or raise its share of the card."
            )
        elif one.users < setup.users and fits.get(one.card, False):
            yield (
                f"{one.share:.0%} of {one.card} is {show_gib(one.bytes)}, less than is needed "
                f"here: raise {name}'s share of the card, or shorten the context."
            )
        yield from _of_whole_window(setup, one)


def _usual_share(setup: ServeSetup) -> float | None:
    paging = setup.paging
    if paging is None or setup.engine.id == "sglang":
        return setup.engine.utilisation
    if paging.share is not None:
        return paging.share
    return paging.version.utilisation if paging.version else setup.engine.utilisation


def _of_whole_window(setup: ServeSetup, one: Reservation) -> Iterator[str]:
    """The longest request is the model's own window, unless the server is told otherwise."""
    longest = setup.shape.context
    if setup.engine.id != "vllm" or longest is None or setup.request.max_model_len is not None:
        return
    if one.starts and 0 < one.pool_tokens < longest:
        yield (
            f"Without `--max-model-len` vLLM takes the model's {longest:,} tokens, and does not "
            f"start where they exceed its cache ({one.pool_tokens:,} on {one.card})."
        )
