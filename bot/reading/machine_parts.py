"""A part of a machine's cards: `a g5.12xlarge, but only 2 of its A10Gs`.

Before counts and their cards are put together, since both would be counted: the machine's cards
become as many as may be used.
"""

import re

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.counted_apart import NUMBERS
from bot.reading.facts import Said
from bot.reading.instances import Instances, found_in, note_of
from estimator import Catalog

_N = r"[1-9]\d?|one|two|three|four|five|six|seven"
_CARDS = r"(?:gpus?|cards?|accelerators?|(?:nvidia |tesla )?[ahlvtpb]\d{1,4}[a-z]{0,2}s?)(?![\w-])"
_PART = compiled(
    rf"(?<![\w.])(?:(?P<only>only|just|with|using|uses?)\s+(?:\w{{2,10}}\s+){{0,2}})?(?P<n>{_N})(?P<of>\s+(?:out\s+)?of"
    rf"\s+(?:its|the|those|these|their|them|our|my))?(?:\s+[1-9]\d?)?\s*[x×]?\s*(?P<cards>{_CARDS})",
    re.IGNORECASE,
)
HINTS = (" of ", "only ", "just ", "with ", "us")


def take_machine_parts(
    text: str, instances: Instances, catalog: Catalog, locale: Locale, said: Said
) -> str:
    """`text` with the cards that may be used in the place of the machine that has more."""
    words = text.casefold()
    if not any(hint in words for hint in HINTS):
        return text
    part = next((f for f in _PART.finditer(text) if f["of"] or f["only"]), None)
    machines = [] if part is None else list(found_in(text, instances))
    if part is None or len(machines) != 1:
        return text
    start, stop, row = machines[0]
    count = NUMBERS.index(n) if (n := part["n"].casefold()) in NUMBERS else int(n)
    if row is None or count >= row.count or (start < part.end() and part.start() < stop):
        return text
    said.remarks.append(note_of(text[start:stop], row, catalog, locale))
    spans = sorted([(start, stop, f" {count}x {row.gpu} "), (part.start(), part.end(), " ")])
    for begin, end, words in reversed(spans):
        text = f"{text[:begin]}{words}{text[end:]}"
    return text
