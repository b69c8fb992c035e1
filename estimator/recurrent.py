"""How tokens see each other through a state of fixed size: the kinds, with their weights.

Nothing is cached for a token; each sequence has a state instead, and the last few inputs
of a short convolution.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from pydantic import PositiveInt

from estimator.tensors import NOTHING_CACHED, Cached, Count, Role, Row, Tensor


class State(NamedTuple):
    """Elements that a layer keeps of each sequence."""

    convolution: int
    recurrent: int


class Recurrent(Row):
    """What every mixer without a cache has in common."""

    window: None = None

    @property
    def query_heads(self) -> int:
        """No scores, and nothing that must be divided among cards as heads."""
        return 0

    @property
    def cached(self) -> Cached:
        return NOTHING_CACHED

    @property
    def expanded(self) -> Cached:
        return NOTHING_CACHED


class NoMixer(Recurrent):
    """A layer whose tokens do not see each other: an MLP alone (Nemotron-H)."""

    kind: Literal["none"]
    modules: tuple[str, ...] = ()
    input_modules: tuple[str, ...] = ()
    output_module: str = ""
    output_width: Literal[0] = 0

    @property
    def state(self) -> State:
        return State(0, 0)

    def tensors(self, _hidden: int, _copies: int) -> Iterator[Tensor]:
        return iter(())


class Mamba(Recurrent):
    """A selective state-space layer: `inner` channels, each with a state of `state_size`.

    `norms`: weights of norms on the step and on B and C (Jamba).
    """

    kind: Literal["mamba"]
    inner: PositiveInt
    state_size: PositiveInt
    step_rank: PositiveInt
    kernel: PositiveInt = 4
    norms: bool = False
    modules: tuple[str, ...] = ("in_proj", "x_proj", "dt_proj", "out_proj")
    input_modules: tuple[str, ...] = ("in_proj",)
    output_module: str = "out_proj"

    @property
    def output_width(self) -> int:
        return self.inner

    @property
    def state(self) -> State:
        return State(self.inner * self.kernel, self.inner * self.state_size)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        yield Tensor("in_proj", Role.LINEAR, 2 * self.inner, hidden, copies)
        yield Tensor("conv1d", Role.NORM, self.inner, self.kernel, copies)
        yield Tensor("conv1d", Role.BIAS, 1, self.inner, copies)
        narrow = self.step_rank + 2 * self.state_size
        yield Tensor("x_proj", Role.LINEAR, narrow, self.inner, copies)
        yield Tensor("dt_proj", Role.LINEAR, self.inner, self.step_rank, copies)
        yield Tensor("dt_proj", Role.BIAS, 1, self.inner, copies)
        yield Tensor("A_log", Role.NORM, self.inner, self.state_size, copies)
        yield Tensor("D", Role.NORM, 1, self.inner, copies)
        yield Tensor("out_proj", Role.LINEAR, hidden, self.inner, copies)
        if self.norms:
            yield Tensor("dt_b_c_layernorm", Role.NORM, 1, narrow, copies)


class Mamba2(Recurrent):
    """`heads` of `head_dim` channels, each with one decay; B and C are shared by a group."""

    kind: Literal["mamba2"]
    heads: PositiveInt
    head_dim: PositiveInt
    state_size: PositiveInt
    groups: PositiveInt = 1
    kernel: PositiveInt = 4
    gated_norm: bool = True
    modules: tuple[str, ...] = ("in_proj", "out_proj")
    input_modules: tuple[str, ...] = ("in_proj",)
    output_module: str = "out_proj"

    @property
    def inner(self) -> int:
        return self.heads * self.head_dim

    @property
    def convolved(self) -> int:
        """Channels that pass the convolution: the input, B and C."""
        return self.inner + 2 * self.groups * self.state_size

    @property
    def projected(self) -> int:
        """What the input projection puts out: the gate, the convolved, and a step a head."""
        return self.inner + self.convolved + self.heads

    @property
    def output_width(self) -> int:
        return self.inner

    @property
    def state(self) -> State:
        return State(self.convolved * self.kernel, self.inner * self.state_size)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        yield Tensor("in_proj", Role.LINEAR, self.projected, hidden, copies)
        yield Tensor("conv1d", Role.NORM, self.convolved, self.kernel, copies)
        yield Tensor("conv1d", Role.BIAS, 1, self.convolved, copies)
        yield Tensor("A_log, D, dt_bias", Role.NORM, 3, self.heads, copies)
        if self.gated_norm:
            yield Tensor("norm", Role.NORM, 1, self.inner, copies)
        yield Tensor("out_proj", Role.LINEAR, hidden, self.inner, copies)


class DeltaNet(Recurrent):
    """The gated delta rule: a state of (key_dim, value_dim) a head (Qwen3-Next, Qwen3.5)."""

    kind: Literal["delta_net"]
    key_heads: PositiveInt
    value_heads: PositiveInt
    key_dim: PositiveInt
    value_dim: PositiveInt
    kernel: PositiveInt = 4
    modules: tuple[str, ...] = ("in_proj_qkvz", "in_proj_ba", "out_proj")
    input_modules: tuple[str, ...] = ("in_proj_qkvz", "in_proj_ba")
    output_module: str = "out_proj"

    @property
    def convolved(self) -> int:
        """Queries, keys and values."""
        return 2 * self.key_heads * self.key_dim + self.output_width

    @property
    def output_width(self) -> int:
        return self.value_heads * self.value_dim

    @property
    def state(self) -> State:
        recurrent = self.value_heads * self.key_dim * self.value_dim
        return State(self.convolved * self.kernel, recurrent)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        wide = self.convolved + self.output_width
        yield Tensor("in_proj_qkvz", Role.LINEAR, wide, hidden, copies)
        yield Tensor("in_proj_ba", Role.LINEAR, 2 * self.value_heads, hidden, copies)
        yield Tensor("conv1d", Role.NORM, self.convolved, self.kernel, copies)
        yield Tensor("A_log, dt_bias", Role.NORM, 2, self.value_heads, copies)
        yield Tensor("norm", Role.NORM, 1, self.value_dim, copies)
        yield Tensor("out_proj", Role.LINEAR, hidden, self.output_width, copies)


class KimiDelta(Recurrent):
    """Kimi's delta attention: the delta rule with a decay for every channel of a key."""

    kind: Literal["kimi_delta"]
    heads: PositiveInt
    head_dim: PositiveInt
    kernel: PositiveInt = 4
    modules: tuple[str, ...] = (
        *("q_proj", "k_proj", "v_proj", "f_a_proj", "f_b_proj"),
        *("b_proj", "g_a_proj", "g_b_proj", "o_proj"),
    )
    input_modules: tuple[str, ...] = (
        *("q_proj", "k_proj", "v_proj", "f_a_proj", "b_proj", "g_a_proj"),
    )
    output_module: str = "o_proj"

    @property
    def output_width(self) -> int:
        return self.heads * self.head_dim

    @property
    def state(self) -> State:
        return State(3 * self.output_width * self.kernel, self.output_width * self.head_dim)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        width = self.output_width
        for name in ("q_proj", "k_proj", "v_proj"):
            yield Tensor(name, Role.LINEAR, width, hidden, copies)
        yield Tensor("conv1d", Role.NORM, 3 * width, self.kernel, copies)
        for name in ("f", "g"):
            yield Tensor(f"{name}_a_proj", Role.LINEAR, self.head_dim, hidden, copies)
            yield Tensor(f"{name}_b_proj", Role.LINEAR, width, self.head_dim, copies)
        yield Tensor("b_proj", Role.LINEAR, self.heads, hidden, copies)
        yield Tensor("A_log", Role.NORM, 1, self.heads, copies)
        yield Tensor("dt_bias", Role.NORM, 1, width, copies)
        yield Tensor("o_norm", Role.NORM, 1, self.head_dim, copies)
        yield Tensor("o_proj", Role.LINEAR, hidden, width, copies)


class Lightning(Recurrent):
    """Linear attention with a fixed decay and a gate on its output (MiniMax-Text)."""

    kind: Literal["lightning"]
    heads: PositiveInt
    head_dim: PositiveInt
    modules: tuple[str, ...] = ("qkv_proj", "output_gate", "out_proj")
    input_modules: tuple[str, ...] = ("qkv_proj", "output_gate")
    output_module: str = "out_proj"

    @property
    def output_width(self) -> int:
        return self.heads * self.head_dim

    @property
    def state(self) -> State:
        return State(0, self.output_width * self.head_dim)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        yield Tensor("qkv_proj", Role.LINEAR, 3 * self.output_width, hidden, copies)
        yield Tensor("output_gate", Role.LINEAR, self.output_width, hidden, copies)
        yield Tensor("norm", Role.NORM, 1, self.output_width, copies)
        yield Tensor("out_proj", Role.LINEAR, hidden, self.output_width, copies)


class ShortConvolution(Recurrent):
    """A gated convolution over `kernel` tokens, as wide as the model (LFM2)."""

    kind: Literal["short_convolution"]
    width: PositiveInt
    kernel: PositiveInt
    modules: tuple[str, ...] = ("in_proj", "out_proj")
    input_modules: tuple[str, ...] = ("in_proj",)
    output_module: str = "out_proj"

    @property
    def output_width(self) -> int:
        return self.width

    @property
    def state(self) -> State:
        return State(self.width * self.kernel, 0)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        yield Tensor("in_proj", Role.LINEAR, 3 * self.width, hidden, copies)
        yield Tensor("conv", Role.NORM, self.width, self.kernel, copies)
        yield Tensor("out_proj", Role.LINEAR, hidden, self.width, copies)


class LinearRecurrent(Recurrent):
    """A gated linear recurrence behind a convolution, gates block-diagonal (RecurrentGemma)."""

    kind: Literal["linear_recurrent"]
    width: PositiveInt
    heads: PositiveInt
    kernel: PositiveInt = 4
    modules: tuple[str, ...] = ("linear_x", "linear_y", "linear_out")
    input_modules: tuple[str, ...] = ("linear_x", "linear_y")
    output_module: str = "linear_out"

    @property
    def output_width(self) -> int:
        return self.width

    @property
    def state(self) -> State:
        return State(self.width * self.kernel, self.width)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        for name in ("linear_x", "linear_y"):
            yield Tensor(name, Role.LINEAR, self.width, hidden, copies)
            yield Tensor(name, Role.BIAS, 1, self.width, copies)
        yield Tensor("conv_1d", Role.NORM, self.width, self.kernel, copies)
        yield Tensor("conv_1d", Role.BIAS, 1, self.width, copies)
        block = self.width // self.heads
        for name in ("input_gate", "recurrent_gate"):
            yield Tensor(name, Role.NORM, self.width, block, copies)
            yield Tensor(name, Role.BIAS, 1, self.width, copies)
        yield Tensor("recurrent_param", Role.NORM, 1, self.width, copies)
        yield Tensor("linear_out", Role.LINEAR, hidden, self.width, copies)
        yield Tensor("linear_out", Role.BIAS, 1, hidden, copies)


class Rwkv(Recurrent):
    """RWKV-4's time mixing: key, value and receptance, each read through a mix of two tokens."""

    kind: Literal["rwkv"]
    width: PositiveInt
    mixes: Count = 3
    modules: tuple[str, ...] = ("key", "value", "receptance", "output")
    input_modules: tuple[str, ...] = ("key", "value", "receptance")
    output_module: str = "output"

    @property
    def output_width(self) -> int:
        return self.width

    @property
    def state(self) -> State:
        """The last token's input to both halves of the layer; numerator, sum and exponent."""
        return State(2 * self.width, 3 * self.width)

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        for name in self.input_modules:
            yield Tensor(name, Role.LINEAR, self.width, hidden, copies)
        yield Tensor("time_decay, time_first", Role.NORM, 2, self.width, copies)
        yield Tensor("time_mix", Role.NORM, self.mixes, hidden, copies)
        yield Tensor("output", Role.LINEAR, hidden, self.width, copies)
