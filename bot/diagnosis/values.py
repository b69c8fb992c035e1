"""What sentences may name of a message: its figures and counts under the names of placeholders."""

from math import isfinite

from bot.diagnosis.card import OnCard
from bot.reading.oom.message import OomMessage
from estimator import GIB


def count(message: OomMessage, *names: str) -> int:
    """The first whole number of these that is said; 0 for none."""
    found = (message.counts[name] for name in names if name in message.counts)
    return next((int(value) for value in found if isfinite(value) and value >= 0), 0)


def sizes(message: OomMessage) -> dict[str, int | float | str]:
    """Every figure under the name that sentences use."""
    return {f"{name}_bytes": size for name, size in message.figures.items()}


def tried_or_bare(card: OnCard) -> str:
    """The kind of a sentence that names what was tried; else of one that names nothing."""
    return "" if card.tried else "bare"


def values_of(message: OomMessage) -> dict[str, int | float | str]:
    """Figures and counts under the names of sentences; sizes that are the same under one."""
    said = message.figures
    values = sizes(message)
    values |= {name: count(message, name) for name in message.counts if name != "utilization"}
    values["tokens"] = count(message, "kv_tokens")
    values["allocated_bytes"] = said.get("allocated_by_pytorch", 0)
    values["other_bytes"] = said.get("other", 0)
    values["cache_bytes"] = said.get("kv_cache", said.get("kv_cache_bytes", 0))
    values["shape"] = " × ".join(f"{size:,}" for size in message.shape[:8] if 0 <= size <= GIB)
    return values
