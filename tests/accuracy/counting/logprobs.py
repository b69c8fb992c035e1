"""Labels' log-probabilities, and what trainers log of the logits they come from."""

from contextlib import AbstractContextManager, nullcontext

from tests.accuracy.counting.foreign import Tensor, functional, nn, torch
from tests.accuracy.counting.settings import Settings

Context = AbstractContextManager[object]

ENTROPY_ROWS = 128  # rows of logits whose entropy is taken at once


def autocast(settings: Settings) -> Context:
    """bf16 autocast around the model's forward pass, if the row has it."""
    return torch.autocast("cpu", torch.bfloat16) if settings.autocast else nullcontext()


def inner(model: nn.Module) -> nn.Module:
    """The language model itself, its adapters in it."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def hidden_of(model: nn.Module, ids: Tensor) -> Tensor:
    """The backbone's last hidden states, for a loss that has the head in it."""
    return inner(model).base_model(input_ids=ids).last_hidden_state


def head_of(model: nn.Module) -> Tensor:
    """The weight of the head."""
    return inner(model).get_output_embeddings().weight


def logits_of(model: nn.Module, ids: Tensor, settings: Settings, last: int = 0) -> Tensor:
    """Logits of the `last` tokens (0: of all); Accelerate makes them fp32 where it autocasts."""
    with autocast(settings):
        logits = model(input_ids=ids, logits_to_keep=last).logits
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
