"""The optimizers of a row: torch's own, and those of the packages that publish them."""

from collections.abc import Callable, Sequence

from tests.accuracy.counting import packages
from tests.accuracy.counting.foreign import (
    DTensor,
    Optimizer,
    Tensor,
    nn,
    torch,
    transformers,
)
from tests.accuracy.counting.sophia import SophiaG

Named = Sequence[tuple[str, Tensor]]
LR = 1e-3

# torch takes foreach by itself where every tensor lies on a card; fake ones lie on the CPU.
TORCH: dict[str, Callable[[list[Tensor]], Optimizer]] = {
    "adamw": lambda trained: torch.optim.AdamW(trained, foreach=True),
    "adamw_loop": lambda trained: torch.optim.AdamW(trained, foreach=False),
    "adamw_fused": lambda trained: torch.optim.AdamW(trained, fused=True),
    "sgd": lambda trained: torch.optim.SGD(trained, lr=LR, foreach=True),
    "sgd_momentum": lambda trained: torch.optim.SGD(trained, lr=LR, momentum=0.9, foreach=True),
    "rmsprop": lambda trained: torch.optim.RMSprop(trained, foreach=True),
    "adagrad": lambda trained: torch.optim.Adagrad(trained, foreach=True),
    "adafactor": lambda trained: transformers.Adafactor(
        trained, lr=LR, scale_parameter=False, relative_step=False
    ),
    "sophia": SophiaG,
}


def optimizer(name: str, model: nn.Module, rank: int = 0) -> Optimizer:
    """The optimizer that `name` says, over what of `model` is trained."""
    named = [(key, one) for key, one in model.named_parameters() if one.requires_grad]
    if name in TORCH:
        cut = [one for _, one in named if isinstance(one, DTensor)]
        whole = [one for _, one in named if not isinstance(one, DTensor)]
        return Together(*(TORCH[name](trained) for trained in (cut, whole) if trained))
    if name == "muon":
        return muon(named)
    return packages.optimizer(name, named, model.config, rank)


def muon(named: Named) -> Optimizer:
    """Muon for the blocks' matrices, AdamW for all else, as torch's page of Muon does it."""
    matrices = [one for name, one in named if packages.is_block_matrix(name, one)]
    others = [one for name, one in named if not packages.is_block_matrix(name, one)]
    adam = [torch.optim.AdamW(others, foreach=True)] if others else []
    return Together(torch.optim.Muon(matrices), *adam)


class Together:
    """Optimizers of one model; of one alone it is no more than that."""

    def __init__(self, *parts: Optimizer) -> None:
        self.parts = parts

    def step(self) -> None:
        """One after the other."""
        for part in self.parts:
            part.step()

    def zero_grad(self, *, set_to_none: bool) -> None:
        """Drop all gradients."""
        for part in self.parts:
            part.zero_grad(set_to_none=set_to_none)
