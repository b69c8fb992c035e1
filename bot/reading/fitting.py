"""Which phrase fits: one that leaves no word and no number behind it unread."""

from bot.reading.line import Line
from bot.reading.vocabulary import Kind, Match


def fitting(line: Line, at: int, match: Match) -> Match:
    """`adam fused ce` is `adam` with `fused ce`: the phrase that leaves no rest unread."""
    end = at + match.length
    if match.length == 1 or end >= len(line.atoms) or line.atoms[end].numeric:
        return match
    shorter = line.vocabulary.longest(line.atoms, at, below=match.length)
    rest = line.match(end)
    silent = rest is None or all(m.kind is Kind.FILLER for m in rest.meanings)
    if shorter is None or not silent:
        return match
    following = line.match(at + shorter.length)
    if following is None or (rest is not None and following.of(Kind.VALUE) is None):
        return match
    return shorter if at + shorter.length + following.length > end else match


def without_number(line: Line, at: int, match: Match) -> Match:
    """`adam 8 gpus` is not `adam8`: a phrase leaves its last number to what counts by it."""
    last = at + match.length - 1
    if match.length == 1 or not line.atoms[last].numeric or line.joined(last):
        return match
    if any(meaning.field == "trainer" for meaning in match.meanings):
        return match  # `litgpt 2023`, which is no length
    quantity = line.quantity(last)
    shorter = line.vocabulary.longest(line.atoms, at, below=match.length)
    if shorter is None or quantity is None or not quantity.facts:
        return match
    after = last + quantity.length
    if _is_version(match) and _is_one_card(line, last + 1):
        return match  # `flash attention 2 h200`
    own = after < len(line.atoms) and line.atoms[after].numeric
    alone = line.quantity(last, keyed=False)
    counts = alone is not None and bool(alone.facts)
    return shorter if counts or not own else match


def _is_one_card(line: Line, at: int) -> bool:
    """Whether a card is named at `at`, without a count before it."""
    match = line.match(at)
    quantity = line.quantity(at) if at < len(line.atoms) else None
    named = match is not None and match.of(Kind.CARD) is not None
    return named and quantity is not None and quantity.facts[0][0] == "gpus"


def _is_version(match: Match) -> bool:
    """Whether a phrase ends in a version: `flash attention 2`, `zero 3`, `deepspeed 3`."""
    value = match.of(Kind.VALUE)
    if value is None:
        return False
    return value.field in ("attention", "loss") or value.value.startswith("zero")
