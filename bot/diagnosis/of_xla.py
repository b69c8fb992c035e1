"""Why XLA found no room: its plan is larger than the memory, or one more buffer was refused."""

from collections.abc import Iterator

from bot.diagnosis.card import OnCard
from bot.diagnosis.diagnosis import Cause, Finding
from bot.diagnosis.values import tried_or_bare, values_of
from bot.reading.oom.message import OomMessage
from bot.reading.oom.xla import TPU

INSIDE = ("vmem", "smem", "cmem", "sflag")  # a core's own memories, MiB that one kernel works in


def of_xla(message: OomMessage, card: OnCard) -> Iterator[Finding]:
    """The verdict; of a plan whose temporaries are said too, those after it."""
    said = message.figures
    needed, bound = said.get("needed", 0), said.get("total", said.get("limit", 0))
    over = said.get("deficit", max(0, needed - bound) if bound else 0)
    values = {**values_of(message), "bound_bytes": bound, "deficit_bytes": over}
    split = "temp" in said and "total_allocation" in said
    if needed and bound and over:
        name = message.words.get("component", "").casefold()
        kind = "core" if name in INSIDE else "plan"
        yield Finding(Cause.XLA, {**values, "component": name}, kind)
    elif over and not split:
        yield Finding(Cause.XLA, values, "over")
    elif not split:
        yield Finding(Cause.XLA, values, _of_buffer(message, card))
    if split:
        yield Finding(Cause.XLA, values, "temp")


def _of_buffer(message: OomMessage, card: OnCard) -> str:
    """What was refused, and what was free; JAX's share of a card is no matter on a TPU."""
    if card.tried and card.free is not None:
        return "free"
    if card.tried and message.words.get("backend") == TPU:
        return "chip"
    return tried_or_bare(card)
