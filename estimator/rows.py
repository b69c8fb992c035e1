"""The rows of the tables in `data/`, one class a table.

Rows are facts: frozen, strict about their keys, each naming its sources. What is
worked out from them (bits a weight, bytes a card leaves free) is a property here,
never a second number in the table.
"""

from collections.abc import Mapping
from enum import StrEnum
from math import gcd
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from estimator.architecture import Architecture
from estimator.tensors import Count, Row

Id = Annotated[str, Field(min_length=1, max_length=120)]
Sources = Annotated[tuple[Id, ...], Field(min_length=1)]


class Source(Row):
    """Where a number comes from; `where` is a public address or a pinned package file."""

    id: Id
    title: str
    where: str
    read: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    aliases: tuple[str, ...] = ()


class Model(Row):
    """A published model. `context`: native positions, none where there is no limit.

    `parameters` is the published count; a test recounts it from `architecture` and `apart`:
    what the repository holds and loading leaves out (modules that predict several tokens,
    router corrections, which are no parameters to PyTorch). `published`: the format of its
    makers' checkpoint, where that is packed; `published_group`: weights that share a scale
    in it, where it says so (-1: a whole row).
    """

    id: Id
    aliases: tuple[str, ...] = ()
    family: str
    parameters: PositiveInt
    apart: Mapping[str, PositiveInt] = {}
    context: PositiveInt | None = None
    licence: str
    gated: bool | None = None
    published: Id | None = None
    published_group: Literal[-1] | PositiveInt | None = None
    sources: Sources
    architecture: Architecture


class Size(Row):
    """The shape that a bare size stands for: `typed` parameters, `experts` copies of the MLP.

    `span`: common models of that size, between which the answer's range lies.
    `anchor`: whether sizes in between are interpolated from this one.
    """

    typed: Id
    parameters: PositiveInt
    experts: PositiveInt = 1
    shape: Id
    span: tuple[Id, ...] = ()
    anchor: bool = True


class Gpu(Row):
    """A card, as one device that a program sees.

    `memory_gb`: the size on the box. `reported_mib`: the driver's total; `torch_total_gib`:
    what PyTorch prints on Linux; `context_mib`: what a CUDA context takes, where measured.
    `shared`: words that fit several cards (`a100`), to be settled by a size.
    """

    id: Id
    name: str
    aliases: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    vendor: Literal["nvidia", "amd", "apple", "intel"]
    memory_gb: PositiveInt
    reported_mib: PositiveInt | None = None
    torch_total_gib: PositiveFloat | None = None
    context_mib: PositiveFloat | None = None
    bf16: bool
    flash_attention: bool | None = None
    unified: bool = False
    compute_capability: str | None = Field(default=None, pattern=r"^\d+\.\d$")
    sources: Sources

    @property
    def capability(self) -> tuple[int, int] | None:
        """NVIDIA's compute capability: (8, 9) of Ada."""
        if self.compute_capability is None:
            return None
        major, minor = self.compute_capability.split(".")
        return int(major), int(minor)

    @model_validator(mode="after")
    def _has_a_total(self) -> Self:
        if self.reported_mib is None and self.torch_total_gib is None:
            raise ValueError("needs reported_mib or torch_total_gib")
        return self


class CardClass(Row):
    """Cards of one marketed size; `members` are the common ones."""

    id: Id
    name: str
    aliases: tuple[str, ...] = ()
    memory_gb: PositiveInt
    members: tuple[Id, ...] = Field(min_length=1)
    sources: Sources


class CardUse(Row):
    """What every card loses: see the comments of `[usable]` in gpus.toml."""

    context_mib: PositiveFloat
    margin_mib: Count
    gap_small_mib: Count
    gap_large_mib: Count
    gap_from_gb: PositiveInt
    sources: Sources


class Groups(Row):
    """Packed along a row: `size` weights of `bits` share `scale_bits` of scale and zero point.

    `size` is the usual one; a checkpoint may have another.
    """

    bits: PositiveInt
    size: PositiveInt
    scale_bits: Count

    def block(self, size: int) -> tuple[int, int]:
        """The fewest groups that are whole bytes: (elements, bytes)."""
        group_bits = size * self.bits + self.scale_bits
        groups = 8 // gcd(group_bits, 8)
        return groups * size, groups * group_bits // 8


class Dtype(Row):
    """An element type, plain or in blocks: two integers, from which bits follow.

    `scale_bytes`: of a block's bytes, those of a scale that lies in a tensor of its own.
    What a matrix has besides blocks: `row_bits` for each output, `column_bytes` for each
    input, `tile_bytes` for each 128 × 128 of it, `tensor_bytes` once. `pad_columns`: rows are
    filled up to a multiple of it.
    """

    id: Id
    elements_per_block: PositiveInt = 1
    bytes_per_block: PositiveInt
    scale_bytes: Count = 0
    groups: Groups | None = None
    row_bits: Count = 0
    column_bytes: Count = 0
    tile_bytes: Count = 0
    tensor_bytes: Count = 0
    pad_columns: PositiveInt = 1
    sources: Sources
    aliases: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _groups_make_blocks(self) -> Self:
        if self.groups is not None:
            usual = self.groups.block(self.groups.size)
            if usual != (self.elements_per_block, self.bytes_per_block):
                raise ValueError(f"groups make blocks of {usual}")
        return self

    @property
    def plain(self) -> bool:
        return self.elements_per_block == 1

    def size_of(self, elements: int) -> int:
        """Bytes of `elements`, whole blocks."""
        return -(-elements // self.elements_per_block) * self.bytes_per_block

    def regrouped(self, size: int) -> "Dtype":
        """The same in groups of `size`; below 0: one group a row."""
        groups = self.groups
        if groups is None or size == groups.size:
            return self
        changed: dict[str, object] = {"id": f"{self.id}-g{size}" if size > 0 else f"{self.id}-row"}
        if size < 0:
            elements, size_bytes = 8 // gcd(groups.bits, 8), groups.bits // gcd(groups.bits, 8)
            changed |= {"groups": None, "row_bits": self.row_bits + groups.scale_bits}
        else:
            elements, size_bytes = groups.block(size)
            changed |= {"groups": groups.model_copy(update={"size": size})}
        changed |= {"elements_per_block": elements, "bytes_per_block": size_bytes}
        return self.model_copy(update=changed)


class TowerHeld(StrEnum):
    """What becomes of a tower for images where the language model is packed."""

    PLAIN = "plain"  # engines leave it in 16 bits
    PACKED = "packed"  # bitsandbytes packs every linear
    APART = "apart"  # GGUF: a file of its own


class Format(Row):
    """How a model's weights are held: an element type for each role.

    `compute`: the type that it is computed in. `trainable`: can itself be trained.
    `quantised`: linears are packed, and an adapter on them makes it QLoRA. `engine`:
    the engine that serves it unless another is named. `any_bits`: its linears have as many
    bits a weight as is asked for. `with_experts`: what its name means of a model with experts.
    `recipe`: of llama.cpp, by which the blocks' tensors are held in several types. `spread`:
    how many percent below and above it the files are seen to lie, where their maker publishes
    no rule.
    """

    id: Id
    aliases: tuple[str, ...] = ()
    linear: Id
    embedding: Id
    head: Id
    expert: Id
    other: Id
    compute: Id
    trainable: bool = False
    engine: Id = "vllm"
    tower: TowerHeld = TowerHeld.PLAIN
    any_bits: bool = False
    with_experts: Id | None = None
    recipe: str = ""
    spread: tuple[int, int] = (0, 0)
    sources: Sources

    @property
    def quantised(self) -> bool:
        return self.linear != self.other

    @property
    def dtypes(self) -> tuple[str, ...]:
        return (self.linear, self.embedding, self.head, self.expert, self.other, self.compute)


class Checkpoint(Row):
    """Published checkpoints in packed `formats` that are shaped unlike their `models`.

    `inner`: width of the MLP.
    """

    id: Id
    models: tuple[Id, ...] = Field(min_length=1)
    formats: tuple[Id, ...] = Field(min_length=1)
    inner: PositiveInt
    sources: Sources


class File(Row):
    """A published file of `model` in `format`, of so many bytes."""

    id: Id
    model: Id
    format: Id
    bytes: PositiveInt
    sources: Sources
