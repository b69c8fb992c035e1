"""The tables as one checked value: models, cards, formats, optimizers, engines, sources.

Rows are read from `data/*.toml` once and cross-checked: every source an id names
resolves, every alias belongs to one row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from typing import Any, TypeVar

import tomli
from pydantic import TypeAdapter, ValidationError

from estimator.engine_rows import GGUF, Engine
from estimator.engine_versions import EngineVersion
from estimator.framework_rows import Framework
from estimator.gpu_rows import CardClass, CardUse, Gpu, Instance, Microarchitecture
from estimator.model_rows import Model, Models
from estimator.optimizer_rows import Optimizer
from estimator.rows import Checkpoint, Dtype, File, Format, Size, Source
from estimator.table import Table, key_of

MODELS = (
    *("models.toml", "models_plain.toml", "models_experts.toml", "models_images.toml"),
    *("models_states.toml", "models_encoders.toml"),
)
CARDS = (
    *("gpus_geforce.toml", "gpus_nvidia.toml", "gpus_slices.toml"),
    *("gpus_amd.toml", "gpus_apple.toml", "gpus_others.toml"),
)
T = TypeVar("T")


@dataclass(frozen=True)
class Catalog:
    """All tables. `classes` are card classes, smallest first."""

    models: Models
    sizes: tuple[Size, ...]
    chips: tuple[Microarchitecture, ...]
    gpus: Table[Gpu]
    classes: Table[CardClass]
    card_use: CardUse
    instances: Table[Instance]
    dtypes: Table[Dtype]
    formats: Table[Format]
    optimizers: Table[Optimizer]
    engines: Table[Engine]
    checkpoints: tuple[Checkpoint, ...]
    frameworks: Table[Framework]
    files: tuple[File, ...]
    sources: Table[Source]

    @cached_property
    def class_rooms(self) -> dict[str, Any]:
        """By the id of a class, what its cards leave; filled by who works that out."""
        return {}

    @cached_property
    def recipe_types(self) -> Mapping[str, Dtype]:
        """By id, every type that a tensor of a GGUF recipe may have."""
        return {row.id: row for row in self.dtypes.rows if "ggml-common" in row.sources} | {
            name: self.dtypes.find(name) for name in ("fp32", "fp16", "bf16")
        }

    @cached_property
    def _sharing(self) -> Mapping[str, tuple[Gpu, ...]]:
        found: dict[str, list[Gpu]] = {}
        for gpu in self.gpus.rows:
            for word in gpu.shared:
                found.setdefault(key_of(word), []).append(gpu)
        return {word: tuple(cards) for word, cards in found.items()}

    def cards_sharing(self, word: str) -> tuple[Gpu, ...]:
        """The cards that `word` may mean, where it fits several: `a100`."""
        return self._sharing.get(key_of(word), ())

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
        self._check_cards()
        for size in self.sizes:
            for model in (size.shape, *size.span):
                self.models.find(model)
        self._check_formats()
        for optimizer in self.optimizers.rows:
            for state in optimizer.states:
                if state.dtype != "parameter":
                    self.dtypes.find(state.dtype)

    def _check_cards(self) -> None:
        for gpu in self.gpus.rows:
            if gpu.slice_of is not None:
                self.gpus.find(gpu.slice_of)
        for instance in self.instances.rows:
            self.gpus.find(instance.gpu)

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
        yield from self.chips
        yield from self.gpus.rows
        yield from self.classes.rows
        yield from self.instances.rows
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
OfCards = Microarchitecture | Gpu | CardClass | CardUse | Instance
Sourced = Model | OfCards | Optimizer | OfPrograms | OfWeights


def _rows(
    file: str, table: str, kind: type[T], named: Mapping[str, object] | None = None
) -> tuple[T, ...]:
    """The rows of `[[table]]` in data/`file`; a bad row is named with its id.

    `named`: rows of another table that these name, by id.
    """
    adapter: TypeAdapter[T] = TypeAdapter(kind)
    rows: list[T] = []
    for number, row in enumerate(read_document(file).get(table, ()), start=1):
        try:
            rows.append(adapter.validate_python(row, context=named))
        except ValidationError as error:
            first = error.errors()[0]
            where = ", ".join(str(part) for part in first["loc"])
            name = row.get("id", f"row {number}")
            raise ValueError(f"{file}, {name}: {where}: {first['msg']}") from error
    return tuple(rows)


@cache
def read_document(file: str) -> dict[str, Any]:
    """One of the tables as it is written; kept, since a file may hold several."""
    text = resources.files("estimator").joinpath("data", file).read_text(encoding="utf-8")
    return tomli.loads(text)


@cache
def engine_ids() -> tuple[str, ...]:
    """The engines that there are rows of, without the other tables."""
    return tuple(row["id"] for row in read_document("engines.toml")["engine"])


@cache
def load_catalog() -> Catalog:
    """The catalogue that comes with the program, read and checked once."""
    chips = _rows("gpus.toml", "microarchitecture", Microarchitecture)
    by_id = {row.id: row for row in chips}
    cards = [row for file in CARDS for row in _rows(file, "gpu", Gpu, by_id)]
    catalog = Catalog(
        models=Models("model", tuple(chain(*(_rows(file, "model", Model) for file in MODELS)))),
        sizes=_rows("models.toml", "size", Size),
        chips=chips,
        gpus=Table("card", tuple(cards)),
        classes=Table("card class", _rows("gpus.toml", "class", CardClass)),
        card_use=CardUse.model_validate(read_document("gpus.toml")["usable"]),
        instances=Table("instance", _rows("instances.toml", "instance", Instance)),
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
    read_document.cache_clear()  # the rows are all of it that is needed
    return catalog
