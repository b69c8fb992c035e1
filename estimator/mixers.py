"""How tokens see each other: the kinds of attention, with their weight tensors."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Discriminator, PositiveInt, Tag, model_validator

from estimator.linear_attention import DeltaNet, KimiDelta, Lightning, Rwkv
from estimator.recurrent import LinearRecurrent, Mamba, Mamba2, NoMixer, ShortConvolution
from estimator.tensors import NOTHING_CACHED, Cached, QkNorm, Role, Row, Tensor


class Attention(Row):
    """Softmax attention with grouped key and value heads.

    Shapes a token: queries (query_heads, head_dim), keys and values (kv_heads, head_dim).
    `window`: tokens that a sliding layer looks back; none for full attention.
    `fused`: one projection for q, k and v together. `rotary_cat`: the rotated part is
    concatenated with the rest, as partial rotary embeddings are (GPT-NeoX, Phi).
    `sinks`: a learned score a head that takes attention to nothing (gpt-oss).
    `output_gate`: queries come with as wide a gate for the output (Qwen3-Next). `borrows`:
    keys and values are an earlier layer's (Gemma 3n); `one_for_both`: one projection is both.
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
    sinks: bool = False
    output_gate: bool = False
    borrows: bool = False
    one_for_both: bool = False
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
    def input_modules(self) -> tuple[str, ...]:
        """The linears that read the block's input."""
        return self.modules[:-1]

    @property
    def output_module(self) -> str:
        return self.modules[-1]

    @property
    def rotary_width(self) -> int:
        """Of a head, where all of it is turned."""
        return 0 if self.rotary_cat else self.head_dim

    @property
    def output_width(self) -> int:
        """What the output projection reads, all heads together."""
        return self.query_width

    @property
    def cached(self) -> Cached:
        if self.borrows:
            return NOTHING_CACHED
        return Cached(self.kv_heads, self.head_dim, self.head_dim)

    @property
    def expanded(self) -> Cached:
        """The same: there is nothing to expand."""
        return self.cached

    @property
    def query_width(self) -> int:
        return self.query_heads * self.head_dim

    @property
    def kv_width(self) -> int:
        return self.kv_heads * self.head_dim

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        q, kv = self.query_width, self.kv_width
        wide = 2 * q if self.output_gate else q
        outs = (wide + 2 * kv,) if self.fused else (wide, kv, kv)
        own = 1 if self.borrows else 2 if self.one_for_both else len(outs)
        for name, out in zip(self.modules, outs[:own], strict=False):
            yield Tensor(name, Role.LINEAR, out, hidden, copies)
            if self.qkv_bias:
                yield Tensor(name, Role.BIAS, 1, out, copies)
        yield Tensor(self.modules[-1], Role.LINEAR, hidden, q, copies)
        if self.output_bias:
            yield Tensor(self.modules[-1], Role.BIAS, 1, hidden, copies)
        if self.qk_norm is not QkNorm.NONE:
            widths = (q, kv) if self.qk_norm is QkNorm.FULL else (self.head_dim, self.head_dim)
            yield Tensor("q_norm", Role.NORM, 1, widths[0], copies)
            if not self.borrows:
                yield Tensor("k_norm", Role.NORM, 1, widths[1], copies)
        if self.sinks:
            yield Tensor("sinks", Role.BIAS, 1, self.query_heads, copies)


class LatentAttention(Row):
    """Multi-head latent attention: keys and values come out of one narrow latent (DeepSeek).

    Shapes a token: queries and keys (query_heads, nope_dim + rope_dim), values
    (query_heads, value_dim), the latent (kv_rank,) and one rotated key (rope_dim,) that
    all heads share. `q_rank`: queries too pass a latent; none: one projection.
    """

    kind: Literal["latent"]
    query_heads: PositiveInt
    q_rank: PositiveInt | None = None
    kv_rank: PositiveInt
    nope_dim: PositiveInt
    rope_dim: PositiveInt
    value_dim: PositiveInt
    window: None = None

    @property
    def input_modules(self) -> tuple[str, ...]:
        """The linears that read the block's input."""
        return ("q_proj" if self.q_rank is None else "q_a_proj", "kv_a_proj_with_mqa")

    @property
    def output_module(self) -> str:
        return "o_proj"

    @property
    def modules(self) -> tuple[str, ...]:
        middle = ("kv_b_proj",) if self.q_rank is None else ("q_b_proj", "kv_b_proj")
        return (*self.input_modules, *middle, self.output_module)

    @property
    def rotary_width(self) -> int:
        """Of the key that all heads share."""
        return self.rope_dim

    @property
    def output_width(self) -> int:
        """What the output projection reads, all heads together."""
        return self.query_heads * self.value_dim

    @property
    def cached(self) -> Cached:
        """The latent and the rotated key, which stand for keys and values of all heads."""
        return Cached(1, self.kv_rank + self.rope_dim, 0)

    @property
    def expanded(self) -> Cached:
        """Keys and values of every head, as engines without kernels for latents keep them."""
        return Cached(self.query_heads, self.nope_dim + self.rope_dim, self.value_dim)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        queries = self.query_heads * (self.nope_dim + self.rope_dim)
        narrow = self.kv_rank + self.rope_dim
        wide = self.query_heads * (self.nope_dim + self.value_dim)
        if self.q_rank is None:
            yield Tensor("q_proj", Role.LINEAR, queries, hidden, copies)
        else:
            yield Tensor("q_a_proj", Role.LINEAR, self.q_rank, hidden, copies)
            yield Tensor("q_a_layernorm", Role.NORM, 1, self.q_rank, copies)
            yield Tensor("q_b_proj", Role.LINEAR, queries, self.q_rank, copies)
        yield Tensor("kv_a_proj_with_mqa", Role.LINEAR, narrow, hidden, copies)
        yield Tensor("kv_a_layernorm", Role.NORM, 1, self.kv_rank, copies)
        yield Tensor("kv_b_proj", Role.LINEAR, wide, self.kv_rank, copies)
        yield Tensor("o_proj", Role.LINEAR, hidden, self.query_heads * self.value_dim, copies)


def _kind(value: object) -> str:
    """Grouped attention is what a row means that does not say its kind."""
    if isinstance(value, dict):
        return str(value.get("kind", "grouped"))
    return str(getattr(value, "kind", ""))


Mixer = Annotated[
    Annotated[Attention, Tag("grouped")]
    | Annotated[LatentAttention, Tag("latent")]
    | Annotated[NoMixer, Tag("none")]
    | Annotated[Mamba, Tag("mamba")]
    | Annotated[Mamba2, Tag("mamba2")]
    | Annotated[DeltaNet, Tag("delta_net")]
    | Annotated[KimiDelta, Tag("kimi_delta")]
    | Annotated[Lightning, Tag("lightning")]
    | Annotated[ShortConvolution, Tag("short_convolution")]
    | Annotated[LinearRecurrent, Tag("linear_recurrent")]
    | Annotated[Rwkv, Tag("rwkv")],
    Discriminator(_kind),
]
