"""Losses of what a policy generated itself: GRPO and PPO, in the order of TRL 1.0's trainers."""

from tests.accuracy.counting.foreign import Tensor, nn, torch
from tests.accuracy.counting.logprobs import (
    autocast,
    label_log_probabilities,
    logits_of,
    record_entropy,
)
from tests.accuracy.counting.preference import tiled_scores
from tests.accuracy.counting.settings import Settings

CLIP = 0.2
TEMPERATURE = 1.0


def group_relative(model: nn.Module, ids: Tensor, settings: Settings) -> Tensor:
    """GRPO's loss of one micro-batch: logits of the generated tokens alone.

    Their own log-probabilities stand for the old policy's; without a penalty there is no
    reference. The reference's, where there is one, were taken before, without gradients.
    """
    kept = settings.new_tokens
    if settings.loss == "chunked":
        new = tiled_scores(model, ids, settings, kept)
    else:
        logits = logits_of(model, ids, settings, kept + 1)[:, :-1, :][:, -kept:, :]
        logits.div_(TEMPERATURE)
        new = label_log_probabilities(logits, ids[:, -kept:])
        with torch.no_grad():
            record_entropy(logits)
    return clipped(new, new.detach())


def clipped(new: Tensor, old: Tensor) -> Tensor:
    """The clipped ratio of new and old probabilities, every advantage being one."""
    ratio = torch.exp(new - old)
    return -torch.min(ratio, torch.clamp(ratio, 1 - CLIP, 1 + CLIP)).mean()


class PolicyAndValue(nn.Module):
    """TRL's wrapper: the value model's backbone runs first, then the policy."""

    def __init__(self, policy: nn.Module, value: nn.Module) -> None:
        super().__init__()
        self.policy, self.value = policy, value

    def forward(self, ids: Tensor) -> tuple[object, Tensor]:
        """The policy's output with all hidden states, and a value for each token."""
        output = self.value.base_model(input_ids=ids, output_hidden_states=True)
        values = self.value.score(output.hidden_states[-1])
        return self.policy(input_ids=ids, output_hidden_states=True), values


def proximal(model: nn.Module, ids: Tensor, settings: Settings) -> tuple[Tensor, object]:
    """PPO's loss, and the output that its loop holds until the optimizer has stepped.

    Accelerate makes all of the output fp32 where it autocasts: every layer's hidden states.
    """
    kept = settings.new_tokens
    with autocast(settings):
        output, values = model(ids)
    if settings.autocast:
        output.logits = output.logits.float()
        output.hidden_states = tuple(one.float() for one in output.hidden_states)
        values = values.float()
    logits = output.logits[:, -kept - 1 : -1]
    logits /= TEMPERATURE
    new = label_log_probabilities(logits, ids[:, -kept:])
    value = values[:, -kept - 1 : -1].squeeze(-1)
    return clipped(new, new.detach()) + value.square().mean(), output
