"""`tp 8 on one 4090`: a single card that is counted as one, split over more."""

from collections.abc import Callable
from typing import Any

from bot.reading.facts import CardsSaid, Said

SPLITS = ("tp", "pp", "cp", "ep", "world")  # each over so many cards


def refuse_one_split(fields: dict[str, Any], said: Said, wrong: Callable[..., None]) -> None:
    """More cards than the one that was counted; a card that nobody counted is of as many."""
    cards = fields.get("gpus")
    if not isinstance(cards, list) or sum(int(card["count"]) for card in cards) != 1:
        return
    counted = any(
        isinstance(fact.value, CardsSaid) and fact.value.counted for fact in said.all_of("gpus")
    )
    for name in SPLITS if counted else ():
        over = fields.get(name)
        if isinstance(over, int) and over > 1:
            wrong("contradiction", "one_split", field=name, name=name, count=over)
            return
