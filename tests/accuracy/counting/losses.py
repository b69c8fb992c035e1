"""What stands in for fused losses: the allocations of their code, in PyTorch's own operations.

Each takes the backbone's last hidden states and the head's weight, as those do, and keeps,
forward and backward, what their code keeps. A Triton kernel that writes in place is an
operation in place here. Nothing is computed.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tests.accuracy.counting.foreign import Tensor, functional, torch

TOKEN_TILE = 4096  # TRL 1.16: rows of a tile of the head
WORD_TILE = 32768  # and its columns
IGNORED = -100

Context: TypeAlias = Any  # torch's: what forward hands to backward
Dtype: TypeAlias = Any


def whole_logits(hidden: Tensor, weight: Tensor) -> Tensor:
    """The head as transformers runs it: every token's logits."""
    return functional.linear(hidden, weight)


def stock_4(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    """Transformers 4.48: in fp32, the last token cut off by a copy."""
    logits = whole_logits(hidden, weight)
    upcast = logits.float()
    shifted = upcast[..., :-1, :].contiguous()
    targets = labels[..., 1:].contiguous()
    return functional.cross_entropy(shifted.view(-1, shifted.shape[-1]), targets.view(-1))


class FusedCrossEntropy(torch.autograd.Function):
    """Unsloth's and flash-attn's kernel: logits as they are, a number a row, one gradient."""

    @staticmethod
    def forward(ctx: Context, logits: Tensor, labels: Tensor) -> Tensor:
        """Each row's loss; the logits are kept."""
        losses = torch.empty(logits.shape[0], dtype=torch.float32)
        ctx.save_for_backward(logits, torch.empty_like(losses), labels)
        return losses

    @staticmethod
    def backward(ctx: Context, _: Tensor) -> tuple[Tensor, None]:
        """The logits' gradient, in their type, beside them."""
        logits, *_rest = ctx.saved_tensors
        return cross_entropy_backward(logits), None


@torch.library.custom_op("counting::cross_entropy_backward", mutates_args=())
def cross_entropy_backward(logits: Tensor) -> Tensor:
    """The kernel that gives the logits' gradient, with a name by which a peak is known."""
    raise NotImplementedError("it is followed, never computed")


@cross_entropy_backward.register_fake
def _(logits: Tensor) -> Tensor:
    return torch.empty_like(logits)


def fused_ce(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy as one kernel, on whole logits; labels are shifted instead of them."""
    logits = whole_logits(hidden, weight)
    targets = torch.cat((labels[..., 1:], torch.full_like(labels[..., :1], IGNORED)), dim=1)
    flat = logits.reshape(-1, logits.shape[-1])
    return FusedCrossEntropy.apply(flat, targets.reshape(-1)).sum()


class LigerLinearCrossEntropy(torch.autograd.Function):
    """Liger 0.8: a chunk of rows at a time; its gradients are made forward, then kept."""

    @staticmethod
    def forward(ctx: Context, hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
        """The loss; gradients of input and weight in their own types."""
        tokens, width = hidden.shape
        words = weight.shape[0]
        chunks = -(-words // width)
        rows = min(tokens, 1 << (-(-tokens // chunks) - 1).bit_length())
        hidden_gradient = torch.zeros_like(hidden)
        weight_gradient = torch.zeros_like(weight) if weight.requires_grad else None
        losses = torch.zeros(tokens, dtype=torch.float32)
        plain = hidden.dtype == weight.dtype == _computed(hidden)
        buffer = torch.empty(rows, words, dtype=hidden.dtype) if plain else None
        for start in range(0, tokens, rows):
            piece = hidden[start : start + rows]
            if buffer is None:
                logits = piece @ weight.t()
                hidden_gradient[start : start + rows] = logits @ weight
            else:
                logits = buffer[: piece.shape[0]]
                torch.mm(piece, weight.t(), out=logits)
                torch.mm(logits, weight, out=hidden_gradient[start : start + rows])
            del logits
        del buffer, labels, losses
        ctx.save_for_backward(hidden_gradient, weight_gradient)
        return torch.zeros(())

    @staticmethod
    def backward(ctx: Context, _: Tensor) -> tuple[Tensor, Tensor | None, None]:
        """What forward made, scaled in place."""
        hidden_gradient, weight_gradient = ctx.saved_tensors
        return hidden_gradient, weight_gradient, None


def liger(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    """Liger's loss of every token; labels are shifted by padding."""
    flat = hidden.reshape(-1, hidden.shape[-1])
    return LigerLinearCrossEntropy.apply(flat, weight, labels.reshape(-1))


class TiledLogProbabilities(torch.autograd.Function):
    """TRL 1.16's head: tiles of tokens × words, made again backward; gradients in fp32."""

    @staticmethod
    def forward(ctx: Context, hidden: Tensor, weight: Tensor) -> Tensor:
        """Each token's log-probability; the input is kept, no logits are."""
        computed = _computed(hidden)
        tokens = hidden.shape[0]
        statistics = torch.zeros(7, tokens, dtype=torch.float32)
        tile = torch.empty(min(tokens, TOKEN_TILE), WORD_TILE, dtype=computed)
        _tiles(hidden, weight, tile, computed, lambda *_: None)
        ctx.save_for_backward(hidden, weight, statistics[0].clone(), statistics[1].clone())
        ctx.computed = computed
        return torch.zeros(tokens, dtype=torch.float32)

    @staticmethod
    def backward(ctx: Context, _: Tensor) -> tuple[Tensor, Tensor | None]:
        """Both gradients in fp32, then in the types of what they belong to."""
        hidden, weight, *_rest = ctx.saved_tensors
        wanted = ctx.needs_input_grad[1]
        hidden_gradient = torch.zeros(hidden.shape, dtype=torch.float32)
        weight_gradient = torch.zeros(weight.shape, dtype=torch.float32) if wanted else None
        tile = torch.empty(min(hidden.shape[0], TOKEN_TILE), WORD_TILE, dtype=ctx.computed)
        _tiles(hidden, weight, tile, ctx.computed, lambda *_: None)
        return (
            hidden_gradient.to(hidden.dtype),
            None if weight_gradient is None else weight_gradient.to(weight.dtype),
        )


def _tiles(
    hidden: Tensor,
    weight: Tensor,
    tile: Tensor,
    computed: Dtype,
    use: Callable[[Tensor, Tensor], None],
) -> None:
    """Every product of a tile, as the head multiplies them."""
    for first in range(0, hidden.shape[0], TOKEN_TILE):
        piece = hidden[first : first + TOKEN_TILE].to(computed)
        for word in range(0, weight.shape[0], WORD_TILE):
            part = weight[word : word + WORD_TILE].to(computed)
            view = tile[: piece.shape[0], : part.shape[0]]
            torch.mm(piece, part.t(), out=view)
            use(view, part)


def tiled_log_probabilities(hidden: Tensor, weight: Tensor, kept: int) -> Tensor:
    """Log-probabilities of each sequence's last `kept` labels; their positions are picked out."""
    before = hidden[:, :-1][:, -kept:]
    picked = before.reshape(-1, hidden.shape[-1]).clone()  # indexed by a mask: a copy
    return TiledLogProbabilities.apply(picked, weight).view(hidden.shape[0], kept)


def chunked(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    """TRL 1.16's supervised loss on its tiled head."""
    return -tiled_log_probabilities(hidden, weight, labels.shape[1] - 1).mean()


class CutCrossEntropy(torch.autograd.Function):
    """Apple's cut cross-entropy 25.1: no logits; both gradients are made backward."""

    @staticmethod
    def forward(ctx: Context, hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
        """The loss, from each row's log-sum-exp."""
        sums = torch.empty(hidden.shape[0], dtype=torch.float32)
        means = torch.zeros(weight.shape[0], dtype=torch.float32)
        ctx.save_for_backward(hidden, weight, sums, labels, means)
        return torch.zeros(())

    @staticmethod
    def backward(ctx: Context, _: Tensor) -> tuple[Tensor, Tensor | None, None]:
        """The input's gradient and the weight's, the latter in the input's type first."""
        hidden, weight, *_rest = ctx.saved_tensors
        hidden_gradient = torch.zeros_like(hidden)
        if not ctx.needs_input_grad[1]:
            return hidden_gradient, None, None
        weight_gradient = torch.zeros_like(weight, dtype=hidden.dtype)
        return hidden_gradient, weight_gradient.to(weight.dtype), None


def cce(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    """Cut cross-entropy of every token; it takes 16-bit inputs."""
    flat = hidden.reshape(-1, hidden.shape[-1]).to(_computed(hidden))
    return CutCrossEntropy.apply(flat, weight, labels.reshape(-1))


def _computed(hidden: Tensor) -> Dtype:
    """The type of a product of `hidden`: autocast's, or its own."""
    return torch.bfloat16 if torch.is_autocast_enabled("cpu") else hidden.dtype


FUSED: Mapping[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "stock_4": stock_4,
    "fused_ce": fused_ce,
    "liger": liger,
    "chunked": chunked,
    "cce": cce,
}
