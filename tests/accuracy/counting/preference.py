"""Losses of pairs, chosen before rejected in the batch: DPO and reward models."""

from contextlib import nullcontext

from tests.accuracy.counting.foreign import Tensor, functional, nn, torch
from tests.accuracy.counting.logprobs import (
    autocast,
    head_of,
    hidden_of,
    label_log_probabilities,
    logits_of,
    record_entropy,
    record_means,
)
from tests.accuracy.counting.losses import tiled_log_probabilities
from tests.accuracy.counting.settings import Settings

BETA = 0.1


def preference(
    model: nn.Module, other: nn.Module | None, ids: Tensor, settings: Settings
) -> Tensor:
    """DPO's sigmoid loss, in the order of TRL 1.0's trainer: chosen before rejected in `ids`.

    Both pass the model at once. The logits, their shifted copy, and the reference's are held
    until the loss is returned. Every token counts as one of a completion.
    """
    logits = logits_of(model, ids, settings)
    shifted, labels = logits[:, :-1].contiguous(), ids[:, 1:].contiguous()
    chosen, rejected = label_log_probabilities(shifted, labels).sum(dim=1).chunk(2)
    if settings.reference == "none":  # computed before; it comes with the batch
        reference_chosen = reference_rejected = torch.zeros_like(chosen)
    else:
        with torch.no_grad(), model.disable_adapter() if other is None else nullcontext():
            reference_logits = logits_of(model if other is None else other, ids, settings)
        reference_shifted = reference_logits[:, :-1].contiguous()
        scores = label_log_probabilities(reference_shifted, labels).sum(dim=1)
        reference_chosen, reference_rejected = scores.chunk(2)
    difference = (chosen - reference_chosen) - (rejected - reference_rejected)
    loss = -functional.logsigmoid(BETA * difference).mean()
    record_entropy(shifted.detach())
    record_means(shifted.detach())
    return loss


def tiled_preference(
    model: nn.Module, other: nn.Module | None, ids: Tensor, settings: Settings
) -> Tensor:
    """DPO as TRL 1.16 computes it: no logits, but its tiled head on both passes."""
    chosen, rejected = tiled_scores(model, ids, settings).sum(dim=1).chunk(2)
    if settings.reference == "none":
        reference_chosen = reference_rejected = torch.zeros_like(chosen)
    else:
        with torch.no_grad(), model.disable_adapter() if other is None else nullcontext():
            scores = tiled_scores(model if other is None else other, ids, settings).sum(dim=1)
        reference_chosen, reference_rejected = scores.chunk(2)
    difference = (chosen - reference_chosen) - (rejected - reference_rejected)
    return -functional.logsigmoid(BETA * difference).mean()


def tiled_scores(model: nn.Module, ids: Tensor, settings: Settings, kept: int = 0) -> Tensor:
    """Log-probabilities of each sequence's last `kept` labels (0: all), without logits."""
    with autocast(settings):
        hidden = hidden_of(model, ids)
        return tiled_log_probabilities(hidden, head_of(model), kept or ids.shape[1] - 1)


def rewarded(model: nn.Module, ids: Tensor, settings: Settings) -> Tensor:
    """A reward model's loss: one number a sequence, the chosen one's to be the higher."""
    with autocast(settings):
        scores = model(input_ids=ids).logits
    chosen, rejected = scores.float().squeeze(-1).chunk(2)
    return -functional.logsigmoid(chosen - rejected).mean()
