"""What a decoder block is made of: kinds of attention, kinds of MLP, norms.

Each part lists its weight tensors once, with the name that the framework gives their
module and the role they play.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

Count = Annotated[int, Field(ge=0)]


class Row(BaseModel):
    """A frozen row that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class NormKind(StrEnum):
    """How a norm normalises, and what it scales by."""

    RMS = "rmsnorm"
    RMS_PLUS_ONE = "rmsnorm_plus1"  # Gemma: scaled by 1 + w
    LAYER = "layernorm"
    LAYER_PLUS_ONE = "layernorm_plus1"
    NONE = "nonparametric"  # OLMo: no weight


class QkNorm(StrEnum):
    """Norms on queries and keys: one weight a head's width, or one over all heads."""

    NONE = "none"
    HEAD = "head"
    FULL = "full"


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

    @property
    def parameters(self) -> int:
        return self.copies * self.elements


class Attention(Row):
    """Softmax attention with grouped key and value heads.

    Shapes a token: queries (query_heads, head_dim), keys and values (kv_heads, head_dim).
    `window`: tokens that a sliding layer looks back; none for full attention.
    `fused`: one projection for q, k and v together. `rotary_cat`: the rotated part is
    concatenated with the rest, as partial rotary embeddings are (GPT-NeoX, Phi).
    Without flash, `softcap`: scores pass tanh (Gemma 2); `half_softmax`: softmax runs in
    the graph's own type, not in fp32; `dropout`: its output is dropped out (GPT-2, both).
    """

    kind: Literal["grouped"] = "grouped"
    query_heads: PositiveInt
    kv_heads: PositiveInt
    head_dim: PositiveInt
    window: PositiveInt | None = None
    fused: bool = False
    rotary_cat: bool = False
    softcap: bool = False
    half_softmax: bool = False
    dropout: bool = False
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: QkNorm = QkNorm.NONE
    modules: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.query_heads % self.kv_heads:
            raise ValueError(
                f"{self.query_heads} query heads do not divide into {self.kv_heads} kv heads"
            )
        if len(self.modules) != (2 if self.fused else 4):
            raise ValueError("modules name q, k, v, o, or the fused projection and o")
        return self

    @property
    def query_width(self) -> int:
        return self.query_heads * self.head_dim

    @property
    def kv_width(self) -> int:
        return self.kv_heads * self.head_dim

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        q, kv = self.query_width, self.kv_width
        outs = (q + 2 * kv,) if self.fused else (q, kv, kv)
        for name, out in zip(self.modules, outs, strict=False):
            yield Tensor(name, Role.LINEAR, out, hidden, copies)
            if self.qkv_bias:
                yield Tensor(name, Role.BIAS, 1, out, copies)
        yield Tensor(self.modules[-1], Role.LINEAR, hidden, q, copies)
        if self.output_bias:
            yield Tensor(self.modules[-1], Role.BIAS, 1, hidden, copies)
        if self.qk_norm is not QkNorm.NONE:
            widths = (q, kv) if self.qk_norm is QkNorm.FULL else (self.head_dim, self.head_dim)
            yield Tensor("q_norm", Role.NORM, 1, widths[0], copies)
            yield Tensor("k_norm", Role.NORM, 1, widths[1], copies)


class GatedMlp(Row):
    """down(act(gate(x)) × up(x)); `fused`: gate and up in one projection."""

    kind: Literal["gated"]
    inner: PositiveInt
    fused: bool = False
    bias: bool = False
    modules: tuple[str, ...] = ("gate_proj", "up_proj", "down_proj")

    @property
    def token_inner(self) -> int:
        """Width that one token passes through."""
        return self.inner

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        outs = (2 * self.inner,) if self.fused else (self.inner, self.inner)
        for name, out in zip(self.modules, outs, strict=False):
            yield Tensor(name, Role.LINEAR, out, hidden, copies)
            if self.bias:
                yield Tensor(name, Role.BIAS, 1, out, copies)
        yield Tensor(self.modules[-1], Role.LINEAR, hidden, self.inner, copies)
        if self.bias:
            yield Tensor(self.modules[-1], Role.BIAS, 1, hidden, copies)


class Activation(StrEnum):
    """An activation by what it keeps: ReLU its output, GELU its input, `gelu_new` every step."""

    RELU = "relu"
    GELU = "gelu"
    GELU_NEW = "gelu_new"


class PlainMlp(Row):
    """down(act(up(x)))."""

    kind: Literal["plain"]
    inner: PositiveInt
    activation: Activation = Activation.GELU
    bias: bool = False
    modules: tuple[str, str] = ("fc1", "fc2")

    @property
    def token_inner(self) -> int:
        return self.inner

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        up, down = self.modules
        yield Tensor(up, Role.LINEAR, self.inner, hidden, copies)
        yield Tensor(down, Role.LINEAR, hidden, self.inner, copies)
        if self.bias:
            yield Tensor(up, Role.BIAS, 1, self.inner, copies)
            yield Tensor(down, Role.BIAS, 1, hidden, copies)


class ExpertsMlp(Row):
    """Routed gated experts, `per_token` of `experts` for each token, and shared ones.

    `shared_inner` is the width of all shared experts together. Experts are held as two
    fused 3-D parameters, gate with up and down, as transformers 5 holds them.
    """

    kind: Literal["experts"]
    experts: PositiveInt
    per_token: PositiveInt
    inner: PositiveInt
    shared_inner: Count = 0
    shared_gate: bool = False
    router_bias: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.per_token > self.experts:
            raise ValueError(f"{self.per_token} experts a token, but only {self.experts} in all")
        return self

    @property
    def token_inner(self) -> int:
        return self.per_token * self.inner + self.shared_inner

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        fused = (copies, self.experts, self.per_token)
        yield Tensor("experts.gate_up_proj", Role.EXPERT, 2 * self.inner, hidden, *fused)
        yield Tensor("experts.down_proj", Role.EXPERT, hidden, self.inner, *fused)
        yield Tensor("router", Role.ROUTER, self.experts, hidden, copies)
        if self.router_bias:
            yield Tensor("router", Role.BIAS, 1, self.experts, copies)
        if self.shared_inner:
            for name in ("shared.gate_proj", "shared.up_proj"):
                yield Tensor(name, Role.LINEAR, self.shared_inner, hidden, copies)
            yield Tensor("shared.down_proj", Role.LINEAR, hidden, self.shared_inner, copies)
        if self.shared_gate:
            yield Tensor("shared.gate", Role.ROUTER, 1, hidden, copies)


Mlp = Annotated[GatedMlp | PlainMlp | ExpertsMlp, Field(discriminator="kind")]


class Block(Row):
    """One kind of decoder layer; `norms` on the residual stream, each `hidden` wide."""

    attention: Attention
    mlp: Mlp
    norms: Count = 2
    parallel: bool = False  # attention and MLP read the same input

    def tensors(
        self, hidden: int, copies: int, *, norm: NormKind, norm_bias: bool
    ) -> Iterator[Tensor]:
        yield from self.attention.tensors(hidden, copies)
        yield from self.mlp.tensors(hidden, copies)
        if self.norms:
            yield from norm_tensors("norm", hidden, copies * self.norms, norm, bias=norm_bias)


def norm_tensors(
    name: str, width: int, copies: int, kind: NormKind, *, bias: bool
) -> Iterator[Tensor]:
    """The weight of a norm, `width` wide, and its bias; a nonparametric one has neither."""
    if kind is NormKind.NONE:
        return
    yield Tensor(name, Role.NORM, 1, width, copies)
    if bias:
        yield Tensor(name, Role.BIAS, 1, width, copies)
