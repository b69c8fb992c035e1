"""Cards said together, and cards said as alternatives: `2x3090 and a 4090`, `3090 or 4090`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bot.reading.facts import CardsSaid, Fact, Said
from bot.reading.line import Line
from bot.reading.listing import LISTED
from bot.reading.number_lists import COMPARE
from bot.reading.vocabulary import JOINING
from estimator import Catalog, key_of

Cards = list[dict[str, object]]
RANGING = ("to", "till", "until")
DASHES = ("-", "–", "—")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing said of cards; `joint` is what stands between it and the one before.

    `either`: one of the two; `both`: together; nothing: a list, which is what its last
    joint makes of it.
    """

    cards: CardsSaid
    joint: str = ""


def is_behind_slash(line: Line, at: int) -> bool:
    """`3090/4090`: a card right behind another and a slash, which is an `or`."""
    last = line.said.facts[-1] if line.said.facts else None
    between = line.source[line.atoms[at - 1].end : line.atoms[at].start] if at else ""
    return last is not None and last.field == "gpus" and line.fact_end == at and "/" in between


def note_range(line: Line, at: int) -> None:
    """`8gb to 12gb`, `8-12gb`: cards of which one is meant, as with `or`."""
    if at <= 0 or line.atoms[at].apart:
        return
    dash = line.source[line.atoms[at - 1].end : line.atoms[at].start].strip() in DASHES
    end = at if dash else at - 1
    said = line.said.facts[-1].value if line.said.facts else None
    sizes = isinstance(said, CardsSaid) and not (said.name or said.counted)
    to = dash or line.atoms[at - 1].text in RANGING
    if to and ((sizes and end == line.cards_end) or end == line.loose_end):
        line.said.facts.append(Fact("either", "to", "to"))


def take_bare_size(line: Line, at: int) -> None:
    """The 24 of `24/48GB`, `24+48GB` and `24 or 48GB`, before the size at `at`: a size as well."""
    said, end = line.said, line.loose_end
    either = bool(said.facts) and said.facts[-1].field == "either"
    between = line.source[line.atoms[at - 1].end : line.atoms[at].start] if end == at else ""
    slash = "/" in between
    number = line.atoms[end - 1].number if end > 0 else None
    plus = "+" in between
    if number is None or not said.loose or not (slash or plus or (either and end in (at, at - 1))):
        return
    size = Fact("gpus", CardsSaid(1, "", number), f"{said.loose.pop()} GB")
    said.facts[-1:] = [size, said.facts[-1]] if either else [*said.facts[-1:], size]
    if slash:
        said.facts.append(Fact("either", "/", "/"))
    if plus:
        said.facts.append(Fact(LISTED, "", ""))


def entries_of(said: Said, catalog: Catalog) -> list[Entry]:
    """What was said of cards, in order and once; a size said apart is with its card."""
    entries: list[Entry] = []
    joint, listed, ranged = "", False, False
    before: Fact | None = None
    for fact in said.facts:
        if fact.field == "range":
            ranged = True
        elif fact.field == LISTED:
            listed = True
        elif fact.field in JOINING and fact.field != COMPARE:
            joint = "either" if joint == "either" or (ranged and entries) else fact.field
        elif fact.field == "gpus" and isinstance(fact.value, CardsSaid):
            entry = Entry(fact.value, joint if entries else "")
            if not joint and _is_other_name(fact, before):
                continue
            before = fact
            if listed and joint != "either":
                entries.append(entry)
            elif not _is_told(entry, entries):
                again = any(_is_of_kind(other.cards, fact.value) for other in entries)
                entries.append(replace(entry, joint="either") if again else entry)
            joint, listed = "", False
    return _merged(entries, catalog)


def _is_other_name(fact: Fact, before: Fact | None) -> bool:
    """`framework desktop, strix halo`: one card by two of its names."""
    one, other = (None if before is None else before.value), fact.value
    if before is None or not isinstance(one, CardsSaid) or not isinstance(other, CardsSaid):
        return False
    texts = [key_of(before.text), key_of(fact.text)]
    apart = not any(text in other_text for text, other_text in (texts, texts[::-1]))
    uncounted = not (one.counted or other.counted)
    return bool(one.name) and one.name == other.name and uncounted and apart


def _is_told(entry: Entry, entries: list[Entry]) -> bool:
    """Whether cards are spoken of again: `2x 3090 … is the 3090 enough`; the count is kept."""
    for n, other in enumerate(entries):
        if not _is_of_kind(other.cards, entry.cards):
            continue
        if entry.cards.count == other.cards.count:
            return True
        if entry.joint != "either" and not (entry.cards.counted and other.cards.counted):
            counted = other.cards if other.cards.counted else entry.cards
            entries[n] = replace(other, cards=counted)
            return True
    return False


def _is_of_kind(one: CardsSaid, other: CardsSaid) -> bool:
    return (one.name, one.gigabytes) == (other.name, other.gigabytes)


def _merged(entries: list[Entry], catalog: Catalog) -> list[Entry]:
    """`A100 … 80GB` said apart is one card with its size, if it has that size."""
    named = [entry.cards for entry in entries if entry.cards.name]
    sizes = [entry.cards for entry in entries if not entry.cards.name]
    if len(named) != 1 or len(sizes) != 1 or named[0].gigabytes or sizes[0].counted:
        return entries
    card = catalog.gpus.get(named[0].name)
    made = {gpu.memory_gb for gpu in catalog.cards_sharing(named[0].name)}
    made |= {card.memory_gb} if card else set()
    if sizes[0].gigabytes not in made or entries[-1].joint == "either":
        return entries
    return [Entry(replace(named[0], gigabytes=sizes[0].gigabytes, bare=False))]


def amounts_of(entries: Sequence[Entry]) -> list[Entry]:
    """Sizes beside a card's name that are no cards themselves: "needs 16GB on my 3090"."""
    named = any(entry.cards.name for entry in entries)
    meant = [
        entry
        for one, other in pairwise(entries)
        if other.joint == "either" and (one.cards.name or other.cards.name)
        for entry in (one, other)
    ]
    return [
        entry
        for entry in entries
        if named and not entry.cards.name and not entry.cards.counted and entry not in meant
    ]


def groups_of(cards: Iterable[tuple[Cards, str]], *, compared: bool = False) -> list[Cards]:
    """Cards with their joints → what is used together; more than one are alternatives.

    `compared`: a list of them is of alternatives.
    """
    found = [(list(group), joint) for group, joint in cards]
    if compared and not any(joint == "both" for _, joint in found):
        found = [(group, "either") for group, _ in found]
    if not any(joint == "either" for _, joint in found[1:]):
        found = [(group, "both") for group, _ in found]
    groups: list[Cards] = []
    for group, joint in found:
        if groups and joint == "both":
            groups[-1] += group
        else:
            groups.append(group)
    groups = [_counted(group) for group in groups]
    return [group for n, group in enumerate(groups) if group not in groups[:n]]


def _counted(cards: Cards) -> Cards:
    """Each kind of card once, with how many there are of it."""
    counts: dict[object, int] = {}
    for card in cards:
        counts[card["id"]] = counts.get(card["id"], 0) + int(str(card["count"]))
    return [{"id": name, "count": count} for name, count in counts.items()]
