"""What CUDA does and the CPU does not, where memory shows it.

The model runs on fake CPU tensors, since a fake CUDA tensor cannot go backward without a
card. `AsOnCuda` and `flash_attention` put in what a card would hold.
"""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace

from tests.accuracy.counting.foreign import (
    Tensor,
    TorchFunctionMode,
    functional,
    nn,
    torch,
    transformers,
)

COUNTED = "counted"  # a name with "flash" in it would make transformers look for a kernel

# Autocast's lists for CUDA, as far as language models call them: what is cast to fp32 first,
IN_FP32 = {
    *(torch.pow, Tensor.pow, Tensor.__pow__, torch.rsqrt, Tensor.rsqrt, torch.exp, Tensor.exp),
    *(torch.log, Tensor.log, torch.log1p, torch.reciprocal, Tensor.reciprocal),
    *(torch.logsumexp, Tensor.logsumexp, functional.layer_norm, functional.softplus),
}
# and what is asked for an fp32 result.
TO_FP32 = {
    *(torch.sum, Tensor.sum, torch.cumsum, Tensor.cumsum, torch.prod, Tensor.prod),
    *(functional.softmax, torch.softmax, Tensor.softmax, functional.log_softmax),
    *(torch.log_softmax, Tensor.log_softmax, torch.linalg.norm, torch.linalg.vector_norm),
}


class AsOnCuda(TorchFunctionMode):
    """Answers a few calls of torch as they behave on a card.

    Dropout is one fused operation that keeps a mask of one byte an element; the CPU keeps
    the scaled mask in the input's type. Under autocast, CUDA's list of what runs in fp32 is
    longer. `is_autocast_enabled()` without a device asks for CUDA.
    """

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """The call's answer as on CUDA."""
        named = dict(kwargs or {})
        if func is functional.dropout:
            return _fused_dropout(*args, **named)  # type: ignore[arg-type]
        if func in IN_FP32 and torch.is_autocast_enabled("cpu"):
            args = tuple(_upcast(value) for value in args)
            named = {name: _upcast(value) for name, value in named.items()}
        elif func in TO_FP32 and torch.is_autocast_enabled("cpu") and _is_low(args[0]):
            named = {"dtype": torch.float32} | named
        return func(*args, **named)


def _is_low(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype in (torch.bfloat16, torch.float16)


def _upcast(value: object) -> object:
    return value.float() if isinstance(value, Tensor) and _is_low(value) else value


def _fused_dropout(
    input: Tensor,  # noqa: A002 - named as in torch
    p: float = 0.5,
    training: bool = True,  # noqa: FBT002 - as in torch
    inplace: bool = False,  # noqa: ARG001, FBT002 - as in torch
) -> Tensor:
    return torch.native_dropout(input, p, training)[0] if training and p else input


@torch.library.custom_op("counting::flash_attention", mutates_args=())
def flash_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Attention that never holds the scores.

    Heads lie before tokens in all of its tensors; keys and values may have fewer heads, and
    values another width. It returns the output, each row's log-sum-exp in fp32, and dropout's
    seed and offset; backward needs all of them and the three inputs.
    """
    raise NotImplementedError("it is followed, never computed")


@torch.library.custom_op("counting::flash_attention_backward", mutates_args=())
def flash_attention_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, kept: Sequence[Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of query, key and value."""
    raise NotImplementedError("it is followed, never computed")


@flash_attention.register_fake
def _(
    query: Tensor,
    key: Tensor,  # noqa: ARG001
    value: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    batch, heads, tokens, width = query.shape
    if value.shape[-1] == width:  # the flash kernel: laid out as the query is
        output = torch.empty_like(query)
    else:  # the memory-efficient kernel, for values of another width: tokens before heads
        output = query.new_empty(batch, tokens, heads, value.shape[-1]).transpose(1, 2)
    log_sum = query.new_empty(batch, heads, tokens, dtype=torch.float32)
    seed, offset = (query.new_empty(size, dtype=torch.int64) for size in (2, 1))
    return output, log_sum, seed, offset


@flash_attention_backward.register_fake
def _(
    grad: Tensor,  # noqa: ARG001
    query: Tensor,
    key: Tensor,
    value: Tensor,
    kept: Sequence[Tensor],  # noqa: ARG001
) -> tuple[Tensor, Tensor, Tensor]:
    return torch.empty_like(query), torch.empty_like(key), torch.empty_like(value)


def _keep(ctx: SimpleNamespace, inputs: tuple[Tensor, ...], output: tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(*inputs, *output)


def _differentiate(ctx: SimpleNamespace, grad: Tensor, *_: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    query, key, value, *kept = ctx.saved_tensors
    found: tuple[Tensor, Tensor, Tensor] = flash_attention_backward(grad, query, key, value, kept)
    return found


flash_attention.register_autograd(_differentiate, setup_context=_keep)


class SinkColumn(torch.autograd.Function):
    """gpt-oss's learned sinks beside flash attention: they change numbers and hold nothing.

    Backward makes the sinks' own small gradient.
    """

    @staticmethod
    def forward(ctx: SimpleNamespace, output: Tensor, sinks: Tensor) -> Tensor:
        """The attention's output as it is."""
        ctx.like = sinks
        return output.view_as(output)

    @staticmethod
    def backward(ctx: SimpleNamespace, grad: Tensor) -> tuple[Tensor, Tensor]:
        """The gradient as it is, and one of the sinks' shape."""
        return grad, torch.empty_like(ctx.like)


def attend(
    module: nn.Module,  # noqa: ARG001 - transformers' protocol
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,  # noqa: ARG001
    **settings: object,
) -> tuple[Tensor, None]:
    """Flash attention behind transformers' interface; under autocast in bf16.

    Masks, windows, soft caps and attention's own dropout happen inside the kernel.
    """
    if torch.is_autocast_enabled("cpu"):
        query, key, value = (one.to(torch.bfloat16) for one in (query, key, value))
    output, *_ = flash_attention(query, key, value)
    sinks = settings.get("s_aux")
    if sinks is not None:
        output = SinkColumn.apply(output, sinks)
    return output.transpose(1, 2).contiguous(), None


def convert(
    module: nn.Module,
    function: Callable[[Tensor], Tensor],
    recurse: bool = True,  # noqa: FBT002 - as in torch
) -> nn.Module:
    """`Module.to` for fake parameters, which torch would swap and cannot: data is replaced."""
    if recurse:
        for child in module.children():
            convert(child, function)
    for parameter in module.parameters(recurse=False):
        parameter.data = function(parameter.data)
    for name, buffer in module.named_buffers(recurse=False):
        setattr(module, name, function(buffer))
    return module


def register() -> None:
    """Make `COUNTED` an attention that transformers knows, without a mask."""
    transformers.AttentionInterface.register(COUNTED, attend)
    transformers.AttentionMaskInterface.register(COUNTED, lambda *_, **__: None)
