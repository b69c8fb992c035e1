"""How a row's weights are updated: after backward or within it, on a master, by blocks."""

from collections.abc import Callable
from importlib import import_module

from tests.accuracy.counting.foreign import Tensor, nn, torch
from tests.accuracy.counting.optimizers import optimizer
from tests.accuracy.counting.settings import Settings

LR = 1e-3
ACTIVE = 2  # blocks that LISA trains at a time, and freezing leaves


class Update:
    """The usual way: all gradients first, then the optimizer's step."""

    def __init__(self, settings: Settings, model: nn.Module) -> None:
        if settings.method == "lisa":
            for block in model.model.layers[ACTIVE:]:
                block.requires_grad_(False)  # the first ones stay, embeddings, norm and head
        elif settings.method == "freeze":
            model.requires_grad_(False)
            for block in model.model.layers[-ACTIVE:]:
                block.requires_grad_(True)
        self.optimizer = optimizer(settings.optimizer, model, settings.rank)

    def backward(self, loss: Tensor) -> None:
        """The pass that makes the gradients."""
        loss.backward()

    def step(self) -> None:
        """The update of what was not updated before."""
        self.optimizer.step()

    def finish(self) -> None:
        """Gradients are dropped."""
        self.optimizer.zero_grad(set_to_none=True)


class InBackward(Update):
    """One optimizer a weight, called as soon as its gradient is there (torchtune)."""

    def __init__(self, settings: Settings, model: nn.Module) -> None:
        self.parts = []
        for name, weight in model.named_parameters():
            alone = nn.Module()
            alone.config = model.config
            alone.register_parameter(name.replace(".", "_"), weight)
            part = optimizer(settings.optimizer, alone, settings.rank)
            weight.register_post_accumulate_grad_hook(self._hook(part))
            self.parts.append(part)

    @staticmethod
    def _hook(part: torch.optim.Optimizer) -> Callable[[Tensor], None]:
        def update(_: Tensor) -> None:
            part.step()
            part.zero_grad(set_to_none=True)

        return update

    def step(self) -> None:
        """Nothing is left to do."""

    def finish(self) -> None:
        """Nothing is left to drop."""


class Lomo(Update):
    """LOMO's own hooks: a gradient is used up when the next one comes."""

    def __init__(self, _: Settings, model: nn.Module) -> None:
        self.optimizer = import_module("lomo_optim").Lomo(model, lr=LR)

    def backward(self, loss: Tensor) -> None:
        """Backward, and the update of the last weight."""
        self.optimizer.fused_backward(loss, LR)

    def step(self) -> None:
        """Nothing is left to do."""


class BAdam(Update):
    """One block at a time, on an fp32 copy of it; the first, which needs all others' graph."""

    def __init__(self, settings: Settings, model: nn.Module) -> None:
        self.optimizer = import_module("badam").BlockOptimizer(
            base_optimizer=optimizer(settings.optimizer, model, settings.rank),
            named_parameters_list=list(model.named_parameters()),
            switch_block_every=10**9,
            start_block=0,
            switch_mode="fixed",
            verbose=0,
        )


class OnMaster(Update):
    """An fp32 copy of 16-bit weights is updated; its gradients are an fp32 buffer (Megatron)."""

    def __init__(self, settings: Settings, model: nn.Module) -> None:
        self.weights = list(model.parameters())
        self.masters = nn.ParameterList(
            nn.Parameter(weight.detach().float()) for weight in self.weights
        )
        self.masters.config = model.config
        self.optimizer = optimizer(settings.optimizer, self.masters, settings.rank)
        self.kept = settings.main_grads == "fp32"
        self.buffers = [torch.zeros_like(master) for master in self.masters]
        for weight, buffer in zip(self.weights, self.buffers, strict=True):
            weight.register_post_accumulate_grad_hook(self._hook(buffer))

    def _hook(self, buffer: Tensor) -> Callable[[Tensor], None]:
        def add(weight: Tensor) -> None:
            buffer.add_(weight.grad)
            if not self.kept:
                weight.grad = None

        return add

    def step(self) -> None:
        """The masters' step, and the weights copied from them."""
        for master, buffer in zip(self.masters, self.buffers, strict=True):
            master.grad = buffer
        self.optimizer.step()
        with torch.no_grad():
            for weight, master in zip(self.weights, self.masters, strict=True):
                weight.copy_(master)

    def finish(self) -> None:
        """The buffers stay, emptied."""
        for weight, master, buffer in zip(self.weights, self.masters, self.buffers, strict=True):
            weight.grad = master.grad = None
            buffer.zero_()


def update_of(settings: Settings, model: nn.Module) -> Update:
    """How the row's weights are updated."""
    if settings.optimizer == "lomo":
        return Lomo(settings, model)
    if settings.optimizer_in_backward:
        return InBackward(settings, model)
    if settings.method == "badam":
        return BAdam(settings, model)
    if settings.master == "fp32":
        return OnMaster(settings, model)
    return Update(settings, model)
