"""One step of a loop, counted: the second, when the optimizer's state is there."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple
from unittest.mock import patch

from tests.accuracy.counting.cuda import AsOnCuda, convert
from tests.accuracy.counting.figures import Figures, rounded
from tests.accuracy.counting.foreign import DTensor, FakeTensorMode, Storage, Tensor, nn, torch
from tests.accuracy.counting.fully_sharded import ranks
from tests.accuracy.counting.ledger import Ledger
from tests.accuracy.counting.models import beside, build, reference
from tests.accuracy.counting.objectives import step_loss
from tests.accuracy.counting.parallel import loss_on_parts
from tests.accuracy.counting.pipeline import stage_loss
from tests.accuracy.counting.settings import Settings
from tests.accuracy.counting.updating import update_of

_autocasts = torch.is_autocast_enabled


def autocasts(device: str = "cpu") -> bool:
    """Whether it autocasts; without a device PEFT asks for CUDA, which is the CPU here."""
    return bool(_autocasts(device))


def count(settings: Settings) -> Figures:
    """The figures of the step that `settings` describe."""
    with ranks(max(settings.world, settings.tp)), loss_on_parts(settings), books() as ledger:
        loop = Loop(settings, ledger)
        loop.step()
        return loop.step()


def held_at_peak(settings: Settings, peak_bytes: int) -> Mapping[str, tuple[int, int]]:
    """What is held when a counted step reaches `peak_bytes`: the same step once more."""
    with ranks(max(settings.world, settings.tp)), loss_on_parts(settings), books() as ledger:
        loop = Loop(settings, ledger)
        loop.step()
        ledger.sought_bytes = peak_bytes
        loop.step()
        return ledger.inventory


@contextmanager
def books() -> Iterator[Ledger]:
    """Fake tensors, CUDA's ways, and a ledger over all that is allocated."""
    ledger = Ledger()
    steps_taken = patch("torch.optim.adam._get_value", lambda _: 1.0)  # a fake step has no value
    asking = patch("torch.is_autocast_enabled", autocasts)
    converting = patch("torch.nn.Module._apply", convert)
    one_mode = patch.object(FakeTensorMode, "__deepcopy__", lambda self, _: self, create=True)
    resizing = patch.object(Storage, "resize_", _resize_of(ledger))
    with FakeTensorMode(), AsOnCuda(), ledger, steps_taken, converting, one_mode, asking, resizing:
        yield ledger


def _resize_of(ledger: Ledger) -> Callable[[Storage, int], Storage]:
    """A storage's `resize_`, which the ledger hears of."""
    resize = Storage.resize_

    def resize_(storage: Storage, size: int) -> Storage:
        resized: Storage = resize(storage, size)
        ledger.resized(storage, storage._cdata)  # noqa: SLF001 - its address
        return resized

    return resize_


class MicroStep(NamedTuple):
    """One forward and backward pass."""

    peak_bytes: int
    peak_op: str
    forward_peak: int
    after_forward: int


class Loop:
    """A training loop: the model, its optimizer, one batch, and the books of them."""

    def __init__(self, settings: Settings, ledger: Ledger) -> None:
        self.settings, self.ledger = settings, ledger
        self.model, self.parameters = build(settings)
        self.update = update_of(settings, self.model)
        self.trained = [one for one in self.model.parameters() if one.requires_grad]
        self.reference = reference(settings)
        self.beside = beside(settings)
        self.ids: Tensor = torch.zeros(settings.sequences, settings.seq, dtype=torch.long)
        self.kept: object = None

    def step(self) -> Figures:
        """All micro-steps and the optimizer's step; gradients are dropped at its end."""
        before_step = self.ledger.held_bytes
        count = self.settings.accumulation
        if self.settings.pp > 1:
            micro_steps = [self._in_turns()]
        else:
            micro_steps = [self._micro_step(last=number == count) for number in range(1, count + 1)]
        highest = max(micro_steps)
        after_backward = self.ledger.held_bytes
        self.ledger.mark()
        self.update.step()
        optimizer_peak = self.ledger.peak_bytes
        self.update.finish()
        self.kept = None
        return Figures(
            params=self.parameters,
            trainable=sum(one.numel() for one in self.trained),
            weights_bytes=weights_bytes(self.model, self.reference, *self.beside),
            before_step=before_step,
            after_forward=micro_steps[-1].after_forward,
            forward_peak=max(one.forward_peak for one in micro_steps),
            fwd_bwd_peak=highest.peak_bytes,
            peak_op=highest.peak_op,
            after_backward=after_backward,
            optimizer_peak=optimizer_peak,
            peak=max(highest.peak_bytes, optimizer_peak),
        )

    def _in_turns(self) -> MicroStep:
        """All micro-batches of a pipeline's stage: as many wait as there are stages behind."""
        ledger, settings = self.ledger, self.settings
        most = settings.pp - settings.stage + 1
        waiting: list[Tensor] = []
        after_forward = forward_peak = 0
        ledger.mark()
        for _ in range(settings.accumulation):
            waiting.append(stage_loss(self.model, self.ids, settings) / settings.accumulation)
            after_forward = max(after_forward, ledger.held_bytes)
            forward_peak = forward_peak or ledger.peak_bytes
            if len(waiting) == most:
                self.update.backward(waiting.pop(0))
        while waiting:
            self.update.backward(waiting.pop(0))
        return MicroStep(ledger.peak_bytes, ledger.peak_op, forward_peak, after_forward)

    def _micro_step(self, *, last: bool) -> MicroStep:
        """One pass; sharded gradients are reduced with the last one's, as Accelerate has it."""
        if self.settings.fsdp:
            self.model.set_requires_gradient_sync(last)
        ledger = self.ledger
        ledger.mark()
        loss, kept = step_loss(self.model, self.reference, self.ids, self.settings)
        loss = loss / self.settings.accumulation
        after_forward, forward_peak = ledger.held_bytes, ledger.peak_bytes
        self.update.backward(loss)
        self.kept = kept
        return MicroStep(ledger.peak_bytes, ledger.peak_op, forward_peak, after_forward)


def weights_bytes(*models: nn.Module | None) -> int:
    """Weights and buffers alone, each storage once; a reference model's are among them."""
    present = [model for model in models if model is not None]
    tensors = [one for model in present for one in (*model.parameters(), *model.buffers())]
    own = [one.to_local() if isinstance(one, DTensor) else one for one in tensors]
    storages = {one.untyped_storage()._cdata: one.untyped_storage() for one in own}  # noqa: SLF001
    return sum(rounded(storage.nbytes()) for storage in storages.values())
