"""Sophia-G as its authors publish it, in our words: no package has it.

The states and the order of the step's intermediate results are those of `sophia.py` in
github.com/Liuhong99/Sophia, where the weights are updated one after the other.
"""

from collections.abc import Iterable

from tests.accuracy.counting.foreign import Optimizer, Tensor, torch

LR, MOMENTUM, SCALE, DECAY = 1e-4, 0.96, 0.04, 0.1


class SophiaG(Optimizer):
    """A momentum and a diagonal of the Hessian for each weight, in the weight's type."""

    def __init__(self, trained: Iterable[Tensor]) -> None:
        super().__init__(trained, {})

    @torch.no_grad()
    def step(self) -> None:
        """Weight by weight: the momentum over the Hessian, clipped, with the momentum's sign.

        A ratio stays until the next one takes its name.
        """
        for weight in self.param_groups[0]["params"]:
            state = self.state[weight]
            if not state:
                state["momentum"] = torch.zeros_like(weight)
                state["hessian"] = torch.zeros_like(weight)
            momentum, hessian = state["momentum"], state["hessian"]
            weight.mul_(1 - LR * DECAY)
            momentum.mul_(MOMENTUM).add_(weight.grad, alpha=1 - MOMENTUM)
            ratio = (momentum.abs() / (SCALE * hessian + 1e-15)).clamp(None, 1)
            weight.addcmul_(momentum.sign(), ratio, value=-LR)
