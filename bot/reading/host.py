"""How much memory the machine has beside its cards: `4090, 64 GB RAM`. No field holds it."""

import re
from typing import NamedTuple

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from estimator import KIB

RAM = "ram"  # the field of such facts
MEMORY = re.compile(r"\b(ram|ddr\d|memory)\b", re.IGNORECASE)  # what else is so written is a disk
_WORD = r"(?:(?:(?:host|system|cpu|main)[ -]?)(?:ram|memory)|ram|ddr[345])"
_SIZE = r"(?P<size>\d+(?:\.\d+)?) ?(?P<unit>t|g)i?b?\b"
_BEFORE = re.compile(
    rf"\b{_WORD}(?: of| is| at)? ?[:=]? ?{_SIZE}(?! ?(?:of )?(?:vram|gpu))", re.IGNORECASE
)
_BEHIND = re.compile(rf"(?<![\w.])(?:(?P<times>\d+) ?x ?)?{_SIZE} (?:of )?{_WORD}\b", re.IGNORECASE)
_ENDS_IN_SIZE = re.compile(r"\d ?[tg]i?b?(?: of)? ?$", re.IGNORECASE)  # its word comes behind it


class Host(NamedTuple):
    """The gigabytes on the box, and the note that they change nothing, for where that is so."""

    gigabytes: float
    unused: str


def take_host(text: str, said: Said) -> str:
    """`host ram 256gb`, `ram: 64 GB`, `1 TB of RAM`, `2x32GB DDR5`: `text` without them.

    Others are read as any number with its unit is.
    """

    def before(found: re.Match[str]) -> str:
        told = ":" in found[0] or "=" in found[0]  # the word is the size's that follows
        if not told and _ENDS_IN_SIZE.search(text[: found.start()]):
            return found[0]
        return _take(found, 1, said)

    def behind(found: re.Match[str]) -> str:
        if found["times"] is None and found["unit"].casefold() == "g":
            return found[0]
        return _take(found, int(found["times"] or 1), said)

    text = _BEHIND.sub(behind, text)
    return _BEFORE.sub(before, text)


def _take(found: re.Match[str], times: int, said: Said) -> str:
    step = KIB if found["unit"].casefold() == "t" else 1
    said.facts.append(Fact(RAM, times * float(found["size"]) * step, found[0]))
    return " , "


def host_facts(said: Said) -> list[Fact]:
    """What was said of the host's memory; nothing where several sizes were."""
    facts = [fact for fact in said.all_of(RAM) if MEMORY.search(fact.text)]
    return facts if len({fact.value for fact in facts}) == 1 else []


def host_of(said: Said, locale: Locale) -> Host | None:
    """What the machine has beside its cards; none where several sizes were said, or none."""
    facts = host_facts(said)
    size = facts[0].value if facts else None
    if not isinstance(size, int | float | str) or not _is_number(size):
        return None
    words = ", ".join(f"`{echo(text)}`" for text in dict.fromkeys(fact.text for fact in facts))
    return Host(float(size), locale.say("unused", words=words))


def _is_number(size: float | str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", str(size)) is not None
