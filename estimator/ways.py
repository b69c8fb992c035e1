"""The rows and columns of a table of what fits: sizes, methods, optimizers, formats.

What a question names is no longer a choice: then the columns are what may be as large as the
cards allow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from estimator.catalog import Catalog
from estimator.engine_rows import EngineKind
from estimator.inverse import EXL2, LADDERS
from estimator.refusals_of_adapters import RANKED
from estimator.words import Method, Objective, Sought, SoughtInTraining, Task

Fields = Mapping[str, Any]
Wish = Sought | SoughtInTraining

WHETHER = "fits"  # the column of a question that leaves nothing to seek


class By(StrEnum):
    """What the rows are."""

    SIZES = "sizes"
    METHODS = "methods"
    OPTIMIZERS = "optimizers"
    FORMATS = "formats"


@dataclass(frozen=True, slots=True)
class Row:
    """A size, a method, an optimizer or a format, and the fields that ask for it."""

    name: str
    fields: Fields = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Column:
    """The same across; `find` is what is to be as large as the cards allow."""

    name: str
    fields: Fields
    find: Wish | None


# Sizes that people choose among, with the common model of each: see `models.toml`.
SIZES = ("0.5B", "1B", "3B", "7B", "8B", "14B", "32B", "70B", "405B")
METHODS = (Method.FULL, Method.LORA, Method.QLORA)
OPTIMIZERS: tuple[Fields, ...] = (  # of full training; the last three are methods of their own
    {"optimizer": "adamw_fused"},
    {"optimizer": "adamw_fused", "master": "none"},
    {"optimizer": "adamw_8bit"},
    {"optimizer": "muon"},
    {"optimizer": "adafactor"},
    {"optimizer": "sgd"},
    {"method": "galore"},
    {"method": "apollo"},
    {"method": "lomo"},
)
# A format as published and two that are packed: what each kind of engine is fed with.
PACKED = (("bf16", None), ("gguf:Q8_0", None), ("gguf:Q4_K_M", None))
OF_ENGINES: Mapping[EngineKind, tuple[tuple[str, float | None], ...]] = {
    EngineKind.GGML: (("gguf:BF16", None), *PACKED[1:]),
    EngineKind.EXLLAMA: tuple(("exl2", bits) for bits in EXL2[0::2][:3]),
    EngineKind.MLX: (("bf16", None), ("mlx8", None), ("mlx4", None)),
}
FORMATS = (  # of one model, without an engine: the most bits a weight first
    *(("bf16", None), ("gguf:Q8_0", None), ("gguf:Q6_K", None), ("gguf:Q5_K_M", None)),
    *(("gguf:Q4_K_M", None), ("awq4", None), ("gguf:Q3_K_M", None), ("gguf:Q2_K", None)),
)


def rows_of(fields: Fields, by: By, catalog: Catalog) -> tuple[Row, ...]:
    """The rows, least memory first for sizes, most memory first for the rest."""
    match by:
        case By.SIZES:
            return tuple(Row(size, {"model": size}) for size in SIZES)
        case By.METHODS:
            named = (fields["method"],) if fields.get("method") else _methods(fields)
            return tuple(Row(str(one), {"method": str(one)}) for one in named)
        case By.OPTIMIZERS:
            return tuple(Row(_name(one), one) for one in OPTIMIZERS)
        case By.FORMATS:
            return tuple(map(_format_row, _formats(fields, FORMATS, catalog)))


def columns_of(fields: Fields, by: By, catalog: Catalog) -> tuple[Column, ...]:
    """What is chosen across; of what is named already, what may be as large as it gets."""
    training = fields["task"] == Task.TRAIN
    if by is By.SIZES and training and not fields.get("method"):
        find = _wish(fields, training=True)
        return tuple(Column(str(one), {"method": str(one)}, find) for one in _methods(fields))
    sought = fields.get("find")
    if by is By.SIZES and not training and not fields.get("weights") and sought != Sought.WEIGHTS:
        find = _wish(fields, training=False)
        rows = map(_format_row, _formats(fields, PACKED, catalog))
        return tuple(Column(row.name, row.fields, find) for row in rows)
    named = sought is not None and (by is By.SIZES or sought != Sought.WEIGHTS)  # else the rows
    if named:
        wishes: tuple[Wish, ...] = (_named_wish(fields, training=training),)
    elif not training:
        wishes = (Sought.CONTEXT, Sought.USERS)
    else:
        ranked = by is By.METHODS and fields.get("method") in (None, *RANKED)
        wishes = (SoughtInTraining.BATCH, SoughtInTraining.SEQ)
        wishes = (*wishes, SoughtInTraining.RANK) if ranked else wishes
    left = tuple(one for one in wishes if named or not fields.get(str(one)))
    return tuple(Column(str(one), {}, one) for one in left) or (Column(WHETHER, {}, None),)


def _methods(fields: Fields) -> tuple[Method, ...]:
    """What is usually chosen among; a model that begins from nothing is trained whole."""
    return METHODS[:1] if fields.get("objective") == Objective.PRETRAIN else METHODS


def _wish(fields: Fields, *, training: bool) -> Wish | None:
    """The one that is left open, the first that people ask for; none where all is said."""
    if fields.get("find"):
        return _named_wish(fields, training=training)
    order: tuple[Wish, ...] = (
        (SoughtInTraining.BATCH, SoughtInTraining.SEQ)
        if training
        else (Sought.CONTEXT, Sought.USERS)
    )
    return next((one for one in order if not fields.get(str(one))), None)


def _named_wish(fields: Fields, *, training: bool) -> Wish:
    return SoughtInTraining(fields["find"]) if training else Sought(fields["find"])


def _formats(
    fields: Fields, usual: tuple[tuple[str, float | None], ...], catalog: Catalog
) -> tuple[tuple[str, float | None], ...]:
    """Those of an engine that is named; else the `usual` ones, each with its own engine."""
    if fields.get("weights"):
        return ((str(fields["weights"]), fields.get("bpw")),)
    if not fields.get("engine"):
        return usual
    kind = catalog.engines.find(str(fields["engine"])).kind
    return OF_ENGINES.get(kind, LADDERS[kind]) if usual is PACKED else LADDERS[kind]


def _format_row(one: tuple[str, float | None]) -> Row:
    weights, bits = one
    name = weights if bits is None else f"{weights} {bits:g}"
    return Row(name, {"weights": weights, "bpw": bits})


def _name(one: Fields) -> str:
    """`adamw_fused`, `galore`; behind the first, what is left out of it."""
    name = str(one.get("method") or one["optimizer"])
    return f"{name} no master" if "master" in one else name
