"""A batch said of all cards together: `total batch 32 on 8 gpus`, `batch 32 in total`.

A request holds what one card takes at once, so the total is divided; where the line leaves
open by what, it is asked back.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from bot.reading.line import Line
from bot.reading.quantity import unit_at

TOTAL = "total_batch"  # the field of a fact
WORDS = ("total", "overall", "globally", "altogether", "together", "combined")
BEFORE = ("in", "as", "a")
SPREAD = ("across", "over", "among", "between")  # behind a batch: what it is shared by
SPLITTING = ("tp", "pp", "cp")  # ways of sharing one sequence among cards

Fields = dict[str, Any]
Conflict = Callable[[list[Fact]], None]
Wrong = Callable[..., None]


def take_batch(line: Line, name: str, number: float, at: int, end: int) -> int:
    """Add the fact from `at` to `end`; atoms behind it that tell that it is a total."""
    more = is_total(line, end) if name == "batch" else 0
    line.add(TOTAL if more else name, number, at, end + more - at)
    return more


def is_total(line: Line, end: int) -> int:
    """Atoms behind a batch that say it is that of all cards; 0 for none.

    The `total` of `total vram` is of another thing; `across 8 gpus` is left to be read.
    """
    at, atoms = end, line.atoms
    while at < len(atoms) and atoms[at].text in BEFORE and not atoms[at].apart:
        at += 1
    if at >= len(atoms) or atoms[at].apart:
        return 0
    if at == end and atoms[at].text in SPREAD:
        return 1 if _are_cards(line, at + 1) else 0
    if atoms[at].text not in WORDS or unit_at(atoms, at + 1, line.vocabulary) == "of_card":
        return 0
    return at + 1 - end


def _are_cards(line: Line, at: int) -> bool:
    """`all gpus`, `8 gpus`, `2x 3090` at `at`."""
    while at < len(line.atoms) and line.atoms[at].text in ("all", "the", "my"):
        at += 1
    if at >= len(line.atoms):
        return False
    quantity = line.quantity(at)
    said = quantity is not None and bool(quantity.facts)
    return (said and quantity is not None and quantity.facts[0][0] in ("gpus", "world")) or (
        unit_at(line.atoms, at, line.vocabulary) == "of_card"
    )


def settle_total(
    fields: Fields, said: Said, locale: Locale, conflict: Conflict, wrong: Wrong
) -> None:
    """Put each card's batch, or the accumulation, in the place of the total."""
    total = fields.pop(TOTAL, None)
    if total is None:
        return
    fact = said.all_of(TOTAL)[0]
    if fields.get("task") == "infer":
        if fields.setdefault("users", total) != total:
            conflict([fact, *said.all_of("users"), *said.all_of("batch")])
        return
    ways, accumulation, batch = _ways(fields), fields.get("accumulation"), fields.get("batch")
    if batch is None and accumulation is None and ways == 1:
        names = (f"bs {total}", f"bs 1 accum {total}") if total > 1 else ("bs 1",)
        wrong("ambiguous", "total_of_what", names=names, words=echo(fact.text))
        return
    known = ways * (accumulation or 1) * (batch or 1)
    whole = batch is not None and accumulation is not None
    if total % known or (whole and total != known):
        near = tuple(dict.fromkeys(max(1, total // known + more) for more in (0, 1)))
        field = None if whole else "batch" if batch is None else "accumulation"
        cards = [f"world {near[0]}"] if total % known == 0 else []
        offered = cards if whole else [str(number) for number in near]
        wrong("contradiction", "total_uneven", field=field, names=offered,
              words=echo(fact.text), product=_product(fields, ways))  # fmt: skip
        return
    if not whole:
        fields["batch" if batch is None else "accumulation"] = total // known
    product = _product(fields, ways)
    said.remarks.append(locale.say("taken_total", words=echo(fact.text), product=product))


def _ways(fields: Mapping[str, Any]) -> int:
    """Cards that take sequences of their own: those that share one count once."""
    cards = fields.get("world") or sum(int(card["count"]) for card in fields.get("gpus") or ())
    shared = prod(int(fields.get(name) or 1) for name in SPLITTING)
    return int(fields.get("dp") or max(1, (cards or 1) // shared))


def _product(fields: Mapping[str, Any], ways: int) -> str:
    """`bs 4 × 8 cards × accum 2`: what is known of it."""
    parts = [f"bs {fields['batch']}"] if "batch" in fields else []
    parts += [f"{ways} cards"] if ways > 1 else []
    parts += [f"accum {fields['accumulation']}"] if "accumulation" in fields else []
    return " × ".join(parts)
