"""Ways to spread a served model over cards that do not go, each with the nearest that does."""

from collections.abc import Sequence
from typing import Never

from estimator.architecture import Architecture
from estimator.engine_rows import Engine
from estimator.errors import Contradiction, Unsupported
from estimator.mlps import ExpertsMlp
from estimator.request import ServeRequest
from estimator.words import SplitKind, Strategy

SERVED = (
    *(Strategy.SINGLE, Strategy.TP, Strategy.PP),
    *(Strategy.DEVICE_MAP, Strategy.THREE_D),
)
LACKING = {
    SplitKind.TP: "{engine} does not divide tensors among cards: it puts whole layers on each.",
    SplitKind.PP: "{engine} does not put layers on several cards: it divides each tensor.",
    SplitKind.EP: "{engine} does not spread experts over cards.",
    SplitKind.CP: "{engine} does not spread a cache over cards by tokens.",
}

KINDS = {  # strategies that are one split
    Strategy.TP: SplitKind.TP,
    Strategy.PP: SplitKind.PP,
    Strategy.DEVICE_MAP: SplitKind.PP,
}


def refuse_strategies(request: ServeRequest) -> None:
    """Raise Unsupported for strategies of training."""
    if request.strategy not in (None, *SERVED):
        raise Unsupported(
            "strategy",
            f"`{request.strategy}` is a way to train on several cards; a model is served with each "
            "tensor divided, with layers on each card, or in copies.",
            suggestions=("tp", "pp"),
        )


def refuse_kinds(request: ServeRequest, cards: int, engine: Engine) -> None:
    """Raise Contradiction for a split that the engine does not have."""
    own = KINDS.get(request.strategy) if request.strategy and cards > 1 else None
    if own is not None and own not in engine.splits:
        other = SplitKind.PP if own is SplitKind.TP else SplitKind.TP
        text = LACKING[own].format(engine=engine.id)
        raise Contradiction(("strategy",), text, suggestions=(other,))
    for kind, lacks in LACKING.items():
        count = getattr(request, kind) or 1
        if count == 1 or kind in engine.splits:
            continue
        near = [one for one in (SplitKind.TP, SplitKind.PP) if one in engine.splits]
        instead = [f"{one} {count}" for one in near if not getattr(request, one)]
        raise Contradiction((kind,), lacks.format(engine=engine.id), suggestions=instead)


def refuse_experts(architecture: Architecture, request: ServeRequest) -> None:
    """Raise Contradiction for experts that are fewer than cards, or that are not there."""
    cards = request.ep or 1
    if cards == 1:
        return
    counts = [b.mlp.experts for _, b in architecture.stack if isinstance(b.mlp, ExpertsMlp)]
    if not counts:
        raise Contradiction(
            ("ep",), "The model has no experts to spread over cards.", suggestions=(f"tp {cards}",)
        )
    if cards > min(counts):
        raise Contradiction(
            ("ep",),
            f"The model has {min(counts)} experts in a layer, fewer than {cards} cards.",
            suggestions=(f"ep {min(counts)}",),
        )


def refuse_heads(engine: Engine, heads: Sequence[int], cards: int) -> None:
    """Raise Contradiction for attention heads that do not divide among cards."""
    odd = [count for count in heads if count % cards]
    if odd and engine.whole_heads:
        near = [str(n) for n in range(cards, 1, -1) if not any(h % n for h in heads)]
        raise Contradiction(
            ("tp",),
            f"{engine.id} divides whole attention heads: {odd[0]} do not go into {cards} parts.",
            suggestions=(*near, *_as_stages(engine, cards)) or ("1",),
        )


def refuse_repeated(engine: Engine, heads: Sequence[int], cards: int) -> None:
    """Raise Contradiction for keys and values that can neither be divided nor repeated evenly."""
    odd = [count for count in heads if count % cards and cards % count]
    if odd and engine.whole_heads:
        near = [n for n in range(cards, 0, -1) if not any(h % n and n % h for h in heads)]
        raise Contradiction(
            ("tp",),
            f"{odd[0]} heads of keys and values can neither be divided nor repeated evenly over "
            f"{cards} cards.",
            suggestions=(*map(str, near), *_as_stages(engine, cards)),
        )


def _as_stages(engine: Engine, cards: int) -> tuple[str, ...]:
    """The plan that divides no heads: a stage on each card."""
    return (f"pp {cards}",) if SplitKind.PP in engine.splits else ()


def refuse_stages(request: ServeRequest, depth: int, stages: int) -> None:
    """Raise Contradiction for more stages than blocks."""
    if stages <= depth:
        return
    card = f"{depth}x {request.gpus[0].id}" if len(request.gpus) == 1 else f"{depth} gpus"
    said = bool(request.pp)
    raise Contradiction(
        ("pp",) if said else ("world", "gpus"),
        f"The model has {depth} blocks, so it cannot be cut into {stages} stages.",
        suggestions=(f"pp {_power(depth)}", f"pp {depth}") if said else (card,),
    )


def _power(depth: int) -> int:
    """The largest power of two that is not more."""
    return 1 << (depth.bit_length() - 1)


def refuse_cards(plan: str, needed: int, every: int, near: Sequence[str]) -> Never:
    """Raise Contradiction where the cards are too few for `plan`, or do not divide by it."""
    more = needed > every
    sentence = (
        f"`{plan}` takes {needed} cards, and there are {every}."
        if more
        else f"{every} cards do not divide into groups of {needed}, as `{plan}` needs."
    )
    raise Contradiction(("tp", "pp", "dp", "ep", "world", "gpus"), sentence, suggestions=near)
