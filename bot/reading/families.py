"""Models of a family: those of a size, the newest first, and the one that can be meant."""

import re
from collections import Counter
from collections.abc import Iterable
from math import log

from bot.compiled import compiled
from bot.reading.facts import NotUnderstoodError
from estimator import THOUSAND, BadRequest, BareSize, Catalog, Model, key_of, parse_size

EXACT = 0.04  # and this close beyond doubt, whatever its name says: 7.6B for a 7B of 7.6 B
NEAR = 0.1  # a typed size this close to a model's count is that model's: 7B for 6.7 B or 7.6 B

MOST_OWN = 2  # models of a series that are offered before its wider family
BILLION = THOUSAND**3
_SIZE_TOLD = compiled(r"(?<![\w.])(\d+(?:[._]\d+)?)[bB](?![a-z])")
_WORD = compiled(r"[a-z]+")


def family_near(family: str, size: str | None, catalog: Catalog) -> list[str]:
    """Ids of a family's models: those of `size`, the newest first; else all, the nearest first.

    Without a size all, its maker's and the newest first.
    """
    word, fit = key_of(family), fitting(family, size, catalog)
    rows = fit or of_family(family, catalog)
    typed = None if size is None else typed_size(size)
    maker = _maker(family, catalog)
    if size is None or typed is None:
        rows = sorted(
            rows, key=lambda r: (r.family != word, _owner(r) != maker, -_version(r.id, word))
        )
        return [row.id for row in rows]
    rows = sorted(
        rows,
        key=lambda r: (
            0 if fit else abs(r.parameters - typed.total),
            r.family != word,
            _owner(r) != maker,
            not _says(r, size),
            -_version(r.id, word),
        ),
    )
    return [row.id for row in rows]


def meant_of(
    family: str, size: str | None, catalog: Catalog, others: Iterable[str]
) -> tuple[Model | None, bool]:
    """The one model of a family and size, and whether it is the newest of several of its shape.

    Where several have about that size, those whose name says it, and of them those that the
    family's own maker has. `others`: words that make a name another's, where not typed.
    """
    rows = fitting(family, size, catalog)
    if len(rows) == 1:
        return rows[0], False
    foreign = {word for word in others if word not in key_of(family)}
    plain = [row for row in rows if size is not None and _says(row, size)]
    plain = [row for row in plain if not foreign & set(_WORD.findall(row.id.casefold()))]
    maker = _maker(family, catalog)
    own = [row for row in plain if _owner(row) == maker] or plain
    if not own or any(row.architecture != own[0].architecture for row in own[1:]):
        return None, False
    ids = {row.id for row in own}
    newest = next(name for name in family_near(family, size, catalog) if name in ids)
    return catalog.models.find(newest), len(own) > 1


def _says(row: Model, size: str) -> bool:
    """Whether a model's own name has the size as it was typed."""
    return re.search(rf"(?<![\d.]){re.escape(size.casefold())}", row.id.casefold()) is not None


def _maker(family: str, catalog: Catalog) -> str:
    """Whose are most of a family: who made it; others go on from theirs."""
    owners = Counter(_owner(row) for row in of_family(family, catalog))
    return max(owners, key=lambda owner: owners[owner], default="")


def _owner(row: Model) -> str:
    """Who published a model."""
    return row.id.split("/", 1)[0]


def of_family(family: str, catalog: Catalog) -> list[Model]:
    """Models one of whose names has the family's, all its words in a row."""
    word = key_of(family)
    return [
        row for row in catalog.models.rows if any(word in key_of(n) for n in (row.id, *row.aliases))
    ]


def fitting(family: str, size: str | None, catalog: Catalog) -> list[Model]:
    """A family's models of a typed size; none without one."""
    typed = None if size is None else typed_size(size)
    if size is not None and "-A" in size:  # not the copies that go on behind it
        return [row for row in of_family(family, catalog) if key_of(row.id).endswith(key_of(size))]
    if typed is None:
        return []
    return [row for row in of_family(family, catalog) if goes_by(typed, row)]


def _version(name: str, word: str) -> float:
    """2.5 of `Qwen/Qwen2.5-7B`: the number behind the family's name that is no size."""
    found = re.search(rf"{re.escape(word)}-?v?(\d+(?:[._]\d+)?)(?![\d.]|[bm]\b)", name.casefold())
    return float(found[1].replace("_", ".")) if found else 0.0


def nearest(own: list[str], others: list[str], size: str, catalog: Catalog) -> list[str]:
    """Of a family's wider relations, first those that come as near to a size as its own do."""
    typed = typed_size(size)
    if typed is None or not others:
        return own or others
    away = {id_: abs(catalog.models.find(id_).parameters - typed.total) for id_ in (*own, *others)}
    least = min((away[name] for name in own), default=None)
    if least is not None and least <= min(away.values()):
        return own
    return [name for name in others if least is None or away[name] < least] or own


def series_near(
    series: str, row: Model, wanted: int, catalog: Catalog, others: Iterable[str]
) -> list[str]:
    """Ids of models of a series (`qwen2.5`), then nearer ones of the wider family of its `row`.

    The nearest to `wanted` parameters come first, by their ratio, and those of its maker before
    others'. `others`: words that make a name another's; they come last.
    """
    word = key_of(series)
    foreign = {one for one in others if one not in word}

    def away(one: Model) -> tuple[bool, bool, float]:
        other = bool(foreign & set(_WORD.findall(one.id.casefold())))
        return other, _owner(one) != _owner(row), abs(log(one.parameters / wanted))

    own = sorted(of_family(series, catalog), key=away)
    kin = sorted((one for one in catalog.models.rows if one.family == row.family), key=away)
    nearer = [one for one in kin if own and away(one) < away(own[0])]
    found = [*own[:MOST_OWN], *nearer[:MOST_OWN], *own, *kin]
    return list(dict.fromkeys(one.id for one in found))


def is_near(typed: BareSize, parameters: int) -> bool:
    """Whether a model of so many parameters goes by a typed size: 7B for 6.7 B or 7.6 B."""
    if typed.experts > 1:
        return parameters < typed.total and parameters > typed.parameters * typed.experts // 2
    return abs(typed.parameters - parameters) <= NEAR * parameters


def goes_by(typed: BareSize, row: Model) -> bool:
    """Whether a model goes by a typed size, and its own name tells no other: 9B is no Qwen3-8B.

    What is rounded is no other size: `7b` of a 6.7B.
    """
    if not is_near(typed, row.parameters):
        return False
    told = [float(size) for size in _SIZE_TOLD.findall(row.id)]
    if typed.experts > 1 or not told or row.active is not None:
        return True
    exact = abs(typed.total - row.parameters) <= EXACT * row.parameters
    return exact or any(abs(size * BILLION - typed.total) < BILLION // 2 for size in told)


def typed_size(text: str) -> BareSize | None:
    """A bare size; none for a name. Raises NotUnderstoodError for one that no model has."""
    try:
        return parse_size(text)
    except BadRequest as error:
        raise NotUnderstoodError(
            error.code, error.message, field="model", names=error.suggestions
        ) from None
