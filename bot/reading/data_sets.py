"""Numbers of things that move no memory: `20k instructions` of data, `30 tokens/s` of speed."""

import re
from collections.abc import Sequence
from typing import Any

from bot.compiled import compiled
from bot.reading.atoms import Atom
from bot.reading.facts import Said
from bot.reading.quantity import Quantity
from bot.reading.vocabulary import Kind, Match, Vocabulary

TOKENS = compiled(r"\btok", re.IGNORECASE)
SILENT = (Kind.FILLER, Kind.UNIT)
MOST_BETWEEN = 2  # words between a number and what it counts: `5k customer chat logs`


def speed_at(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`30 tokens/s`, `15 tok per sec`."""
    match = _word(atoms, at + length, vocabulary)
    if match is None or not is_unit(match, "speed"):
        return None
    return Quantity(length + match.length, (("speed", number),))


def samples_at(
    atoms: Sequence[Atom],
    at: int,
    number: float,
    length: int,
    vocabulary: Vocabulary,
    *,
    thousands: bool,
) -> Quantity | None:
    """`10k examples`, `5k chat samples`, `500 rows`.

    The words between are its own where they say nothing else; `10k training examples`
    leaves `training` to be read. A word that is also a key (`4 sequences`) counts samples
    only in thousands.
    """
    behind, own = at + length, True
    for _ in range(MOST_BETWEEN + 1):
        match = _word(atoms, behind, vocabulary)
        if behind >= len(atoms) or atoms[behind].apart or atoms[behind].numeric:
            return None
        if match is not None and is_unit(match, "samples"):
            if match.of(Kind.KEY) is not None and not thousands:
                return None
            after = behind + match.length
            if after < len(atoms) and atoms[after].assigned and match.of(Kind.KEY):
                return None  # `350M images=4` has a size, and images
            whole = after - at
            return Quantity(whole if own else length, (("dataset", number),))
        if match is None:
            behind += 1
        elif is_unit(match, "sample_kind"):
            own = own and all(m.kind in SILENT or m.field == "images" for m in match.meanings)
            behind += match.length
        else:
            return None
    return None


def is_unit(match: Match, name: str) -> bool:
    """Whether the phrase may be the unit `name`, among other things."""
    return name in match.units


def _word(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> Match | None:
    if at >= len(atoms) or atoms[at].apart or atoms[at].numeric:
        return None
    return vocabulary.longest(atoms, at)


def settle_data_set(fields: dict[str, Any], said: Said) -> None:
    """`1B tokens`, `20k samples`: what is cached of them, where the disk is asked about."""
    if not fields.get("disk") or fields.get("task") == "infer":
        return
    for fact in said.all_of("dataset"):
        name = "dataset_tokens" if TOKENS.search(fact.text) else "dataset_samples"
        if isinstance(fact.value, (int, float)) and fact.value >= 1:
            fields.setdefault(name, int(fact.value))
