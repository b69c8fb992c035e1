"""Why llama.cpp and what is built on it found no room: which of its buffers was refused."""

from collections.abc import Iterator

from bot.diagnosis.card import OnCard
from bot.diagnosis.diagnosis import Cause, Finding, Values
from bot.diagnosis.values import count, tried_or_bare, values_of
from bot.reading.oom.message import OomKind, OomMessage

BUFFERS = {
    OomKind.LLAMA_CPP_WEIGHTS: Cause.WEIGHTS,
    OomKind.LLAMA_CPP_KV: Cause.CACHE,
    OomKind.LLAMA_CPP_COMPUTE: Cause.COMPUTE,
    OomKind.LLAMA_CPP_PINNED: Cause.PINNED,
}
AHEAD = {  # found too large before anything was loaded, and the figures that say so
    OomKind.LLAMA_CPP_FIT: (Cause.DEFICIT, {"deficit"}),
    OomKind.OLLAMA_SYSTEM: (Cause.SYSTEM, {"needed", "available"}),
    OomKind.GUARDRAIL: (Cause.GUARDRAIL, {"needed"}),
}
KINDS = (*BUFFERS, *AHEAD)


def deficit_of(message: OomMessage, values: Values) -> Finding:
    """How much a plan takes beside what there is of the card; what is missing, said or not."""
    said = message.figures
    needed, room = said.get("needed", 0), said.get("free", said.get("total", 0))
    missing = said.get("deficit", max(0, needed - room) if room else 0)
    if not missing:
        return Finding(Cause.DEFICIT, values, "bare")
    alone = "free" in said or count(message, "devices") <= 1  # the total is of one card
    kind = "" if not (needed and room and alone) else "free" if "free" in said else "total"
    return Finding(Cause.DEFICIT, {**values, "deficit_bytes": missing}, kind)


def of_ggml(message: OomMessage, card: OnCard) -> Iterator[Finding]:
    """The verdict; of a compute buffer behind a cache whose tokens are said, the context's."""
    values = values_of(message)
    if message.kind in AHEAD:
        cause, needed = AHEAD[message.kind]
        if cause is Cause.DEFICIT:
            yield deficit_of(message, values)
            return
        yield Finding(cause, values, "" if needed <= set(message.figures) else "bare")
        return
    cache = message.figures.get("kv_cache")
    if message.kind is OomKind.LLAMA_CPP_COMPUTE and cache and count(message, "kv_tokens"):
        yield Finding(Cause.CACHE, {**values, "cache_bytes": cache}, "window")
    kind = tried_or_bare(card)
    if message.kind is OomKind.LLAMA_CPP_PINNED and message.words.get("backend") == "vulkan":
        kind = "vulkan"
    yield Finding(BUFFERS[message.kind], values, kind)
