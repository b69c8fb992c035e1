"""The optimizers of a row, as torch has them."""

from collections.abc import Iterable

from tests.accuracy.counting.foreign import Optimizer, Tensor, torch


def optimizer(name: str, parameters: Iterable[Tensor]) -> Optimizer:
    """The optimizer that `name` says; AdamW all at once, one by one, or in one kernel."""
    match name:
        case "adamw":
            return torch.optim.AdamW(parameters, foreach=True)
        case "adamw_loop":
            return torch.optim.AdamW(parameters, foreach=False)
        case "adamw_fused":
            return torch.optim.AdamW(parameters, fused=True)
        case "sgd":
            return torch.optim.SGD(parameters, lr=1e-3, foreach=True)
        case "sgd_momentum":
            return torch.optim.SGD(parameters, lr=1e-3, momentum=0.9, foreach=True)
        case _:
            raise ValueError(f"{name!r} is no optimizer that is counted")
