"""What a person calls loosely and a paste names in full: `qwen 14b`, `Qwen/Qwen2.5-14B`.

A model by its family or its size alone is the pasted one, where that could be called so, and
`my deepspeed json` says no other stage than the file does; a front end (`ooba`) is there beside
the engine that its settings name.
"""

import re
from collections.abc import Sequence

from bot.compiled import compiled
from bot.reading.facts import Fact
from bot.reading.families import goes_by, typed_size
from bot.reading.models import FULL_NAMES
from bot.reading.walk import Scanned
from estimator import Catalog, Model, key_of

LOOSE = ("half_name", "size")  # facts that leave open which model
KINDS_OF_LORA = ("qlora", "dora", "rslora", "adalora", "vera", "lora_fa")
_LIBRARY = compiled(r"deepspeed(?: zero)?|zero|fsdp", re.IGNORECASE)
_BITS = compiled(r"(?:q|int)?(?P<bits>[2-8])(?:[- ]?bits?)?", re.IGNORECASE)


def drop_vaguer(said: Scanned, other: Scanned, catalog: Catalog) -> None:
    """Take out of `said` what `other` says in full."""
    if any(fact.field in ("engine", "server") for fact in other.said.facts):
        said.said.facts = [fact for fact in said.said.facts if fact.field != "server"]
    said.said.facts = [f for f in said.said.facts if not _is_said_closer(f, other.said.facts)]
    loose = [fact for fact in said.said.facts if fact.field in LOOSE]
    if not loose or any(fact.field == "model" for fact in said.said.facts):
        return
    if _is_so_called(loose, other, catalog):
        said.said.facts = [f for f in said.said.facts if f.field not in LOOSE]


def _is_so_called(loose: Sequence[Fact], other: Scanned, catalog: Catalog) -> bool:
    """Whether the one model of a paste goes by the person's words for it."""
    models = other.said.all_of("model")
    if len(models) == 1 and not other.strange:
        row = catalog.models.get(str(models[0].value))
        return row is not None and all(_goes(fact, row) for fact in loose)
    names = {str(fact.value) for fact in other.strange}
    return len(names) == 1 and all(key_of(str(f.value)) in key_of(*names) for f in loose)


def _goes(fact: Fact, row: Model) -> bool:
    if fact.field == "size":
        typed = typed_size(str(fact.value))
        return typed is not None and goes_by(typed, row)
    family = FULL_NAMES.get(str(fact.value), str(fact.value))
    return key_of(family) == key_of(row.family) or key_of(family) in key_of(row.id)


def _is_said_closer(own: Fact, others: Sequence[Fact]) -> bool:
    """Whether a paste says a kind of just what the person says: `lora` of a QLoRA's file."""
    return any(_is_kind_of(own, fact) for fact in others)


def _is_kind_of(own: Fact, other: Fact) -> bool:
    value = str(other.value)
    match own.field, other.field:
        case "method", "method":
            return own.value == "lora" and value in KINDS_OF_LORA
        case "strategy", "strategy":
            return _LIBRARY.fullmatch(own.text) is not None and value[:4] == str(own.value)[:4]
        case "optimizer", "optimizer":
            return own.text.casefold() == "adam" and "adam" in value
        case "precision" | "weights", "precision" | "weights":
            bits = _BITS.fullmatch(own.text)
            return bits is not None and (value == "exl2" or bits["bits"] in value.partition("_")[0])
        case _:
            return False
