"""Which of several words says how to train: `adapter: qlora`, `full parameter APOLLO`."""

from bot.reading.facts import Fact
from bot.reading.precision import FULL_LIKE

NO_ADAPTER = ("adapter", "adapters", "peft")  # words that leave open which


def methods_of(found: list[Fact]) -> list[Fact]:
    """`adapter: qlora` and `full parameter APOLLO` say one method each."""
    named = [f for f in found if f.text.casefold() not in NO_ADAPTER]
    found = named or found
    own = [f for f in found if f.value in FULL_LIKE]
    if own and all(f.value == "full" or f in own for f in found):
        return own
    return found
