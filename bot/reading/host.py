"""How much memory the machine has beside its cards: `4090, 64 GB RAM`. No field holds it."""

import re

from bot.reading.facts import Said

MEMORY = re.compile(r"\b(ram|ddr\d|memory)\b", re.IGNORECASE)  # what else is so written is a disk


def host_gb_of(said: Said) -> float | None:
    """The gigabytes on the box; none where several sizes were said, or none."""
    sizes = {fact.value for fact in said.all_of("ram") if MEMORY.search(fact.text)}
    size = sizes.pop() if len(sizes) == 1 else None
    return float(size) if isinstance(size, int | float | str) and _is_number(size) else None


def _is_number(size: float | str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", str(size)) is not None
