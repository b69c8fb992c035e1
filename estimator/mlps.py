"""What each token passes through by itself: gated, plain and routed MLPs."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from estimator.tensors import Count, Role, Row, Tensor


class GatedMlp(Row):
    """down(act(gate(x)) × up(x)); `fused`: gate and up in one projection.

    `written_out`: the activation is `gelu_new`. `dropout`: in front of the last linear (T5).
    """

    kind: Literal["gated"]
    inner: PositiveInt
    fused: bool = False
    bias: bool = False
    written_out: bool = False
    dropout: bool = False
    modules: tuple[str, ...] = ("gate_proj", "up_proj", "down_proj")

    @property
    def token_inner(self) -> int:
        """Width that one token passes through."""
        return self.inner

    @property
    def linear_inner(self) -> int:
        """The part of it that a plain linear reads."""
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
    RELU_SQUARED = "relu_squared"  # keeps ReLU's output, which is not what the linear reads
    XIELU = "xielu"  # written out in PyTorch, with two learned numbers (Apertus)
    GELU_NEW = "gelu_new"


class PlainMlp(Row):
    """down(act(up(x))); `dropout`: in front of the last linear (T5)."""

    kind: Literal["plain"]
    inner: PositiveInt
    activation: Activation = Activation.GELU
    bias: bool = False
    dropout: bool = False
    modules: tuple[str, str] = ("fc1", "fc2")

    @property
    def token_inner(self) -> int:
        return self.inner

    @property
    def linear_inner(self) -> int:
        """The part of it that a plain linear reads."""
        return self.inner

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        up, down = self.modules
        yield Tensor(up, Role.LINEAR, self.inner, hidden, copies)
        yield Tensor(down, Role.LINEAR, hidden, self.inner, copies)
        if self.bias:
            yield Tensor(up, Role.BIAS, 1, self.inner, copies)
            yield Tensor(down, Role.BIAS, 1, hidden, copies)


class Routing(StrEnum):
    """How a router weighs the experts that it chose, by what that keeps."""

    RENORMALISED = "renormalised"  # scores of all experts, the chosen ones divided by their sum
    PLAIN = "plain"  # scores of all experts, the chosen ones as they are (DeepSeek V2)
    CHOSEN = "chosen"  # softmax over the chosen ones alone (gpt-oss)


class ExpertsMlp(Row):
    """Routed gated experts, `per_token` of `experts` for each token, and shared ones.

    `shared_inner` is the width of all shared experts together. Experts are held as two
    fused 3-D parameters, gate with up and down, as transformers 5 holds them. `plain`: experts
    have no gate. `latent`: they work in a space that narrow (Nemotron 3 Super). `routed`: experts
    that the router chooses among, where only some of them are here.

    Of a card that trains some of the experts: `held`, how many, to which as many tokens come as
    if each card had all; `spread`: cards that each bring another part of the tokens.
    """

    kind: Literal["experts"]
    experts: PositiveInt
    per_token: PositiveInt
    inner: PositiveInt
    shared_inner: Count = 0
    shared_gate: bool = False
    router_bias: bool = False
    router_in_fp32: bool = False  # it reads the tokens in fp32 (DeepSeek)
    routing: Routing = Routing.RENORMALISED
    weighed_in_half: bool = False  # the weights are cast to the tokens' type (Qwen)
    bias: bool = False
    clamped: bool = False  # gate and up are clamped, and 1 added to up (gpt-oss)
    plain: bool = False
    latent: Count = 0
    held: Count = 0
    spread: PositiveInt = 1
    routed: Count = 0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.per_token > self.experts:
            raise ValueError(f"{self.per_token} experts a token, but only {self.experts} in all")
        return self

    @property
    def token_inner(self) -> int:
        return self.per_token * self.inner // self.spread + self.shared_inner

    @property
    def linear_inner(self) -> int:
        """The part of it that a plain linear reads: routed experts are no linears."""
        return self.shared_inner

    def tensors(self, hidden: int, copies: int) -> Iterator[Tensor]:
        held = self.held or self.experts
        fused = (copies, held, min(self.per_token, held))
        up, wide = "up_proj" if self.plain else "gate_up_proj", self.inner * (2 - self.plain)
        width = self.latent or hidden
        yield Tensor(f"experts.{up}", Role.EXPERT, wide, width, *fused)
        yield Tensor("experts.down_proj", Role.EXPERT, width, self.inner, *fused)
        if self.bias:
            yield Tensor(f"experts.{up}", Role.BIAS, 1, wide, *fused)
            yield Tensor("experts.down_proj", Role.BIAS, 1, width, *fused)
        if self.latent:
            yield Tensor("latent.down", Role.LINEAR, self.latent, hidden, copies)
            yield Tensor("latent.up", Role.LINEAR, hidden, self.latent, copies)
        routed = self.routed or self.experts
        yield Tensor("router", Role.ROUTER, routed, hidden, copies)
        if self.router_bias:
            yield Tensor("router", Role.BIAS, 1, routed, copies)
        if self.shared_inner:
            for name in ("shared.gate_proj", "shared.up_proj")[self.plain :]:
                yield Tensor(name, Role.LINEAR, self.shared_inner, hidden, copies)
            yield Tensor("shared.down_proj", Role.LINEAR, hidden, self.shared_inner, copies)
        if self.shared_gate:
            yield Tensor("shared.gate", Role.ROUTER, 1, hidden, copies)


class NoMlp(Row):
    """A layer that is a mixer alone (Mamba, Nemotron-H)."""

    kind: Literal["none"]
    token_inner: Literal[0] = 0
    linear_inner: Literal[0] = 0

    def tensors(self, _hidden: int, _copies: int) -> Iterator[Tensor]:
        return iter(())


Mlp = Annotated[GatedMlp | PlainMlp | ExpertsMlp | NoMlp, Field(discriminator="kind")]
