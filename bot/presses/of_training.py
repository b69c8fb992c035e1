"""What of a training step a press changes."""

from collections.abc import Iterator, Mapping

from bot.presses.candidates import BATCHES, LENGTHS, Candidate, named, numbers, precisions
from estimator import Checkpointing, Strategy, TrainSetup

METHODS = ("full", "lora", "qlora", "dora", "galore", "freeze")
OPTIMIZERS = (
    *("adamw_fused", "adamw_8bit", "paged_adamw_8bit", "adafactor", "lion", "muon"),
    "sgd",
)
CHECKPOINTINGS = tuple(
    one for one in Checkpointing if one not in (Checkpointing.EVERY_2, Checkpointing.UNSLOTH)
)
STRATEGIES = (Strategy.DDP, Strategy.FSDP, Strategy.ZERO2, Strategy.ZERO3)


def of_how(setup: TrainSetup, names: Mapping[str, str]) -> Iterator[Candidate]:
    """Method, optimizer, precision, checkpointing."""
    yield from named("method", METHODS, setup.method, names)
    yield from named("optimizer", OPTIMIZERS, setup.optimizer.id, names)
    yield from precisions(setup)
    yield from named("checkpointing", CHECKPOINTINGS, setup.checkpointing, names)


def of_size(setup: TrainSetup, names: Mapping[str, str]) -> Iterator[Candidate]:
    """Batch, sequence, and how several cards share; cards are offered beside."""
    yield from numbers("batch", BATCHES, setup.batch)
    yield from numbers("seq", LENGTHS, setup.seq, most=setup.shape.context)
    if setup.world > 1:
        yield from named("strategy", STRATEGIES, setup.strategy, names)
