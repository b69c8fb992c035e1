"""What a person calls loosely and a paste names in full: `qwen 14b`, `Qwen/Qwen2.5-14B`.

A model by its family or its size alone is the pasted one, where that could be called so; a
front end (`ooba`) is there beside the engine that its settings name.
"""

from collections.abc import Sequence

from bot.reading.facts import Fact
from bot.reading.families import goes_by, typed_size
from bot.reading.models import FULL_NAMES
from bot.reading.walk import Scanned
from estimator import Catalog, Model, key_of

LOOSE = ("half_name", "size")  # facts that leave open which model


def drop_vaguer(said: Scanned, other: Scanned, catalog: Catalog) -> None:
    """Take out of `said` what `other` says in full."""
    if any(fact.field == "engine" for fact in other.said.facts):
        said.said.facts = [fact for fact in said.said.facts if fact.field != "server"]
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
