"""Optimizers that cannot serve what is asked of them: each refused with what to write instead."""

from estimator.errors import Contradiction
from estimator.optimizer_rows import Optimizer
from estimator.request import TrainRequest
from estimator.resolve import Ledger
from estimator.resolve_precision import ADAPTERS, LOW_MEMORY
from estimator.words import Master, Method, Strategy

PROJECTED = ("galore_adamw", "galore", "apollo")  # optimizers with a rank of their own
WHOLE_MATRICES = ("galore_adamw", "apollo", "muon", "shampoo", "soap")
OF_BLOCKS = (Method.BADAM, Method.LISA, Method.FREEZE)


def refuse_optimizers(request: TrainRequest, method: Method) -> None:
    """Raise Contradiction for an optimizer that the method, or another wish, rules out."""
    _of_adapters(request, method)
    _of_methods(request, method)
    _of_masters(request, method)


def _of_adapters(request: TrainRequest, method: Method) -> None:
    if method in ADAPTERS and request.optimizer in PROJECTED:
        raise Contradiction(
            ("method", "optimizer"),
            f"`{request.optimizer}` projects the gradients of whole weights; `{method}` has none.",
            suggestions=("galore", "lora", "full"),
        )


def _of_methods(request: TrainRequest, method: Method) -> None:
    own = LOW_MEMORY.get(method)
    if own is not None and request.optimizer not in (None, own, method.value, "adam", "adamw"):
        raise Contradiction(
            ("method", "optimizer"),
            f"`{method}` is an optimizer of its own; with `{request.optimizer}` it is another.",
            suggestions=(method.value, f"full {request.optimizer}"),
        )
    if method in OF_BLOCKS and request.optimizer in (*PROJECTED, "lomo"):
        raise Contradiction(
            ("method", "optimizer"),
            f"`{method}` trains few weights; `{request.optimizer}` saves on all of them.",
            suggestions=(f"{method.value} adamw", f"full {request.optimizer}"),
        )
    if method is Method.BADAM and request.optimizer_in_backward:
        raise Contradiction(
            ("method", "optimizer_in_backward"),
            "BAdam turns a block's gradients to fp32 together, when backward is done.",
            suggestions=("badam", "lisa optimizer in backward", "full optimizer in backward"),
        )
    if method not in OF_BLOCKS and request.active_blocks is not None:
        raise Contradiction(
            ("method", "active_blocks"),
            f"`active_blocks` belongs to `badam`, `lisa` and `freeze`, not to `{method}`.",
            suggestions=("lisa", "badam", "freeze"),
        )


def _of_masters(request: TrainRequest, method: Method) -> None:
    if method is Method.BADAM and request.master is Master.NONE:
        raise Contradiction(
            ("method", "master"),
            "BAdam updates an fp32 copy of the block that it trains; it is part of the method.",
            suggestions=("badam", "lisa"),
        )
    lomo = method is Method.LOMO or request.optimizer == "lomo"
    in_backward = lomo or bool(request.optimizer_in_backward)
    if request.main_grads is not None and (request.master is Master.NONE or in_backward):
        raise refused_main_grads("optimizer_in_backward" if in_backward else "master")
    if request.main_grads is not None and (method in ADAPTERS or request.weights == "fp32"):
        raise Contradiction(
            ("main_grads", "method"),
            "An fp32 buffer of gradients is for 16-bit weights that are all trained.",
            suggestions=("full", "full grads fp32"),
        )


def refused_main_grads(*fields: str) -> Contradiction:
    """What is said to a buffer of gradients where no master takes its step from one."""
    return Contradiction(
        ("main_grads", *fields),
        "An fp32 buffer of gradients is for a step on fp32 masters after backward.",
        suggestions=("full", "full grads fp32"),
    )


def refuse_accumulation(request: TrainRequest, *, in_backward: bool) -> None:
    """Raise Contradiction where gradients are used up and were to be accumulated."""
    if in_backward and (request.accumulation or 1) > 1:
        raise Contradiction(
            ("optimizer_in_backward", "optimizer", "method", "accumulation"),
            "A step inside backward uses each gradient up: there is none to accumulate.",
            suggestions=("full", f"full accum {request.accumulation}"),
        )


def warn_of_shards(
    optimizer: Optimizer, method: Method, strategy: Strategy, world: int, ledger: Ledger
) -> None:
    """Say where an even split over cards is a guess: updates of whole matrices or blocks."""
    if strategy in (Strategy.SINGLE, Strategy.DDP) or world == 1:
        return
    whole = optimizer.id in WHOLE_MATRICES or method in OF_BLOCKS or optimizer.in_backward
    if whole:
        name = method if method in OF_BLOCKS else optimizer.id
        ledger.warn(
            f"`{name}` under `{strategy}` is divided evenly over the cards here; the published "
            "code updates whole matrices, and may gather them first."
        )
