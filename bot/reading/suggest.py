"""The names that a half-typed one may become."""

import re
from collections.abc import Iterable
from enum import StrEnum

from rapidfuzz import fuzz, process

from estimator import Catalog, key_of

CLOSE_ENOUGH = 60  # rapidfuzz similarity (0 to 100) below which a name is no help

_COUNT = re.compile(r"(\d{1,5} ?[x×] ?|)(.*)", re.IGNORECASE | re.DOTALL)


class Named(StrEnum):
    """What can be named with the help of a list."""

    MODEL = "model"
    CARD = "gpus"
    FORMAT = "precision"
    OPTIMIZER = "optimizer"


def suggest(kind: Named, typed: str, catalog: Catalog, most: int) -> tuple[str, ...]:
    """At most `most` names of `kind` that go on from `typed`; the usual ones for nothing."""
    match kind:
        case Named.MODEL:
            sizes = [size.typed for size in catalog.sizes]
            return _matching(typed, [*sizes, *catalog.models.ids], most)
        case Named.CARD:
            count, name = _counted(typed)
            sizes = [f"{row.memory_gb}GB" for row in catalog.classes.rows]
            found = _matching(name, [*sizes, *catalog.gpus.ids], most)
            return tuple(f"{count}{card}" for card in found)
        case Named.FORMAT:
            names = [row.removeprefix("gguf:") for row in catalog.formats.ids]
            return _matching(typed, list(dict.fromkeys(names)), most)
        case Named.OPTIMIZER:
            return _matching(typed, ["adamw", *catalog.optimizers.ids], most)


def _counted(typed: str) -> tuple[str, str]:
    """`2x 40` → `2x `, `40`: how many cards, and the rest."""
    found = _COUNT.fullmatch(typed.strip())
    count, name = found.groups() if found else ("", typed)
    return (f"{re.sub(r'[ x×X]', '', count)}x " if count else ""), name


def _matching(typed: str, names: Iterable[str], most: int) -> tuple[str, ...]:
    """Names that begin with `typed`, then those that hold it, then those that are like it."""
    word, listed = key_of(typed), list(names)
    starts = [name for name in listed if _begins(name, word)]
    holds = sorted((name for name in listed if word in key_of(name)), key=len)
    like = process.extract(
        typed, listed, scorer=fuzz.partial_ratio, limit=most, score_cutoff=CLOSE_ENOUGH
    )
    found = [*starts, *holds, *(name for name, _, _ in like)]
    return tuple(dict.fromkeys(found))[:most]


def _begins(name: str, word: str) -> bool:
    """Whether a name begins with `word`, with or without its owner."""
    return key_of(name).startswith(word) or key_of(name.rsplit("/", 1)[-1]).startswith(word)
