"""One stage of a pipeline: its own blocks, and micro-batches that wait there for backward.

The stage goes forward until the first micro-batch comes back, then takes turns: one forward,
one backward. What it hands on is dropped when it is sent, as Megatron drops it; what it was
handed waits with the micro-batch.
"""

from types import SimpleNamespace

from tests.accuracy.counting.foreign import Tensor, nn, torch
from tests.accuracy.counting.logprobs import autocast
from tests.accuracy.counting.settings import Settings


class Sent(torch.autograd.Function):
    """A tensor that went to the next stage, whose gradient comes back from there."""

    @staticmethod
    def forward(ctx: SimpleNamespace, output: Tensor) -> Tensor:
        """A number in place of it."""
        ctx.shape, ctx.dtype = output.shape, output.dtype
        return torch.zeros(())

    @staticmethod
    def backward(ctx: SimpleNamespace, _: Tensor) -> Tensor:
        """The gradient as it is received."""
        return torch.empty(ctx.shape, dtype=ctx.dtype)


def cut_to_stage(model: nn.Module, settings: Settings) -> None:
    """Leave of `model` the blocks of its stage, and the ends that are there."""
    backbone = model.model
    first, last = settings.stage == 1, settings.stage == settings.pp
    sizes = [-(-len(backbone.layers) // settings.pp)] * settings.pp
    if sum(sizes) != len(backbone.layers):
        raise ValueError("count stages of equal depth")
    begin = sum(sizes[: settings.stage - 1])
    backbone.layers = backbone.layers[begin : begin + sizes[settings.stage - 1]]
    if not first:
        backbone.embed_tokens = None
    if not last:
        backbone.norm = nn.Identity()
        model.lm_head = nn.Identity()


def stage_loss(model: nn.Module, ids: Tensor, settings: Settings) -> Tensor:
    """What backward begins with: the loss, or what came back from the next stage."""
    given: dict[str, Tensor] = {"input_ids": ids}
    if settings.stage > 1:
        dtype = torch.float32 if settings.weights == "fp32" else torch.bfloat16
        shape = (settings.batch, settings.seq, model.config.hidden_size)
        given = {"inputs_embeds": torch.empty(shape, dtype=dtype, requires_grad=True)}
    base = model.get_base_model() if settings.adapts else model
    with autocast(settings):
        if settings.stage == settings.pp:
            loss: Tensor = model(**given, labels=ids).loss
            return loss
        out = base.model(**given).last_hidden_state
    sent: Tensor = Sent.apply(out)
    return sent
