"""How much memory the machine has beside its cards: `4090, 64 GB RAM`. No field holds it."""

import re
from dataclasses import dataclass

from bot.reading.clean import echo
from bot.reading.facts import Fact, Said

MEMORY = re.compile(r"\b(ram|ddr\d|memory)\b", re.IGNORECASE)  # what else is so written is a disk


@dataclass(frozen=True, slots=True)
class HostSaid:
    """`words` as they were typed, for an echo; `gb` on the box, none where that is not one size."""

    words: str
    gb: float | None


def host_of(said: Said) -> HostSaid | None:
    """What was said of the host; none where nothing was."""
    facts = [fact for fact in said.all_of("ram") if MEMORY.search(fact.text)]
    if not facts:
        return None
    sizes = {fact.value for fact in facts}
    size = sizes.pop() if len(sizes) == 1 else None
    words = ", ".join(f"`{word}`" for word in dict.fromkeys(echo(fact.text) for fact in facts))
    known = isinstance(size, int | float | str) and _is_number(size)
    return HostSaid(words, float(str(size)) if known else None)


def is_elsewhere(fact: Fact) -> bool:
    """Whether that much memory lies where no answer needs any: in a swap file, on a disk."""
    return fact.field == "ram" and not MEMORY.search(fact.text)


def _is_number(size: float | str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", str(size)) is not None
