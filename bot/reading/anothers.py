"""Cards that are another's: `my friend has 8xH100, I have a 3090` asks about the 3090 alone.

Only where the line also says which are the asker's; else the only cards there are count.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said

if TYPE_CHECKING:
    from bot.reading.walk import Scanned

LONG = 4  # letters of a word that is looked for by its beginning
MOST_PARTS = 24  # of a text; who says more tells of much else
OWNED = ("gpus", "world", "device", "ram", "nodes", "vram")  # facts of somebody's machine
CARDS = ("gpus", "device")
BESIDE = ("task_hint", "both", "either", "listed")  # what else says nothing by itself
PEOPLE = (
    "friend", "friends", "buddy", "mate", "bro", "brother", "sister", "cousin", "dad", "uncle",
    "roommate", "flatmate", "neighbor", "neighbour", "colleague", "colleagues", "coworker",
    "boss", "professor", "advisor", "supervisor", "guy", "someone", "somebody", "everyone",
    "everybody", "people", "others", "they", "he", "she", "folks", "authors", "author",
    "lab", "labs", "university", "uni", "school", "company", "office", "cluster", "team",
    "benchmark", "benchmarks", "paper", "papers", "article", "tutorial", "guide", "blog", "post",
    "video", "youtuber", "youtube", "reddit", "redditor", "readme", "repo", "docs", "thread",
)  # fmt: skip
_PART = compiled(  # what stands between two of them speaks of one owner
    r"(?P<end>[.?!\n;]+(?=\s|$))|,(?=\s)|\s[–—-]\s"
    r"|\b(?:but|and|while|whereas|though|although|however|yet)\b|\b(?=(?:i|ive|im|we|my|mine)\b)",
    re.IGNORECASE,
)
_OTHER = compiled(rf"\b(?:{'|'.join(PEOPLE)})\b", re.IGNORECASE)
_OWN = compiled(
    r"\b(?:i|i'?ve|i'?m|i'?d|me|my|mine|we|we'?ve|our|ours|myself)\b(?!\s+(?:saw|read|heard|watched))",
    re.IGNORECASE,
)
_TOGETHER = compiled(  # where what is another's may count as well, or is what is asked
    r"\b(?:together|combin\w+|pool\w*|join\w*|both|link\w*|borrow\w*|len[dt]\w*|shar\w+|giv\w+"
    r"|gave|sell\w*|sold|offer\w*|add\w*|which|vs|versus|better|compar\w+|access|between us)\b"
    r"|\bor\b(?!\s+(?:not|no|less|more|so)\b)",
    re.IGNORECASE,
)
_SHORT = ("he ", "lab", "guy", "uni", "dad", "bro")
_HINTS = tuple(dict.fromkeys((*(word[:4] for word in PEOPLE if len(word) >= LONG), *_SHORT)))


def take_anothers(text: str, scan: "Callable[[str], Scanned]", locale: Locale, said: Said) -> str:
    """`text` without another's cards, which are said; `scan` finds the facts of a part."""
    if not _may_be(text):
        return text
    parts = _parts(text)
    owners = _owners(parts)
    if len(parts) > MOST_PARTS or not {"own", "other"} <= set(owners):
        return text
    found = [
        scan(part).said.facts if owner else [] for part, owner in zip(parts, owners, strict=True)
    ]
    of_own = [facts for facts, owner in zip(found, owners, strict=True) if owner == "own"]
    if not any(fact.field in CARDS for facts in of_own for fact in facts):
        return text
    aside: list[str] = []
    for n, (facts, owner) in enumerate(zip(found, owners, strict=True)):
        if owner == "other":
            parts[n] = _without(parts[n], facts, aside)
    if aside:
        words = ", ".join(dict.fromkeys(aside))
        said.remarks.append(locale.say("anothers_cards", words=words))
    return "".join(parts)


def _without(part: str, facts: Sequence[Fact], aside: list[str]) -> str:
    """`part` less its machine, which goes to `aside`; nothing of it where it says no more."""
    machine = [fact for fact in facts if fact.field in OWNED and fact.text]
    aside += [f"`{echo(fact.text)}`" for fact in machine]
    if machine and all(fact.field in (*OWNED, *BESIDE) for fact in facts):
        return " , "
    for fact in machine:
        part = part.replace(fact.text, " , ", 1)
    return part


def _may_be(text: str) -> bool:
    words = text.casefold()
    if not any(hint in words for hint in _HINTS):
        return False
    found = _OTHER.search(text) is not None and _OWN.search(text) is not None
    return found and _TOGETHER.search(text) is None


def _parts(text: str) -> list[str]:
    """Parts of `text`, which together are all of it; each begins with what parts it."""
    starts = [0, *(found.start() for found in _PART.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(starts)]


def _owners(parts: list[str]) -> list[str]:
    """Whose each part is: `own`, `other` or nobody's; one without a subject goes on."""
    owners: list[str] = []
    for part in parts:
        ends = part[:1] in ".?!\n;"
        before = "" if ends or not owners else owners[-1]
        other = _OTHER.search(part)
        own = _OWN.search(part)
        if other is not None and (own is None or _is_of_other(part, other)):
            owners.append("other")
        elif own is not None:
            owners.append("own")
        else:
            owners.append(before)
    return owners


def _is_of_other(part: str, other: re.Match[str]) -> bool:
    """Whether one's own word only tells whose they are: `my friend`, `our lab`."""
    rest = part[: other.start()]
    own = [found[0].casefold() for found in _OWN.finditer(part)]
    return len(own) == 1 and own[0] in ("my", "our") and _OWN.search(rest) is not None
