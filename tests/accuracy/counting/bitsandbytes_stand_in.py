"""Stands in for bitsandbytes, whose kernels need a card: the same tensors, nothing computed.

What it holds and keeps is that of bitsandbytes 0.50. PEFT's own layers for packed bases run
on top of it unchanged. Left out: the tables of 16 and 256 codes and the offset that each
4-bit layer has, 2 KiB together.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

from tests.accuracy.counting.foreign import Tensor, functional, nn, peft, torch

BLOCK = 64  # weights that share one scale
NESTED = 256  # scales that share one scale of their own


class Linear4bit(nn.Linear):
    """A linear packed to NF4: bytes, one-byte scales, and fp32 scales of scales.

    It computes in bf16 and hands back the type that it was given. `storage`: what the bytes
    are seen as; FSDP divides what has the type of the rest, and never the scales.
    """

    compute_dtype = torch.bfloat16

    def __init__(self, linear: nn.Linear, storage: torch.dtype = torch.uint8) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        numbers = self.in_features * self.out_features
        packed = torch.empty(numbers // 2 // storage.itemsize, 1, dtype=storage)
        self.weight = nn.Parameter(packed, requires_grad=False)
        self.weight.compress_statistics, self.weight.quant_type = True, "nf4"  # PEFT asks
        scales = -(-numbers // BLOCK)
        self.absmax = nn.Buffer(torch.empty(scales, dtype=torch.uint8))
        self.nested = nn.Buffer(torch.empty(-(-scales // NESTED), dtype=torch.float32))
        self.bias = linear.bias

    def unpacked(self) -> Tensor:
        """The weight in bf16; while it is made, its scales stand in fp32 beside it."""
        absmax = torch.empty(self.absmax.shape, dtype=torch.float32)
        weight = torch.empty(self.out_features, self.in_features, dtype=torch.bfloat16)
        del absmax
        return weight

    def forward(self, x: Tensor) -> Tensor:
        """The product in bf16, returned in the type of `x`."""
        given = x.dtype
        bias = self.bias
        if bias is not None:
            bias = bias.to(self.compute_dtype)
        output: Tensor = Product4bit.apply(x.to(self.compute_dtype), bias, self)
        return output.to(given)


class Product4bit(torch.autograd.Function):
    """Unpacks forward and again backward; keeps nothing but the packed weight."""

    @staticmethod
    def forward(ctx: SimpleNamespace, x: Tensor, bias: Tensor | None, layer: Linear4bit) -> Tensor:
        """The product x · weightᵀ + bias."""
        ctx.layer = layer
        output: Tensor = functional.linear(x, layer.unpacked(), bias)
        return output

    @staticmethod
    def backward(ctx: SimpleNamespace, grad: Tensor) -> tuple[Tensor | None, None, None]:
        """The gradient of x alone: weight and bias are frozen."""
        return torch.matmul(grad, ctx.layer.unpacked()), None, None


class Linear8bitLt(nn.Linear):
    """A linear held in int8 with one fp32 scale a row (LLM.int8).

    It hands back the type that it was given.
    """

    def __init__(self, linear: nn.Linear, threshold: float) -> None:
        nn.Module.__init__(self)
        self.in_features, self.out_features = linear.in_features, linear.out_features
        packed = torch.empty(self.out_features, self.in_features, dtype=torch.int8)
        self.weight = nn.Parameter(packed, requires_grad=False)
        self.scales = nn.Buffer(torch.empty(self.out_features, dtype=torch.float32))
        self.bias = linear.bias
        self.state = SimpleNamespace(has_fp16_weights=False, threshold=threshold)
        self.index = None

    def forward(self, x: Tensor) -> Tensor:
        """The product of rows and weights in int8, scaled back."""
        if self.bias is not None and self.bias.dtype != x.dtype:
            self.bias.data = self.bias.data.to(x.dtype)
        output: Tensor = Product8bit.apply(x, self.bias, self)
        return output


class Product8bit(torch.autograd.Function):
    """Rows of x are quantised, multiplied to int32, and scaled to fp16, then to x's type.

    With x that needs a gradient it keeps x itself, though backward uses no more than its
    type: backward turns the whole weight into that type and multiplies.
    """

    @staticmethod
    def forward(
        ctx: SimpleNamespace, x: Tensor, bias: Tensor | None, layer: Linear8bitLt
    ) -> Tensor:
        """The product x · weightᵀ + bias, by way of int8."""
        rows = x.reshape(-1, x.shape[-1])
        half = rows.to(torch.float16)
        scales = torch.empty(rows.shape[0], dtype=torch.float32)
        quantised = torch.empty(rows.shape, dtype=torch.int8)
        if layer.state.threshold:
            half.abs().ge(layer.state.threshold)  # where the outliers are
        del half
        wide = torch.empty(rows.shape[0], layer.out_features, dtype=torch.int32)
        output = torch.empty(wide.shape, dtype=torch.float16)
        if bias is not None and bias.dtype != torch.float16:
            output.add_(bias)
        output = output.to(x.dtype)
        del wide, scales, quantised
        ctx.layer, ctx.shape = layer, x.shape
        ctx.kept = rows if ctx.needs_input_grad[0] else None
        return output.reshape(*x.shape[:-1], layer.out_features)

    @staticmethod
    def backward(ctx: SimpleNamespace, grad: Tensor) -> tuple[Tensor | None, None, None]:
        """The gradient of x, through the weight in x's type."""
        rows = grad.reshape(-1, grad.shape[-1]).contiguous()
        dtype = ctx.kept.dtype
        weight = ctx.layer.weight.to(dtype, copy=True)
        weight.mul_(ctx.layer.scales.unsqueeze(1).mul(1 / 127))
        return torch.matmul(rows.to(dtype), weight).view(ctx.shape), None, None


def weight_of(layer: nn.Module) -> Tensor:
    """A layer's weight as DoRA asks for it: unpacked, where it is packed to 4 bits."""
    return layer.unpacked() if isinstance(layer, Linear4bit) else layer.weight


def install() -> None:
    """Put the stand-in where PEFT looks for bitsandbytes, before PEFT is asked for a layer."""
    peft.tuners.lora.dora.dequantize_module_weight = weight_of
    package = ModuleType("bitsandbytes")
    package.__spec__ = ModuleSpec("bitsandbytes", None)
    layers = SimpleNamespace(Linear4bit=Linear4bit, Linear8bitLt=Linear8bitLt)
    package.nn = layers  # type: ignore[attr-defined]
    sys.modules.setdefault("bitsandbytes", package)
    peft.import_utils.is_bnb_available.cache_clear()
    peft.import_utils.is_bnb_4bit_available.cache_clear()
