"""The tables as one checked value: models, cards, formats, optimizers, engines, sources.

Rows are read from `data/*.toml` once and cross-checked: every source an id names
resolves, every alias belongs to one row. Names are looked up without regard to
case and separators; an unknown one is an error with the closest, never a default.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError
from rapidfuzz import fuzz, process

from estimator.engine_rows import GGUF, Engine
from estimator.engine_versions import EngineVersion
from estimator.errors import UnknownName
from estimator.framework_rows import Framework
from estimator.optimizer_rows import Optimizer
from estimator.rows import (
    CardClass,
    CardUse,
    Checkpoint,
    Dtype,
    File,
    Format,
    Gpu,
    Model,
    Size,
    Source,
)

MODELS = (
    *("models.toml", "models_plain.toml", "models_experts.toml", "models_images.toml"),
    *("models_states.toml", "models_encoders.toml"),
)
CLOSEST = 5  # names offered for an unknown one
CLOSE_ENOUGH = 60  # rapidfuzz similarity (0 to 100) below which a name is no help


@lru_cache(maxsize=8192)  # all names of the tables, which are asked for over and over
def key_of(name: str) -> str:
    """`name` without case and separators: what people vary when they type it."""
    return re.sub(r"[\s_\-:/]+", "", name.casefold())


class Named(Protocol):
    """A row that is found by id or alias."""

    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


R = TypeVar("R", bound=Named)
T = TypeVar("T")


@dataclass(frozen=True)
class Table(Generic[R]):
    """Rows of one kind, found by id or alias."""

    kind: str
    rows: tuple[R, ...]

    @cached_property
    def by_key(self) -> Mapping[str, R]:
        found: dict[str, R] = {}
        for row in self.rows:
            for name in (row.id, *row.aliases):
                other = found.setdefault(key_of(name), row)
                if other is not row:
                    raise ValueError(f"{self.kind} `{name}` names {other.id} and {row.id}")
        return found

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(row.id for row in self.rows)

    def get(self, name: str) -> R | None:
        return self.by_key.get(key_of(name))

    def including(self, row: R) -> "Table[R]":
        """The same with one more row, whose names win over those of the others."""
        found: Table[R] = Table(self.kind, (*self.rows, row))
        names = {key_of(name): row for name in (row.id, *row.aliases)}
        found.__dict__["by_key"] = {**self.by_key, **names}  # as the cached property keeps it
        return found

    def find(self, name: str) -> R:
        """The row called `name`; raises UnknownName with the closest."""
        row = self.get(name)
        if row is None:
            raise UnknownName(self.kind, name, closest=self.closest(name))
        return row

    def closest(self, name: str, limit: int = CLOSEST) -> tuple[str, ...]:
        """Ids whose id or alias resembles `name`, best first."""
        hits = process.extract(
            key_of(name),
            self.by_key.keys(),
            scorer=fuzz.WRatio,
            limit=limit * 4,
            score_cutoff=CLOSE_ENOUGH,
        )
        return tuple(dict.fromkeys(self.by_key[key].id for key, _, _ in hits))[:limit]


@dataclass(frozen=True)
class Catalog:
    """All tables. `classes` are card classes, smallest first."""

    models: Table[Model]
    sizes: tuple[Size, ...]
    gpus: Table[Gpu]
    classes: Table[CardClass]
    card_use: CardUse
    dtypes: Table[Dtype]
    formats: Table[Format]
    optimizers: Table[Optimizer]
    engines: Table[Engine]
    checkpoints: tuple[Checkpoint, ...]
    frameworks: Table[Framework]
    files: tuple[File, ...]
    sources: Table[Source]

    @cached_property
    def recipe_types(self) -> Mapping[str, Dtype]:
        """By id, every type that a tensor of a GGUF recipe may have."""
        return {row.id: row for row in self.dtypes.rows if "ggml-common" in row.sources} | {
            name: self.dtypes.find(name) for name in ("fp32", "fp16", "bf16")
        }

    def including(self, model: Model) -> "Catalog":
        """The same with one more model, for a question that names it."""
        return replace(self, models=self.models.including(model))

    def class_members(self, card_class: CardClass) -> tuple[Gpu, ...]:
        return tuple(self.gpus.find(member) for member in card_class.members)

    def check(self) -> None:
        """Raise ValueError where a row names something that is not there."""
        for row in self._sourced():
            for source in row.sources:
                if self.sources.get(source) is None:
                    name = getattr(row, "id", type(row).__name__)
                    raise ValueError(f"{name}: source `{source}` is not in sources.toml")
        for card_class in self.classes.rows:
            self.class_members(card_class)
        for size in self.sizes:
            for model in (size.shape, *size.span):
                self.models.find(model)
        self._check_formats()
        for optimizer in self.optimizers.rows:
            for state in optimizer.states:
                if state.dtype != "parameter":
                    self.dtypes.find(state.dtype)

    def _check_formats(self) -> None:
        for number_format in self.formats.rows:
            for dtype in number_format.dtypes:
                self.dtypes.find(dtype)
            if number_format.with_experts is not None:
                self.formats.find(number_format.with_experts)
            if not self.engines.find(number_format.engine).runs_format(number_format.id):
                raise ValueError(f"{number_format.engine} does not run {number_format.id}")
        for row in self.models.rows:
            if row.published is not None:
                self.formats.find(row.published)
        self._check_engines()
        for checkpoint in self.checkpoints:
            for model in checkpoint.models:
                self.models.find(model)
            for name in checkpoint.formats:
                self.formats.find(name)
        for file in self.files:
            self.models.find(file.model)
            self.formats.find(file.format)

    def _check_engines(self) -> None:
        for engine in self.engines.rows:
            dropped = [name for _, *names in engine.until for name in names]
            for name in (*engine.runs, *engine.least, *dropped):
                if name != GGUF:
                    self.formats.find(name)
            for names in (engine.caches, tuple(engine.least_caches), *engine.fork_caches.values()):
                for name in names:
                    self.dtypes.find(name)

    def _sourced(self) -> Iterable["Sourced"]:
        yield from self.models.rows
        yield from self.gpus.rows
        yield from self.classes.rows
        yield self.card_use
        yield from self.dtypes.rows
        yield from self.formats.rows
        yield from self.optimizers.rows
        yield from self.engines.rows
        for engine in self.engines.rows:
            yield from engine.versions
        yield from self.checkpoints
        yield from self.frameworks.rows
        yield from self.files


OfWeights = Dtype | Format | Checkpoint | File
OfPrograms = Engine | EngineVersion | Framework
Sourced = Model | Gpu | CardClass | CardUse | Optimizer | OfPrograms | OfWeights


def _rows(file: str, table: str, kind: type[T]) -> tuple[T, ...]:
    """The rows of `[[table]]` in data/`file`; a bad row is named with its id."""
    adapter: TypeAdapter[T] = TypeAdapter(kind)
    rows: list[T] = []
    for number, row in enumerate(_document(file).get(table, ()), start=1):
        try:
            rows.append(adapter.validate_python(row))
        except ValidationError as error:
            first = error.errors()[0]
            where = ", ".join(str(part) for part in first["loc"])
            name = row.get("id", f"row {number}")
            raise ValueError(f"{file}, {name}: {where}: {first['msg']}") from error
    return tuple(rows)


@cache
def _document(file: str) -> dict[str, Any]:
    text = resources.files("estimator").joinpath("data", file).read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def load_catalog() -> Catalog:
    """The catalogue that comes with the program, read and checked once."""
    catalog = Catalog(
        models=Table("model", tuple(row for file in MODELS for row in _rows(file, "model", Model))),
        sizes=_rows("models.toml", "size", Size),
        gpus=Table("card", _rows("gpus.toml", "gpu", Gpu)),
        classes=Table("card class", _rows("gpus.toml", "class", CardClass)),
        card_use=CardUse.model_validate(_document("gpus.toml")["usable"]),
        dtypes=Table("element type", _rows("formats.toml", "dtype", Dtype)),
        formats=Table("number format", _rows("formats.toml", "format", Format)),
        optimizers=Table("optimizer", _rows("optimizers.toml", "optimizer", Optimizer)),
        engines=Table("engine", _rows("engines.toml", "engine", Engine)),
        checkpoints=_rows("checkpoints.toml", "checkpoint", Checkpoint),
        frameworks=Table("framework", _rows("frameworks.toml", "framework", Framework)),
        files=_rows("checkpoints.toml", "file", File),
        sources=Table("source", _rows("sources.toml", "source", Source)),
    )
    catalog.check()
    return catalog
