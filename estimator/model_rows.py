"""Models: a row of `data/models*.toml`, what shares its shape, and the table of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal

from pydantic import PositiveInt

from estimator.architecture import Architecture
from estimator.rows import Id, Sources
from estimator.table import Table, key_of
from estimator.tensors import Role, Row

TABLES = (Role.EMBEDDING, Role.POSITION, Role.HEAD)


class Difference(StrEnum):
    """Why the Hub's total of a repository's tensors is not the number of parameters."""

    ROTARY = "rotary_buffers"  # frequencies, stored as tensors
    MASKS = "mask_buffers"  # causal masks, a square of the window each
    POSITION_IDS = "position_ids"
    HEAD = "tied_head_again"  # the embedding, a second time as the head
    EMBEDDING = "shared_embedding_again"  # of encoder and decoder
    SCALES = "fp8_scales"
    CORRECTION = "router_correction"  # left out there, counted here
    SHARED_CACHE = "unused_kv"  # of layers that borrow keys and values
    SCALARS = "layer_scalars"
    TOWER = "tower_buffers"
    MTP = "mtp"  # modules that predict several tokens, which the count leaves out
    SINKS = "unused_sinks"
    UNKNOWN = "unknown"  # nobody says; likely buffers


class Variant(Row):
    """A model of its row's very shape under an id of its own: what differs is said here."""

    id: Id
    aliases: tuple[str, ...] = ()
    context: PositiveInt | None = None
    licence: str | None = None
    gated: bool | None = None


class Model(Row):
    """A published model. `context`: native positions, none where there is no limit.

    `parameters` is what its repository holds; a test recounts it from `architecture` and `apart`:
    what loading leaves out (modules that predict several tokens, router corrections, which
    are no parameters to PyTorch). `active`: of a mixture, those that a token passes through,
    embeddings and head included, towers not. `published_total` is the Hub's count of the
    elements of all tensors, and `differs` says by how many and why it is another. `published`:
    the format of its makers' checkpoint, where that is packed; `published_group`: weights that
    share a scale in it, where it says so (-1: a whole row). `base`: the row whose shape
    a variant has.
    """

    id: Id
    aliases: tuple[str, ...] = ()
    family: str
    parameters: PositiveInt
    active: PositiveInt | None = None
    apart: Mapping[str, PositiveInt] = {}
    published_total: PositiveInt | None = None
    differs: Mapping[Difference, int] = {}
    context: PositiveInt | None = None
    licence: str
    gated: bool | None = None
    published: Id | None = None
    published_group: Literal[-1] | PositiveInt | None = None
    sources: Sources
    architecture: Architecture
    variants: tuple[Variant, ...] = ()
    base: Id | None = None

    @property
    def entry(self) -> str:
        """The row's id, which is the same for all that share it."""
        return self.base or self.id

    @property
    def non_embedding(self) -> int:
        """Parameters of the language model without the tables of words and positions.

        That is what makers call non-embedding; a tied head is the embedding.
        """
        architecture = self.architecture
        tables = sum(one.parameters for one in architecture.tensors if one.role in TABLES)
        tower = 0 if architecture.tower is None else architecture.tower.parameters
        return architecture.parameters - tables - tower

    def as_variant(self, variant: Variant) -> "Model":
        """This row under the variant's id."""
        own = {name: value for name, value in variant if value is not None}
        return self.model_copy(update=own | {"base": self.id, "variants": ()})


@dataclass(frozen=True)
class Models(Table[Model]):
    """The table of models: `rows` are shapes, `named` also those that share one."""

    @cached_property
    def named(self) -> tuple[Model, ...]:
        shared = [row.as_variant(one) for row in self.rows for one in row.variants]
        return (*self.rows, *shared)

    def including(self, row: Model) -> "Models":
        """The same with one more row, whose names win over those of the others."""
        found = Models(self.kind, (*self.rows, row))
        names = {key_of(name): row for name in (row.id, *row.aliases)}
        found.__dict__["by_key"] = {**self.by_key, **names}  # as the cached property keeps it
        return found
