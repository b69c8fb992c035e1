"""Blocks that are trained alone: `freeze all but the last 4 layers`, `lisa 2 layers`."""

from collections.abc import Callable
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from bot.reading.line import Line
from bot.reading.quantity import unit_at

BLOCKS, LAST = "blocks", "last_blocks"  # fields of facts
OF_BLOCKS = ("freeze", "lisa", "badam")
WHOLE = (None, "full")  # methods that the last blocks alone make `freeze`

Fields = dict[str, Any]


def take_last(line: Line, at: int) -> int:
    """Atoms of `last 4 layers`; 0 for anything else. Which blocks are the first is no answer."""
    side = unit_at(line.atoms, at, line.vocabulary)
    if side not in ("last", "first") or at + 1 >= len(line.atoms) or line.atoms[at + 1].apart:
        return 0
    quantity = line.quantity(at + 1)
    if quantity is None or not quantity.facts or quantity.facts[0][0] != BLOCKS:
        return 0
    length = 1 + quantity.length
    if side == "first":
        line.fault("ambiguous", "first_blocks", words=echo(line.text(at, length)))
        return length
    return line.add(LAST, quantity.facts[0][1], at, length)


def settle_blocks(
    fields: Fields,
    said: Said,
    locale: Locale,
    put: Callable[[str, Fact], None],
    conflict: Callable[[list[Fact]], None],
) -> None:
    """Blocks beside a method of some blocks are those it trains; the last alone say `freeze`."""
    last, counted = said.all_of(LAST), said.all_of(BLOCKS)
    if fields.get("task") == "infer" or "active_blocks" in fields:
        return
    if last and fields.get("method") in WHOLE:
        fields["method"] = "freeze"
    found = last or counted
    if not found or fields.get("method") not in OF_BLOCKS:
        return
    if len(found) > 1:
        conflict(found)
    put("active_blocks", found[0])
    if not last and fields["method"] == "freeze":
        words = echo(found[0].text)
        said.remarks.append(locale.say("blocks_trained", words=words))


def blocks_aside(said: Said, fields: Fields) -> list[Fact]:
    """Blocks that were said and that nothing is trained by: `32 layers`."""
    trained = fields.get("active_blocks")
    return [fact for name in (LAST, BLOCKS) for fact in said.all_of(name) if fact.value != trained]
