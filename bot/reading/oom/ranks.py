"""Which of several processes said it: `[rank3]:`, `(VllmWorker rank=1 pid=254)`, `TP3`."""

from bot.reading.oom.figures import count_of
from bot.reading.oom.wording import Phrases, first_of

RANKS: Phrases = {
    "rank": (
        r"\[rank ?{n}\]",
        r"\b\w{0,20}Worker\w{0,20} rank={n}\b",
        r"\bon rank {n}\b",
        r"\brank ?: {n} \(local_rank",
        r"\b(?:Worker_?)?TP(\d{1,4})\b(?= ?(?:pid|\]|_|:))",
    ),
    "local_rank": r"local_rank ?[=:] ?{n}",
}


def ranks_in(text: str) -> dict[str, float]:
    """The rank and the local rank that the lines of `text` begin with, the first of each."""
    return {name: count_of(m[1]) for name, p in RANKS.items() if (m := first_of(p, text))}
