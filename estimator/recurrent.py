"""How tokens see each other through a state of fixed size: the kinds, with their weights.

Nothing is cached for a token; each sequence has a state instead, and the last few inputs
of a short convolution.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from pydantic import PositiveInt

from estimator.tensors import NOTHING_CACHED, Cached, Role, Row, Tensor


class State(NamedTuple):
    """Elements that a layer keeps of each sequence."""

    convolution: int
    recurrent: int


class Recurrent(Row):
    """What every mixer without a cache has in common."""

    window: None = None
    modules: tuple[str, ...] = ()
    input_modules: tuple[str, ...] = ()
    output_module: str = ""

    @property
    def query_heads(self) -> int:
        """No scores, and nothing that must be divided among cards as heads."""
        return 0

    @property
    def rotary_width(self) -> int:
        """Positions are in the state: nothing is rotated."""
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
