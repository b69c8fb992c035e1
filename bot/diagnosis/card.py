"""What a message says of a card, put together: who holds how much of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.diagnosis.diagnosis import Account, Holder, Part
from bot.reading.oom.message import OomKind, OomMessage, Process
from estimator import GIB

SLACK = 0.02  # of the total, that rounding and the driver may differ by
ROUNDING = 0.005  # of the total, that figures printed to a hundredth may leave over
HOSTS = (OomKind.HOST_RAM, OomKind.OLLAMA_SYSTEM)  # whose figures are of the machine's memory
LEAST_OTHERS = GIB // 2  # that nobody is said to hold, to be taken as another program's


@dataclass(frozen=True, slots=True)
class OnCard:
    """In bytes; none where it is not said. `own`: all of this process. `others`: not of it."""

    tried: int
    total: int
    free: int | None
    allocated: int | None
    idle: int | None
    own: int | None
    others: tuple[Process, ...]
    others_bytes: int

    @property
    def pytorch(self) -> int:
        """What PyTorch holds of the card, in use or not."""
        return (self.allocated or 0) + (self.idle or 0)

    @property
    def unsaid(self) -> int:
        """What of the total nobody is said to hold."""
        if not self.total or self.free is None:
            return 0
        held = self.pytorch if self.own is None else self.own
        return max(0, self.total - self.free - held - self.others_bytes)


def on_card(message: OomMessage) -> OnCard:
    """The figures of one message; processes told apart."""
    said = message.figures
    total, free = said.get("total", 0), said.get("free")
    allocated, idle = said.get("allocated_by_pytorch"), _idle(message)
    held = (allocated or 0) + (idle or 0)
    own, others = said.get("this_process"), message.processes
    if own is None and others and total and _too_many(held, others, total, free):
        own, others = _own_of(held, others)
    listed = sum(one.used_bytes for one in others)
    if not listed and own is not None and total and free is not None:
        rest = total - free - own
        listed = rest if rest >= max(LEAST_OTHERS, SLACK * total) else 0
    return OnCard(said.get("tried", 0), total, free, allocated, idle, own, others, listed)


def account_of(message: OomMessage, card: OnCard) -> Account:
    """The parts of the card, the program's own first; together they are the total.

    None of a machine's memory: who else holds that is never said.
    """
    if message.kind in HOSTS:
        return Account((), 0, 0)
    total = card.total or message.figures.get("limit", 0)
    parts = [part for part in _parts(message, card) if part.bytes]
    rest = total - sum(part.bytes for part in parts)
    if parts and rest > SLACK * total:
        parts.append(Part(Holder.FREE if not card.total else Holder.REMAINDER, rest))
    return Account(tuple(parts), total, card.tried)


def _parts(message: OomMessage, card: OnCard) -> Iterator[Part]:
    said = message.figures
    yield Part(Holder.ALLOCATED, card.allocated or 0)
    yield Part(Holder.IDLE, card.idle or 0)
    unsaid = card.unsaid
    if card.own is not None:
        rounded = unsaid if unsaid <= ROUNDING * card.total else 0
        unsaid -= rounded
        yield Part(Holder.REST, max(0, card.own - card.pytorch) + rounded)
    yield Part(Holder.OTHER, said.get("other", 0))
    yield from _of_server(message)
    if card.others:
        yield from (Part(Holder.PROCESSES, one.used_bytes, one.pid) for one in card.others)
    else:
        yield Part(Holder.PROCESSES, card.others_bytes)
    anybody = card.own is not None or card.allocated is not None
    yield Part(Holder.UNSAID if anybody else Holder.TAKEN, unsaid)
    yield Part(Holder.FREE, card.free or 0)


def _of_server(message: OomMessage) -> Iterator[Part]:
    said = message.figures
    yield Part(Holder.WEIGHTS, said.get("weights", 0))
    yield Part(Holder.ACTIVATIONS, said.get("activation_peak", 0))
    yield Part(Holder.OUTSIDE, said.get("non_torch", 0))
    yield Part(Holder.GRAPHS, said.get("graph", 0))
    yield Part(Holder.CACHE, said.get("kv_cache", said.get("kv_cache_bytes", 0)))


def _idle(message: OomMessage) -> int | None:
    """What PyTorch keeps and does not use; releases before 1.4 called it cached."""
    said = message.figures
    if "reserved_total" in said and "allocated_by_pytorch" in said:
        return max(0, said["reserved_total"] - said["allocated_by_pytorch"])
    return said.get("reserved_unallocated", said.get("cached"))


def _too_many(held: int, others: tuple[Process, ...], total: int, free: int | None) -> bool:
    """Whether one of `others` must be this process: in a container it has a number it knows not."""
    room = total - (free or 0)
    return held + sum(one.used_bytes for one in others) > room + SLACK * total


def _own_of(held: int, others: tuple[Process, ...]) -> tuple[int | None, tuple[Process, ...]]:
    """The process that holds what PyTorch does, and little more; and the rest."""
    able = [one for one in others if one.used_bytes >= held]
    if not able:
        return None, others
    own = min(able, key=lambda one: one.used_bytes)
    return own.used_bytes, tuple(one for one in others if one is not own)
