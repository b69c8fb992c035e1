"""Why PyTorch's allocator got nothing, from the figures that it prints; the likeliest first."""

from collections.abc import Iterator

from bot.diagnosis.card import SLACK, OnCard
from bot.diagnosis.diagnosis import Cause, Finding
from bot.reading.oom.message import OomKind, OomMessage
from estimator import GIB

HUGE = 0.15  # of the card, from which one tensor is the story
OTHERS = 0.05  # of the card, from which others matter
NEARLY = 0.9  # of the card, from which it is full in any case
LARGE_IDLE = 0.1  # of the card, from which memory that lies idle matters
AMPLE = 2  # times what was tried, from which it was not missing
SMALL_POOL = 64 * GIB  # the largest that a processor's own graphics is given by a BIOS
APART = {Cause.LARGER, Cause.CAP, Cause.CARVE_OUT, Cause.PLENTY_FREE}  # of one large tensor
UNUSED = 0.05  # of the card, below which a program has not begun to use it


def of_pytorch(message: OomMessage, card: OnCard, *, discrete: bool) -> Iterator[Finding]:
    """Verdict and what else holds. `discrete`: a card of the tables has this total."""
    found = [*_outside(message, card, discrete=discrete), *_inside(card)]
    known = {one.cause for one in found}
    if card.total and _share(card.tried, card) >= HUGE and not known & APART:
        kind = "unfree" if card.free is None else ""
        found.append(Finding(Cause.ONE_TENSOR, _values(card), kind))
    allocated = card.allocated or 0
    full = _share(allocated, card) >= NEARLY and Cause.SPILLED not in known
    if not found or (full and Cause.ONE_TENSOR not in known):
        found.append(_full(card, after=bool(found)))
    yield from found
    yield from _notes(card)


def _outside(message: OomMessage, card: OnCard, *, discrete: bool) -> Iterator[Finding]:
    """What has nothing to do with how the program uses what it has."""
    allowed = message.figures.get("allowed")
    if allowed is not None and _is_capped(card, allowed):
        kind = "" if card.total else "untotalled"
        yield Finding(Cause.CAP, {**_values(card), "allowed_bytes": allowed}, kind)
        return
    if not card.total:
        return
    if card.allocated and card.allocated > card.total * (1 + SLACK):
        yield Finding(Cause.SPILLED, _values(card))
    elif message.kind is OomKind.HIP and not discrete and _is_carve_out(card):
        yield Finding(Cause.CARVE_OUT, _values(card))
    elif card.tried > card.total:
        yield Finding(Cause.LARGER, _values(card))
    elif _is_plenty(card):
        yield Finding(Cause.PLENTY_FREE, _values(card), "free")
    elif card.free is None and card.allocated is not None and _is_unexplained(card):
        yield Finding(Cause.PLENTY_FREE, _values(card), "unsaid")


def _inside(card: OnCard) -> Iterator[Finding]:
    """Others on the card and memory in pieces, whichever is more first."""
    idle, others = card.idle or 0, card.others_bytes
    pieces = card.tried and (
        idle >= card.tried
        or (_share(idle, card) >= LARGE_IDLE and idle + (card.free or 0) >= card.tried)
    )
    found = []
    if pieces:
        kind = "alone" if idle >= card.tried else "together"
        found.append((idle, Finding(Cause.FRAGMENTED, _values(card), kind)))
    if others and _share(others, card) >= OTHERS:
        kind = "one" if len(card.others) == 1 else "several" if card.others else "unnamed"
        values = {**_values(card), "count": len(card.others)}
        if card.others:
            values["pid"] = str(max(card.others, key=lambda one: one.used_bytes).pid)
        found.append((others, Finding(Cause.OTHERS, values, kind)))
    yield from (one for _, one in sorted(found, key=lambda pair: -pair[0]))


def _full(card: OnCard, *, after: bool) -> Finding:
    if after:
        return Finding(Cause.FULL, _values(card), "also")
    if not card.total:
        return Finding(Cause.FULL, _values(card), "tried" if card.tried else "bare")
    if card.free is None:
        return Finding(Cause.FULL, _values(card), "unfree" if card.tried else "bare")
    return Finding(Cause.FULL, _values(card), "" if card.tried else "untried")


def _notes(card: OnCard) -> Iterator[Finding]:
    """Memory that the message gives to nobody; and a message that was cut short."""
    if card.own is None and card.allocated is not None and card.unsaid >= GIB // 2:
        yield Finding(Cause.UNSAID, {"unsaid_bytes": card.unsaid})
    if card.total and card.allocated is None:
        yield Finding(Cause.SHORTENED)


def _is_capped(card: OnCard, allowed: int) -> bool:
    """Whether what was tried goes beyond what is allowed, rather than beyond the card."""
    beyond = card.pytorch + card.tried >= allowed * (1 - SLACK)
    return beyond or (bool(card.tried) and (card.free or 0) >= card.tried)


def _is_plenty(card: OnCard) -> bool:
    """Whether what was free is far more than what was tried."""
    free = card.free or 0
    return bool(card.tried) and free >= AMPLE * card.tried and _share(free, card) >= OTHERS


def _is_unexplained(card: OnCard) -> bool:
    """Whether what the program holds and tried leaves more of the card than that again."""
    return AMPLE * (card.pytorch + card.tried) < card.total


def _is_carve_out(card: OnCard) -> bool:
    """Whether a program that holds nothing was refused on a pool as small as a BIOS gives."""
    first = _share(card.pytorch, card) < UNUSED and card.tried >= (card.free or 0)
    return first and card.total <= SMALL_POOL and bool(card.tried)


def _share(amount: int, card: OnCard) -> float:
    return amount / card.total if card.total else 0.0


def _values(card: OnCard) -> dict[str, int | float | str]:
    """All that a sentence may name; what is not said is 0, and no sentence of it is taken."""
    return {
        "tried_bytes": card.tried,
        "total_bytes": card.total,
        "free_bytes": card.free or 0,
        "allocated_bytes": card.allocated or 0,
        "idle_bytes": card.idle or 0,
        "others_bytes": card.others_bytes,
        "percent": _share(card.tried, card),
        "rest_bytes": max(0, card.total - card.pytorch),
    }
