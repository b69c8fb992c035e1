"""Cards that were asked about."""

from collections.abc import Sequence
from dataclasses import dataclass

from estimator.gpu_rows import CardClass, Gpu


@dataclass(frozen=True, slots=True)
class Cards:
    """`count` cards of one kind."""

    card: Gpu | CardClass
    count: int


def asked_cards(cards: Sequence[Cards]) -> int:
    """How many cards were asked for in all."""
    return sum(entry.count for entry in cards)
