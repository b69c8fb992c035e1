"""One way in which a program says it, as data: how it is known, and where its figures stand."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.reading.oom.figures import amount_in, count_of, phrase
from bot.reading.oom.message import OomKind, OomMessage
from estimator import GIB

Phrases = Mapping[str, str | tuple[str, ...]]  # name → where it stands, the likeliest first

NONSENSE = GIB * GIB  # bytes that no machine has: WSL2 shows 2^34 GiB of a process
USABLE = ("max_seq_len", "kv_tokens", "total_tokens", "prefill_tokens", "requested_tokens")
NOT_OF_IT = ("peak", "kv_cache", "weights")  # figures of lines before that are no size of it


@dataclass(frozen=True, slots=True)
class Wording:
    """`known_by`: any of these phrases. Figures stand behind it, words and counts anywhere.

    `before`: figures are looked for in the whole text too, where they are not behind it.
    `thousands`: its GB are powers of 1000.
    """

    kind: OomKind
    known_by: tuple[str, ...]
    figures: Phrases = field(default_factory=dict)
    counts: Phrases = field(default_factory=dict)
    words: Phrases = field(default_factory=dict)
    before: bool = False
    thousands: bool = False


def read_wording(wording: Wording, text: str) -> OomMessage | None:
    """What `text` says in this wording; None where it does not stand there."""
    start = first_of(wording.known_by, text)
    if start is None:
        return None
    part = "" if wording.before else text[start.start() : _next(text, start)]
    return message_of(wording, part or text)


def message_of(wording: Wording, text: str) -> OomMessage:
    """The figures of a wording in the text that is known to be in it."""
    figures: dict[str, int] = {}
    ignored: list[str] = []
    for name, phrases in wording.figures.items():
        amount = amount_in(phrases, text, thousands=wording.thousands)
        if amount is None:
            continue
        if abs(amount) >= NONSENSE:
            ignored.append(name)
        else:
            figures[name] = amount
    counts = {n: count_of(m[1]) for n, p in wording.counts.items() if (m := first_of(p, text))}
    words = {n: m[1] for n, p in wording.words.items() if (m := first_of(p, text))}
    return OomMessage(
        wording.kind,
        figures,
        counts,
        words,
        incomplete=lacks_sizes(figures, counts),
        ignored=tuple(ignored),
    )


def lacks_sizes(figures: Mapping[str, int], counts: Mapping[str, float]) -> bool:
    """Whether nothing of it says how large it was."""
    return not any(name not in NOT_OF_IT for name in figures) and not any(
        name in counts for name in USABLE
    )


def first_of(phrases: str | Sequence[str], text: str) -> re.Match[str] | None:
    """Where the first of `phrases` that stands in `text` does."""
    tried = (phrases,) if isinstance(phrases, str) else phrases
    return next((found for one in tried if (found := phrase(one).search(text))), None)


def _next(text: str, start: re.Match[str]) -> int:
    """Where the same is said again, as each rank does; else the end."""
    again = start.re.search(text, start.end())
    return len(text) if again is None else again.start()
