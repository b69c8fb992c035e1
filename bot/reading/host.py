"""How much memory the machine has beside its cards: `4090, 64 GB RAM`. No field holds it."""

import re
from dataclasses import dataclass

from bot.compiled import compiled
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from estimator import KIB

RAM = "ram"  # the field of such facts
MEMORY = compiled(r"\b(ram|ddr\d|memory)\b", re.IGNORECASE)  # what else is so written is a disk
WORDS = ("ram", "ddr", "memory")  # one of them is there
_WORD = r"(?:(?:(?:host|system|cpu|main)[ -]?)(?:ram|memory)|ram|ddr[345])"
_SIZE = r"(?P<size>\d+(?:\.\d+)?) ?(?P<unit>t|g)i?b?\b"
_BEFORE = compiled(
    rf"\b{_WORD}(?: of| is| at)? ?[:=]? ?{_SIZE}(?! ?(?:of )?(?:vram|gpu))", re.IGNORECASE
)
_BEHIND = compiled(rf"(?<![\w.])(?:(?P<times>\d+) ?x ?)?{_SIZE} (?:of )?{_WORD}\b", re.IGNORECASE)
_ENDS_IN_SIZE = compiled(r"\d ?[tg]i?b?(?: of)? ?$", re.IGNORECASE)  # its word comes behind it

LONGEST_SIZE = 12  # characters that such an end may have


@dataclass(frozen=True, slots=True)
class HostSaid:
    """`words` as they were typed, for an echo; `gb` on the box, none where that is not one size."""

    words: str
    gb: float | None


def take_host(text: str, said: Said) -> str:
    """`host ram 256gb`, `ram: 64 GB`, `1 TB of RAM`, `2x32GB DDR5`: `text` without them.

    Others are read as any number with its unit is.
    """

    def before(found: re.Match[str]) -> str:
        told = ":" in found[0] or "=" in found[0]  # the word is the size's that follows
        end = found.start()
        if not told and _ENDS_IN_SIZE.search(text, max(0, end - LONGEST_SIZE), end):
            return found[0]
        return _take(found, 1, said)

    def behind(found: re.Match[str]) -> str:
        if found["times"] is None and found["unit"].casefold() == "g":
            return found[0]
        return _take(found, int(found["times"] or 1), said)

    words = text.casefold()
    if not any(word in words for word in WORDS):
        return text
    text = _BEHIND.sub(behind, text)
    return _BEFORE.sub(before, text)


def _take(found: re.Match[str], times: int, said: Said) -> str:
    step = KIB if found["unit"].casefold() == "t" else 1
    said.facts.append(Fact(RAM, times * float(found["size"]) * step, found[0]))
    return " , "


def host_of(said: Said) -> HostSaid | None:
    """What was said of the host; none where nothing was."""
    facts = [fact for fact in said.all_of(RAM) if MEMORY.search(fact.text)]
    if not facts:
        return None
    sizes = {fact.value for fact in facts}
    size = sizes.pop() if len(sizes) == 1 else None
    words = ", ".join(f"`{word}`" for word in dict.fromkeys(echo(fact.text) for fact in facts))
    known = isinstance(size, int | float | str) and _is_number(size)
    return HostSaid(words, float(str(size)) if known else None)


def is_elsewhere(fact: Fact) -> bool:
    """Whether that much memory lies where no answer needs any: in a swap file, on a disk."""
    return fact.field == RAM and not MEMORY.search(fact.text)


def _is_number(size: float | str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", str(size)) is not None
