"""Figures that can be, of a message that anybody may have written."""

from collections.abc import Mapping
from dataclasses import replace

from bot.reading.oom.message import OomMessage
from estimator import GIB, KIB

MOST_BYTES = KIB * KIB * GIB  # no card, machine or file has more
MOST_COUNT = KIB * GIB  # of tokens, layers, requests
MOST_PROCESSES = 8
LEFT = ("available", "kv_cache")  # for a server's cache; below nothing it says how much too much


def believable(message: OomMessage) -> OomMessage:
    """The same without figures below nothing or beyond everything, which are named as ignored."""
    figures = {name: size for name, size in message.figures.items() if 0 <= size <= MOST_BYTES}
    if not figures.get("total", 1):
        del figures["total"]
    kept = tuple(one for one in message.processes if 0 <= one.used_bytes <= MOST_BYTES)
    over = max((-message.figures.get(name, 0) for name in LEFT), default=0)
    if 0 < over <= MOST_BYTES:
        figures["over"] = over
    wrong = [name for name, size in message.figures.items() if not _can_be(name, size)]
    if len(kept) < len(message.processes):
        wrong.append("other_processes")
    ignored = tuple(dict.fromkeys((*message.ignored, *wrong)))
    counts = _counts(message.counts)
    return replace(
        message,
        figures=figures,
        counts=counts,
        processes=kept[:MOST_PROCESSES],
        ignored=ignored,
        incomplete=message.incomplete or not (figures or kept or counts),
    )


def _counts(said: Mapping[str, float]) -> Mapping[str, float]:
    return {name: value for name, value in said.items() if abs(value) <= MOST_COUNT}


def _can_be(name: str, size: int) -> bool:
    least = -MOST_BYTES if name in LEFT else 0
    return least <= size <= MOST_BYTES
