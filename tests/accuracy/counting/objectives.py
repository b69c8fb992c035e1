"""The loss of a row, as the trainers compute it."""

from tests.accuracy.counting.distillation import distilled
from tests.accuracy.counting.foreign import Tensor, nn
from tests.accuracy.counting.logprobs import autocast, head_of, hidden_of
from tests.accuracy.counting.losses import FUSED
from tests.accuracy.counting.preference import preference, rewarded, tiled_preference
from tests.accuracy.counting.rollouts import group_relative, proximal
from tests.accuracy.counting.settings import Settings

Kept = object  # what the trainer holds until its step is done


def step_loss(
    model: nn.Module, other: nn.Module | None, ids: Tensor, settings: Settings
) -> tuple[Tensor, Kept]:
    """The loss of one micro-step; `other` is the reference or the teacher, if there is one."""
    match settings.objective:
        case "dpo":
            loss = tiled_preference if settings.loss == "chunked" else preference
            return loss(model, other, ids, settings), None
        case "reward":
            return rewarded(model, ids, settings), None
        case "grpo":
            return group_relative(model, ids, settings), None
        case "ppo":
            return proximal(model, ids, settings)
        case "distill":
            return distilled(model, other, ids, settings), None
        case _:
            return supervised(model, ids, settings)


def supervised(model: nn.Module, ids: Tensor, settings: Settings) -> tuple[Tensor, Kept]:
    """The next token's loss, in the model's own code or by a fused one in its place."""
    with autocast(settings):
        if settings.loss != "stock":
            hidden = hidden_of(model, ids)
            return FUSED[settings.loss](hidden, head_of(model), ids), None
        output = model(input_ids=ids, labels=ids)
    return output.loss, output if settings.outputs_kept else None
