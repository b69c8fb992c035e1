"""Rows of cards: the card, what its chip computes in, classes of cards, cloud instances."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    ValidationInfo,
    field_validator,
)

from estimator.rows import Id, Sources
from estimator.tensors import Count, Row

Vendor = Literal["nvidia", "amd", "apple", "intel", "google", "huawei"]
Share = Annotated[float, Field(gt=0, le=1)]


class Ecc(StrEnum):
    """How a card with error-correcting memory is delivered, and whether that takes memory."""

    ON = "on"  # takes a sixteenth
    OFF = "off"  # would take a sixteenth
    FREE = "free"  # takes none, as with HBM


class Microarchitecture(Row):
    """What a chip computes in, in hardware; none: not known.

    `flash_attention`: FlashAttention-2. `int8`: dot products or matrix instructions.
    `software`: what programs it, of chips that are no GPU.
    """

    id: Id
    name: str
    compute_capability: str | None = Field(default=None, pattern=r"^\d+\.\d$")
    bf16: bool
    fp8: bool | None = None
    fp4: bool | None = None
    int8: bool | None = None
    flash_attention: bool | None = None
    software: str | None = None
    sources: Sources


class Link(Row):
    """To other cards. `gbs`: GB/s of both directions together; PCIe's follows from its lanes.

    `bridge`: between two or four cards only, where one is fitted.
    """

    kind: Literal["pcie", "nvlink", "nvlink-c2c", "infinity-fabric", "ici", "hccs", "ethernet"]
    generation: PositiveInt | None = None
    lanes: PositiveInt | None = None
    gbs: PositiveFloat | None = None
    bridge: bool = False


class Gpu(Row):
    """A card, as one device that a program sees.

    `memory_gb`: the size on the box. `reported_mib`: the driver's total; `torch_total_gib`:
    what PyTorch prints on Linux; `context_mib`: what a CUDA context takes, where measured.
    `shared`: words that fit several cards (`a100`), to be settled by a size.
    `unified_share`: of memory that system and GPU share, what a GPU may use by default.
    """

    id: Id
    name: str
    aliases: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    vendor: Vendor
    microarchitecture: Microarchitecture
    memory_gb: PositiveInt
    reported_mib: PositiveInt | None = None
    torch_total_gib: PositiveFloat | None = None
    context_mib: PositiveFloat | None = None
    bandwidth_gbs: PositiveFloat | None = None
    link: Link | None = None
    ecc: Ecc | None = None
    unified: bool = False
    unified_share: Share | None = None
    slice_of: Id | None = None
    sources: Sources

    @field_validator("microarchitecture", mode="before")
    @classmethod
    def _by_id(cls, value: object, info: ValidationInfo) -> object:
        """The row that is named, of the microarchitectures that the table was read with."""
        chips: Mapping[str, Microarchitecture] = info.context or {}
        return chips.get(value, value) if isinstance(value, str) else value

    @property
    def bf16(self) -> bool:
        return self.microarchitecture.bf16

    @property
    def flash_attention(self) -> bool | None:
        return self.microarchitecture.flash_attention

    @property
    def compute_capability(self) -> str | None:
        return self.microarchitecture.compute_capability

    @property
    def capability(self) -> tuple[int, int] | None:
        """NVIDIA's compute capability: (8, 9) of Ada."""
        if self.compute_capability is None:
            return None
        major, minor = self.compute_capability.split(".")
        return int(major), int(minor)

    @property
    def has_total(self) -> bool:
        """Whether a total was seen, by a driver or by PyTorch."""
        return self.reported_mib is not None or self.torch_total_gib is not None


class CardClass(Row):
    """Cards of one marketed size; `members` are the common ones.

    `listed`: also judged in an answer that asks for other cards, or none.
    """

    id: Id
    name: str
    aliases: tuple[str, ...] = ()
    memory_gb: PositiveInt
    members: tuple[Id, ...] = Field(min_length=1)
    listed: bool = True
    sources: Sources


class CardUse(Row):
    """What every card loses: see the comments of `[usable]` in gpus.toml."""

    context_mib: PositiveFloat
    margin_mib: Count
    gap_small_mib: Count
    gap_large_mib: Count
    gap_from_gb: PositiveInt
    gaps_mib: Mapping[str, Count]
    box_shares: Mapping[str, Share]
    ecc_share: Share
    unified_share: Share
    slice_share: Share
    sources: Sources


class Instance(Row):
    """A machine of a cloud: `count` cards of one kind, and the host's memory.

    `host_memory` in `host_unit`, as the provider writes it; none where it is not known.
    """

    id: Id
    provider: str
    aliases: tuple[str, ...] = ()
    gpu: Id
    count: PositiveInt
    host_memory: NonNegativeFloat | None = None
    host_unit: Literal["GiB", "GB"] = "GiB"
    link: str | None = None
    sources: Sources
