"""Cards named in a list, where naming one twice means two: `3090, 3090`, `a 4090 and a 4090`."""

from bot.reading.line import Line
from bot.reading.quantity import unit_at
from bot.reading.vocabulary import Kind

LISTED = "listed"  # a fact before a card that stands in a list with the one before
LINKS = ("a", "an", "the", "my", "another", "more", "second", "third", "fourth", "other", "extra",
         "additional", "further", "also", "then", "yet", "one", "rtx", "gtx")  # fmt: skip
ONE_MORE = ("another", "second", "third", "fourth", "additional")
SEPARATORS = frozenset(" ,;+&·|、，；)]\n\t")


def is_listed(line: Line, at: int) -> bool:
    """Whether nothing but list separators and linking words stand between two cards."""
    start = line.cards_end
    if start < 0 or start > at:
        return False
    if start < at and line.atoms[at - 1].text in ONE_MORE:
        return True  # `a 3090, but I have a second 3090`
    return _separates(line, start, at) and _past_links(line, start, at) == at


def _past_links(line: Line, start: int, end: int) -> int:
    """The first atom from `start` that is no linking word, `end` at most."""
    at = start
    while at < end:
        length = _links(line, at)
        if not length:
            break
        at += length
    return at


def is_open(line: Line, at: int) -> bool:
    """`a 3090 and another`: one more behind cards, of which nothing is named."""
    if line.atoms[at].text not in ONE_MORE or not is_listed(line, at):
        return False
    end = _past_links(line, at + 1, len(line.atoms))
    quantity = line.quantity(end) if end < len(line.atoms) and not line.atoms[end].apart else None
    return quantity is None or not quantity.facts or quantity.facts[0][0] != "gpus"


def _separates(line: Line, start: int, end: int) -> bool:
    """Whether all that stands between the words is what separates things in a list."""
    ends = [(line.atoms[n - 1].end, line.atoms[n].start) for n in range(start, end + 1)]
    return all(SEPARATORS.issuperset(line.source[a:b]) for a, b in ends)


def _links(line: Line, at: int) -> int:
    """Atoms of the linking word at `at`; 0 for any other."""
    match = line.match(at)
    if match is None:
        return 1 if line.atoms[at].text in LINKS else 0
    filler, value = match.of(Kind.FILLER), match.of(Kind.VALUE)
    joins = filler is not None and filler.field in ("both", "greeting")
    maker = value is not None and value.value == "brand"
    if joins or maker or unit_at(line.atoms, at, line.vocabulary) == "of_card":
        return match.length
    return 1 if line.atoms[at].text in LINKS else 0
