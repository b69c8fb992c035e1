"""Weight tensors, each listed once with its module's name and the role it plays."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

Count = Annotated[int, Field(ge=0)]

_SAID: dict[frozenset[str], set[str]] = {}


class Row(BaseModel):
    """A frozen row that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_post_init(self, _context: object) -> None:
        """Share with other rows the set of the fields that were said.

        pydantic keeps one for each row, which takes more memory than what the row says.
        """
        said = _SAID.setdefault(frozenset(self.model_fields_set), self.model_fields_set)
        object.__setattr__(self, "__pydantic_fields_set__", said)


class Role(StrEnum):
    """What a weight tensor is for; number formats and methods treat roles apart."""

    EMBEDDING = "embedding"
    POSITION = "position"
    HEAD = "head"
    LINEAR = "linear"  # an nn.Linear of a block: what is quantised and adapted
    EXPERT = "expert"  # experts of one block, fused into one 3-D tensor
    ROUTER = "router"
    NORM = "norm"
    BIAS = "bias"
    TOWER = "tower"  # of a tower for images: embeddings, norms, biases
    TOWER_LINEAR = "tower_linear"


class NormKind(StrEnum):
    """How a norm normalises, and what it scales by."""

    RMS = "rmsnorm"
    RMS_PLUS_ONE = "rmsnorm_plus1"  # Gemma: scaled by 1 + w, in fp32
    RMS_IN_FP32 = "rmsnorm_fp32"  # gpt-oss, OLMo 2: scaled before it is cast back
    RMS_KEEPING = "rmsnorm_keeping"  # T5: scales its 16-bit input, which it keeps beside fp32
    LAYER = "layernorm"
    LAYER_PLUS_ONE = "layernorm_plus1"
    NONE = "nonparametric"  # OLMo: no weight


class QkNorm(StrEnum):
    """Norms on queries and keys: one weight a head's width, or one over all heads."""

    NONE = "none"
    HEAD = "head"
    FULL = "full"


class Cached(NamedTuple):
    """What a layer caches of a token: for each of `heads`, so many elements of key and value."""

    heads: int
    key: int
    value: int


NOTHING_CACHED = Cached(0, 0, 0)


class Tensor(NamedTuple):
    """`copies` equal weight tensors of `rows` × `columns`; 1-D tensors have one row.

    `module` is its layer's name as the framework calls it (`q_proj`); a linear maps
    `columns` inputs to `rows` outputs. `experts` > 1 for a fused 3-D tensor.
    """

    module: str
    role: Role
    rows: int
    columns: int
    copies: int
    experts: int = 1
    active_experts: int = 1

    @property
    def elements(self) -> int:
        """Of one copy."""
        return self.experts * self.rows * self.columns

    def first_part(self, ways: int) -> "Tensor":
        """What the first of `ways` ranks holds where the first dimension is cut: the most."""
        if self.experts > 1:
            return self._replace(experts=-(-self.experts // ways))
        if self.rows == 1:
            return self._replace(columns=-(-self.columns // ways))
        return self._replace(rows=-(-self.rows // ways))

    @property
    def parameters(self) -> int:
        return self.copies * self.experts * self.rows * self.columns


class Extra(Row):
    """A weight beside the usual ones: gates, mixing vectors, a table of relative positions."""

    module: str
    role: Role = Role.NORM
    rows: PositiveInt = 1
    columns: PositiveInt

    def tensor(self, copies: int) -> Tensor:
        return Tensor(self.module, self.role, self.rows, self.columns, copies)


def norm_tensors(
    name: str, width: int, copies: int, kind: NormKind, *, bias: bool
) -> Iterator[Tensor]:
    """The weight of a norm, `width` wide, and its bias; a nonparametric one has neither."""
    if kind is NormKind.NONE:
        return
    yield Tensor(name, Role.NORM, 1, width, copies)
    if bias:
        yield Tensor(name, Role.BIAS, 1, width, copies)
