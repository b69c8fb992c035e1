"""How fast decoding can be at most: a step reads the active weights and the cache once.

A card cannot write a token before it has read what the token depends on, so its memory's
bandwidth is a bound, and no estimate: engines reach a part of it, which is not known here.
"""

from dataclasses import dataclass

from estimator.breakdown import Estimate, MomentName
from estimator.engines.ggml import host_bytes
from estimator.gpu_rows import Gpu
from estimator.held import held_tensors
from estimator.setup import ServeSetup
from estimator.tensors import Role
from estimator.units import GB

CACHE = ("kv_cache", "recurrent_state")
NOT_READ = (Role.EMBEDDING, Role.POSITION, Role.TOWER, Role.TOWER_LINEAR)  # but a row of them


@dataclass(frozen=True, slots=True)
class DecodeBound:
    """At most so many tokens a second, with the whole context in the cache.

    `read_bytes`: that a step reads of all cards; `weight_bytes` of them weights, of one token's
    experts. `each`: tokens a second of one user; `together`: of all. `bandwidth`: bytes a second
    of one card.
    """

    card: str
    cards: int
    bandwidth: int
    weight_bytes: int
    read_bytes: int
    each: float
    together: float


def fastest_decode(setup: ServeSetup, found: Estimate) -> DecodeBound | None:
    """Of one kind of card that was named and whose bandwidth is known; else none.

    Several users choose among the same experts at best, so those of one token are read for all.
    Cards that divide each layer read at once; cards that have layers of their own read one
    after another, and together only for several users. None where the host computes a part, and
    with a draft, which guesses several tokens a step.
    """
    split = setup.split
    if len(setup.cards) != 1 or setup.draft is not None or host_bytes(setup):
        return None
    if split.attentions > 1:  # a token meets one card's attention, and experts of them all
        return None
    card = setup.cards[0].card
    if not isinstance(card, Gpu) or card.bandwidth_gbs is None:
        return None
    bandwidth = round(card.bandwidth_gbs * GB)
    if all(one.name is not MomentName.DECODE for one in found.moments):
        return None
    active = active_bytes(setup)
    cache = _cached(setup, found)
    read = active + cache
    by_rows = any(part.rows for part in split.slices)
    at_once = split.stages if by_rows else split.tp
    each = bandwidth * at_once / read
    spread = active + cache // setup.world if at_once == 1 else read
    together = setup.users * bandwidth * at_once / spread
    return DecodeBound(card.name, setup.world, bandwidth, active, read, each, together)


def _cached(setup: ServeSetup, found: Estimate) -> int:
    """Bytes of the caches of all cards of one copy."""
    if not found.shares:
        return _cache_of(found) * setup.world
    return sum(_cache_of(share.estimate) * share.cards for share in found.shares)


def _cache_of(found: Estimate) -> int:
    lines = (line for one in found.moments if one.name is MomentName.DECODE for line in one.lines)
    return sum(line.bytes for line in lines if line.key in CACHE)


def active_bytes(setup: ServeSetup) -> int:
    """Bytes of the weights that a token is multiplied with: of experts those that it goes to.

    Tables that it is looked up in are not read; an embedding that is the head as well is.
    """
    architecture, numbers = setup.shape.architecture, setup.numbers
    tied = architecture.tied and architecture.head
    total = 0
    seen_head = False
    for dtype, tensor in held_tensors(architecture, numbers):
        if tensor.role is Role.HEAD:
            seen_head = True
        if tensor.role in NOT_READ:
            continue
        size = dtype.size_of(tensor.experts * tensor.rows * tensor.columns) * tensor.copies
        total += size * tensor.active_experts // tensor.experts
    if tied and not seen_head:
        total += numbers.head.size_of(architecture.vocabulary * architecture.hidden)
    given = numbers.given_bytes
    return total if given is None else min(total, given)
