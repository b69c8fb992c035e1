"""What can be changed of a training step, from free of cost to another method."""

from collections.abc import Iterator
from dataclasses import replace

from estimator.changes import Change, Update, among, counted, halved, once
from estimator.gpu_rows import Gpu
from estimator.memory.sharding import SHARDED_WEIGHTS
from estimator.refusals_of_adapters import ON_LINEARS, RANKED
from estimator.refusals_of_optimizers import PROJECTED
from estimator.request import TrainRequest
from estimator.resolve_rollout import GENERATING
from estimator.setup import TrainSetup
from estimator.words import (
    AttentionKernel,
    Checkpointing,
    Loss,
    Method,
    Objective,
    Offload,
    Reference,
    Strategy,
)

STEP = 256  # tokens that a sequence is shortened by
SHORTEST = 512  # tokens; with fewer, most samples are cut
LOWEST_RANK = 4
PACKED = "nf4_dq"
WHOLE_LOSSES = (Loss.STOCK, Loss.STOCK_4)  # that hold all logits
FUSED_LOSSES = (Loss.LIGER, Loss.CHUNKED, Loss.CCE)  # the commonest first, the smallest last
RECOMPUTED = (Checkpointing.FULL, Checkpointing.UNSLOTH, Checkpointing.OFFLOADED)
ON_HOST = (Checkpointing.UNSLOTH, Checkpointing.OFFLOADED)
IN_8_BITS = {
    **dict.fromkeys(("adamw_fused", "adamw_foreach", "adamw_loop", "paged_adamw"), "adamw_8bit"),
    "lion": "lion_8bit",
}
PAGED = {
    **dict.fromkeys(("adamw_fused", "adamw_foreach", "adamw_loop"), "paged_adamw_8bit"),
    **dict.fromkeys(("adamw_8bit", "paged_adamw"), "paged_adamw_8bit"),
}
DEGREES = ("tp", "pp", "cp", "ep", "dp")
SPLIT_LESS = (Strategy.DDP, Strategy.ZERO1, Strategy.ZERO2)  # each card holds all weights
OWN_OPTIMIZERS = (*PROJECTED, "lomo")  # of methods that train all weights
OF_FULL = (
    *("master", "main_grads", "grads", "states", "active_blocks", "optimizer_in_backward"),
    "rank",
)


def changes_of_training(request: TrainRequest, setup: TrainSetup) -> Iterator[Change]:
    """All that may be tried; whether it goes together the estimator says."""
    yield from _of_step(request, setup)
    yield from _of_optimizer(setup)
    yield from _of_memory_elsewhere(request, setup)
    yield from _of_lengths(request, setup)
    yield from _of_adapters(request, setup)
    if setup.adapter is None:
        own = ("optimizer",) if setup.optimizer.id in OWN_OPTIMIZERS else ()
        names = (*OF_FULL, *own)
        cleared = {name: None for name in names if getattr(request, name) is not None}
        wide: Update = {"weights": None} if request.weights == "fp32" else {}
        yield once("lora", "method", method=Method.LORA, **cleared, **wide)
        packed: Update = {"weights": None} if request.weights is not None else {}
        yield once("qlora", "method", method=Method.QLORA, **cleared, **packed)
        if setup.master is not None and setup.method is Method.FULL:
            yield once("without_master", "master", **cleared | {"master": "none"})


def _of_step(request: TrainRequest, setup: TrainSetup) -> Iterator[Change]:
    if setup.outputs_kept:
        yield once("outputs_dropped", "outputs", outputs_kept=None)
    if setup.attention is AttentionKernel.EAGER:
        cards = [entry.card for entry in setup.cards]
        older = any(isinstance(card, Gpu) and card.flash_attention is False for card in cards)
        kernel = AttentionKernel.SDPA if older else AttentionKernel.FLASH
        yield once("flash", "attention", attention=kernel)
    if setup.loss in WHOLE_LOSSES:
        yield among("fused_loss", "loss", [{"loss": loss} for loss in FUSED_LOSSES])
    if setup.checkpointing not in RECOMPUTED:
        yield once("checkpointing", "checkpointing", checkpointing=Checkpointing.FULL)
    if setup.goal.objective is Objective.DPO and setup.goal.reference is not Reference.NONE:
        yield once("precomputed_reference", "reference", reference=Reference.NONE)
    divided = setup.plan.world > setup.plan.copies
    if setup.world > 1 and (divided or setup.strategy in SPLIT_LESS):
        yield once("sharding", "strategy", strategy=Strategy.FSDP, **_undivided(request, setup))


def _undivided(request: TrainRequest, setup: TrainSetup) -> Update:
    """What lets the same cards hold shards in the place of parts and stages; of none, nothing."""
    if setup.plan.world == setup.plan.copies:
        return {}
    named = sum(entry.count for entry in request.gpus)
    return {**dict.fromkeys(DEGREES), "world": None if named == setup.world else setup.world}


def _of_optimizer(setup: TrainSetup) -> Iterator[Change]:
    name = setup.optimizer.id
    if name == "adamw_foreach":
        yield once("fused_optimizer", "optimizer", optimizer="adamw_fused")
    if name in IN_8_BITS:
        yield once("optimizer_8bit", "optimizer", optimizer=IN_8_BITS[name])
    if name in PAGED:
        yield once("optimizer_paged", "optimizer", optimizer=PAGED[name])


def _of_memory_elsewhere(request: TrainRequest, setup: TrainSetup) -> Iterator[Change]:
    rollout = setup.goal.rollout
    if rollout is not None and rollout.engine.id == "vllm" and not rollout.asleep:
        yield once("engine_asleep", "engine", engine_asleep=True)
    if setup.checkpointing not in ON_HOST:
        offloaded = Checkpointing.OFFLOADED
        yield once("activations_offloaded", "checkpointing", checkpointing=offloaded)
    if setup.offload is Offload.NONE:
        yield once("optimizer_offloaded", "offload", offload=Offload.OPTIMIZER)
    if setup.offload is Offload.BOTH:
        return
    if setup.strategy in SHARDED_WEIGHTS:
        yield once("all_offloaded", "offload", offload=Offload.BOTH)
    elif setup.world > 1:
        both = Offload.BOTH
        update = {"strategy": Strategy.FSDP, "offload": both, **_undivided(request, setup)}
        change = once("sharded_offloaded", "strategy", **update)
        yield replace(change, parts=2)


def _of_lengths(request: TrainRequest, setup: TrainSetup) -> Iterator[Change]:
    """A smaller batch adds as many gradients up as before: only what divides them does."""
    together = setup.batch * setup.accumulation
    smaller = [size for size in range(setup.batch - 1, 0, -1) if together % size == 0]
    if smaller:
        updates = [{"batch": size, "accumulation": together // size} for size in smaller]
        yield among("smaller_batch", "batch", updates)
    generated = setup.goal.objective in GENERATING
    of_text = request.seq or (None if request.images else setup.seq)
    if of_text is None or generated or of_text <= SHORTEST:
        return
    longest = (of_text - 1) // STEP * STEP
    lengths = range(longest, SHORTEST - 1, -STEP)
    yield counted("shorter_sequence", "seq", "seq", lengths)


def _of_adapters(request: TrainRequest, setup: TrainSetup) -> Iterator[Change]:
    adapter = setup.adapter
    if adapter is None:
        return
    ranks = halved(adapter.rank, LOWEST_RANK) if adapter.method in RANKED else []
    if ranks:
        yield among("lower_rank", "rank", [{"rank": rank} for rank in ranks])
    if adapter.method in ON_LINEARS and request.targets != "attention":
        yield once("attention_targets", "targets", targets="attention")
    if setup.kbit_prepare:
        yield once("without_kbit_prepare", "kbit", kbit_prepare=False)
    if setup.numbers.format.quantised:
        return
    if setup.method is Method.LORA:
        named: Update = {"weights": None} if request.weights is not None else {}
        yield once("packed_base", "weights", method=Method.QLORA, **named)
    else:
        yield once("packed_base", "weights", weights=PACKED)
