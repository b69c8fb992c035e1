"""Linear attention: the kinds whose state is a table of keys and values, with their weights."""

from collections.abc import Iterator
from typing import Literal

from pydantic import PositiveInt

from estimator.recurrent import Recurrent, State
from estimator.tensors import Count, Role, Tensor


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
