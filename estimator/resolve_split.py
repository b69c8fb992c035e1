"""Over how many cards a served model is divided, and how."""

from estimator.catalog import Catalog
from estimator.engine_rows import Engine
from estimator.errors import Contradiction, Unsupported
from estimator.request import ServeRequest
from estimator.resolve import Ledger
from estimator.setup import Shape
from estimator.words import Strategy


def refuse_splits(request: ServeRequest) -> None:
    """Raise Unsupported for ways to divide a model that have no estimate."""
    if request.strategy not in (None, Strategy.SINGLE, Strategy.TP, Strategy.DEVICE_MAP):
        raise Unsupported(
            "strategy",
            f"I have no estimate yet for serving under `{request.strategy}`.",
            suggestions=("tp",),
        )
    for split in ("cp", "ep", "dp", "pp"):
        if (getattr(request, split) or 1) > 1:
            raise Unsupported(split, f"I have no estimate yet for serving split by `{split}`.")


def heads_of(shape: Shape, catalog: Catalog) -> tuple[int, ...]:
    """Query heads of the model's kinds of attention; none of a shape that is interpolated."""
    if shape.typed is not None and catalog.models.get(shape.name) is None:
        return ()
    blocks = [block for _, block in shape.architecture.stack]
    return tuple(sorted({block.attention.query_heads for block in blocks}))


def split_over(
    request: ServeRequest, world: int, engine: Engine, heads: tuple[int, ...], ledger: Ledger
) -> tuple[int, Strategy]:
    """Over how many cards the model is divided, and how.

    Where heads cannot be divided among the cards, layers are, which takes as much of each.
    """
    share = request.tp or world
    odd = [n for n in heads if n % share and engine.whole_heads]
    if odd and request.tp:
        whole = [str(n) for n in range(share, 1, -1) if not any(h % n for h in heads)]
        raise Contradiction(
            ("tp",),
            f"{engine.id} divides whole attention heads: {odd[0]} do not go into {share} parts.",
            suggestions=whole or ("1",),
        )
    if request.tp and world > 1 and world % request.tp:
        raise Contradiction(
            ("tp", "world", "gpus"),
            f"{world} cards do not divide into groups of {request.tp}.",
            suggestions=(f"tp {world}",),
        )
    if world > share:
        copies = world // share
        ledger.note("dp", copies, f"{copies} copies of the model, each over {share}", "defaults")
    if share == 1:
        return 1, request.strategy or Strategy.SINGLE
    tensor = engine.id in ("vllm", "sglang", "tensorrt_llm") and not odd
    default = Strategy.TP if tensor or request.tp else Strategy.DEVICE_MAP
    why = f"weights and cache divided evenly over {share} cards"
    return share, ledger.take("strategy", request.strategy, default, why, "defaults")
