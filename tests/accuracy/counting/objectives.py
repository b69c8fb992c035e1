"""The loss of a row, as the trainers compute it."""

from contextlib import AbstractContextManager, nullcontext

from tests.accuracy.counting.foreign import Tensor, functional, nn, torch
from tests.accuracy.counting.settings import Settings

Context = AbstractContextManager[object]

BETA = 0.1
ENTROPY_ROWS = 128  # rows of logits whose entropy is taken at once


def step_loss(model: nn.Module, other: nn.Module | None, ids: Tensor, settings: Settings) -> Tensor:
    """The loss of one micro-step; `other` is the reference model, if there is one."""
    if settings.objective == "dpo":
        return preference(model, other, ids, settings)
    with autocast(settings):
        return model(input_ids=ids, labels=ids).loss  # the output, and the logits, are dropped


def autocast(settings: Settings) -> Context:
    """bf16 autocast around the model's forward pass, if the row has it."""
    return torch.autocast("cpu", torch.bfloat16) if settings.autocast else nullcontext()


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


def logits_of(model: nn.Module, ids: Tensor, settings: Settings) -> Tensor:
    """The model's logits; Accelerate hands them back in fp32 where it autocasts."""
    with autocast(settings):
        logits = model(input_ids=ids).logits
    return logits.float() if settings.autocast else logits


def label_log_probabilities(logits: Tensor, labels: Tensor) -> Tensor:
    """Each label's log-probability, sequence by sequence.

    In fp32, by way of the log-sum-exp, which keeps the logits; in 16 bits by log-softmax,
    which keeps its result.
    """
    index = labels.unsqueeze(-1)
    if logits.dtype == torch.float32:
        totals = torch.stack([torch.logsumexp(row, dim=-1) for row in logits])
        return (logits.gather(-1, index) - totals.unsqueeze(-1)).squeeze(-1)
    rows = [
        functional.log_softmax(row, dim=-1).gather(-1, one)
        for row, one in zip(logits, index, strict=True)
    ]
    return torch.stack(rows).squeeze(-1)


def record_entropy(logits: Tensor) -> None:
    """What the trainer logs of every row of logits: its entropy, taken by pieces."""
    for piece in logits.reshape(-1, logits.shape[-1]).split(ENTROPY_ROWS):
        log_probabilities = functional.log_softmax(piece, dim=-1)
        _ = -(torch.exp(log_probabilities) * log_probabilities).sum(-1)


def record_means(logits: Tensor) -> None:
    """The mean of each half's logits; a half is copied, since a mask picks it."""
    for half in logits.chunk(2):
        _ = half.clone().mean(-1).sum()
