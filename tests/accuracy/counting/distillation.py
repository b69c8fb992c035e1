"""The loss of learning from a teacher, in the order of TRL 1.0's GKD trainer."""

from tests.accuracy.counting.foreign import Tensor, functional, nn, torch
from tests.accuracy.counting.logprobs import autocast
from tests.accuracy.counting.settings import Settings

BETA = 0.5
TEMPERATURE = 1.0


def distilled(model: nn.Module, teacher: nn.Module, ids: Tensor, settings: Settings) -> Tensor:
    """The generalised Jensen-Shannon divergence of the last `new_tokens` (0: all but one).

    Both models' outputs are held until the loss is returned.
    """
    kept = settings.new_tokens or settings.seq - 1
    with autocast(settings):
        own = model(input_ids=ids)
    if settings.autocast:
        own.logits = own.logits.float()
    with torch.no_grad(), autocast(settings):
        taught = teacher(input_ids=ids)
    if settings.autocast:
        taught.logits = taught.logits.float()
    mine, others = own.logits[:, -kept - 1 : -1, :], taught.logits[:, -kept - 1 : -1, :]
    return divergence(mine, others, ids[:, -kept:])


def divergence(mine: Tensor, others: Tensor, labels: Tensor) -> Tensor:
    """Both distributions against their mixture; every token counts, picked out by a mask."""
    mine, others = mine / TEMPERATURE, others / TEMPERATURE
    mine = functional.log_softmax(mine, dim=-1)
    others = functional.log_softmax(others, dim=-1)
    beta = torch.tensor(BETA, dtype=mine.dtype)
    mixture = torch.logsumexp(
        torch.stack([mine + torch.log1p(-beta), others + torch.log(beta)]), dim=0
    )
    to_others = functional.kl_div(mixture, others, reduction="none", log_target=True)
    to_mine = functional.kl_div(mixture, mine, reduction="none", log_target=True)
    both = beta * to_others + (1 - beta) * to_mine
    return picked(both, labels).sum()


def picked(values: Tensor, labels: Tensor) -> Tensor:
    """What a mask of every token picks out: a copy, whose gradient is another."""
    rows = torch.zeros(labels.numel(), dtype=torch.long)
    return values.flatten(0, 1).index_select(0, rows)
