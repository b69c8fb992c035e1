"""Training requests that are refused: not estimated yet, or contradicting themselves.

Both are understood. Saying so, with what to write instead, beats a wrong number.
"""

from estimator.errors import Contradiction, Unsupported
from estimator.memory.sharding import SHARDED_WEIGHTS
from estimator.refusals_of_optimizers import OF_BLOCKS, PROJECTED
from estimator.request import TrainRequest
from estimator.resolve_precision import ADAPTERS, LOW_MEMORY
from estimator.words import Master, Method, Offload, Strategy

OF_ADAPTERS = (
    *("targets", "adapter", "lora_dropout", "kbit_prepare"),
    *("modules_to_save", "virtual_tokens"),
)


def refuse_unsupported(request: TrainRequest) -> None:
    """Raise Unsupported for what there is no estimate for."""
    if request.method and request.method not in (
        *(Method.FULL, *ADAPTERS, *LOW_MEMORY, *OF_BLOCKS),
    ):
        raise Unsupported(
            "method",
            f"I know what `{request.method}` is, but have no estimate for it yet.",
            suggestions=("lora", "qlora", "full"),
        )
    if request.strategy is Strategy.DEVICE_MAP:
        raise Unsupported(
            "strategy",
            f"I have no estimate yet for training under `{request.strategy}`.",
            suggestions=("fsdp", "zero3", "zero2", "ddp"),
        )
    _refuse_offload(request)


def _refuse_offload(request: TrainRequest) -> None:
    weights = request.offload in (Offload.PARAMS, Offload.BOTH)
    if weights and request.strategy not in SHARDED_WEIGHTS:
        raise Unsupported(
            "offload",
            "I have an estimate for weights in host memory under FSDP and ZeRO-3 only.",
            suggestions=("optimizer offload", "cpu offload zero3"),
        )


def refuse_copies(request: TrainRequest, world: int) -> None:
    """Raise Contradiction where copies of the shards do not share the cards evenly."""
    copies = request.replicas or 1
    if world % copies == 0:
        return
    whole = [str(n) for n in range(copies, 0, -1) if world % n == 0]
    raise Contradiction(
        ("replicas",),
        f"{world} cards do not divide into {copies} copies of the shards.",
        suggestions=tuple(f"replicas {n}" for n in whole[:2]),
    )


def refuse_contradictions(request: TrainRequest, method: Method) -> None:
    """Raise Contradiction for wishes that exclude each other."""
    adapted = method in ADAPTERS
    foreign = [name for name in OF_ADAPTERS if not adapted and getattr(request, name) is not None]
    if not adapted and request.rank is not None and not _has_rank(request, method):
        foreign.insert(0, "rank")
    if foreign:
        trained = "whole blocks" if method in OF_BLOCKS else "every weight"
        raise Contradiction(
            ("method", foreign[0]),
            f"`{foreign[0]}` belongs to adapters, but `{method}` trains {trained}.",
            suggestions=("lora", "full"),
        )
    if adapted and request.master is Master.FP32:
        raise Contradiction(
            ("master",), "A master copy belongs to weights that are trained; adapters are fp32."
        )


def _has_rank(request: TrainRequest, method: Method) -> bool:
    return method in (Method.GALORE, Method.APOLLO) or request.optimizer in PROJECTED
