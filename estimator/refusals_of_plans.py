"""Plans over many cards that no program runs, each with the nearest that is one."""

from collections.abc import Iterator, Sequence

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.degrees import Degrees
from estimator.errors import Contradiction, Unsupported
from estimator.mixers import Attention, LatentAttention, Mixer
from estimator.mlps import ExpertsMlp, GatedMlp, PlainMlp
from estimator.request import TrainRequest
from estimator.tensors import QkNorm
from estimator.units import KIB

DEGREES = ("tp", "pp", "cp", "dp")
MOST_OFFERED = 2  # other degrees that are named


def refuse_impossible(
    request: TrainRequest, plan: Degrees, architecture: Architecture, *, seq: int
) -> None:
    """Raise Contradiction or Unsupported where the model or the sequence is not so divided."""
    _refuse_mixers(plan, architecture)
    _refuse_heads(plan, architecture)
    if plan.pp > architecture.depth:
        raise Contradiction(
            ("pp",),
            f"{plan.pp} pipeline stages, but only {architecture.depth} blocks: a stage has at "
            "least one.",
            suggestions=_nearest("pp", plan.pp, range(1, architecture.depth + 1)),
        )
    _refuse_lengths(plan, seq)
    _refuse_experts(request, plan, architecture)


def _refuse_mixers(plan: Degrees, architecture: Architecture) -> None:
    blocks = [block for _, block in architecture.stack]
    plain = all(isinstance(b.attention, Attention | LatentAttention) for b in blocks)
    for name in ("tp", "cp"):
        if getattr(plan, name) > 1 and not plain:
            raise Unsupported(
                name,
                f"I have no estimate of layers with a state divided by `{name}`.",
                suggestions=("fsdp", "zero3"),
            )
    if plan.tp > 1 and any(_normed_whole(b.attention) for b in blocks):
        raise Unsupported(
            "tp",
            "Queries and keys of this model are normalised over all heads together; I have no "
            "estimate of them divided by `tp`.",
            suggestions=("fsdp", "zero3"),
        )
    if any(block.beside is not None or not block.caches for block in blocks):
        name = next(n for n in (*DEGREES, "ep") if getattr(plan, n) > 1)
        raise Unsupported(
            name,
            f"I have no estimate of an encoder divided by `{name}`.",
            suggestions=("fsdp", "zero3"),
        )


def _normed_whole(mixer: Mixer) -> bool:
    return isinstance(mixer, Attention) and mixer.qk_norm is QkNorm.FULL


def _refuse_heads(plan: Degrees, architecture: Architecture) -> None:
    problem = undivided(architecture, plan.tp, whole_experts=plan.ep > 1)
    if not problem:
        return
    possible = [
        n for n in range(1, KIB) if not undivided(architecture, n, whole_experts=plan.ep > 1)
    ]
    raise Contradiction(
        ("tp",),
        f"Tensor parallel divides whole heads and even widths: {problem} into {plan.tp} parts.",
        suggestions=_nearest("tp", plan.tp, possible),
    )


def undivided(architecture: Architecture, ranks: int, *, whole_experts: bool) -> str:
    """What of the model does not go into so many parts, in words; nothing if all does."""
    if architecture.hidden % ranks:
        return f"a width of {architecture.hidden:,} does not go"
    for _, block in architecture.stack:
        for found, what in _parts(block, whole_experts=whole_experts):
            if found % ranks:
                return f"{found:,} {what} do not go"
        kv = getattr(block.attention, "kv_heads", ranks)
        if kv % ranks and ranks % kv:
            return f"{kv} heads of keys and values do not go"
    return ""


def _parts(block: Block, *, whole_experts: bool) -> Iterator[tuple[int, str]]:
    if isinstance(block.attention, Attention | LatentAttention):
        yield block.attention.query_heads, "query heads"
    match block.mlp:
        case GatedMlp() | PlainMlp():
            yield block.mlp.inner, "columns of the MLP"
        case ExpertsMlp():
            yield block.mlp.shared_inner, "columns of the shared experts"
            if not whole_experts:
                yield block.mlp.inner, "columns of an expert"


def _refuse_lengths(plan: Degrees, seq: int) -> None:
    pieces = 2 * plan.cp if plan.cp > 1 else 1
    if seq % pieces:
        longer = -(-seq // pieces) * pieces
        raise Contradiction(
            ("seq", "cp"),
            f"Context parallel cuts a sequence into two pieces for each card, so that all have "
            f"as much to do: {seq:,} tokens do not go into {pieces}.",
            suggestions=(f"seq {longer} cp {plan.cp}",),
        )
    own = seq // plan.cp
    if own % plan.spread:
        whole = plan.spread * pieces
        raise Contradiction(
            ("seq", "sp"),
            f"Sequence parallel divides the {own:,} tokens between blocks over {plan.tp} cards, "
            "and they do not go.",
            suggestions=(f"seq {-(-seq // whole) * whole}", f"seq {seq} no sequence parallel"),
        )


def _refuse_experts(request: TrainRequest, plan: Degrees, architecture: Architecture) -> None:
    if plan.ep == 1:
        return
    counts = {b.mlp.experts for _, b in architecture.stack if isinstance(b.mlp, ExpertsMlp)}
    if not counts:
        raise Contradiction(
            ("ep",),
            "Expert parallel divides experts, and this model has none.",
            suggestions=(f"tp {min(plan.ep, 8)}",),
        )
    fewest = min(counts)
    within = plan.tp * plan.copies
    possible = [n for n in range(1, fewest + 1) if not fewest % n and not within % n]
    if plan.ep > fewest or fewest % plan.ep:
        raise Contradiction(
            ("ep",),
            f"{fewest} experts do not go into {plan.ep} parts.",
            suggestions=_nearest("ep", plan.ep, possible),
        )
    if within % plan.ep:
        raise Contradiction(
            ("ep",),
            f"Experts are divided among the cards of one stage, whose number, {within:,} here, has "
            f"to be a multiple of {plan.ep}.",
            suggestions=_nearest("ep", plan.ep, possible),
        )
    if plan.tp > 1 and not plan.sequence:
        raise Contradiction(
            ("sp", "ep"),
            "With experts divided by `ep`, tensor parallel needs its tokens divided too.",
            suggestions=(f"ep {request.ep} sequence parallel",),
        )


def _nearest(name: str, asked: int, possible: Sequence[int]) -> tuple[str, ...]:
    """The possible degrees closest to what was asked, larger first where both are as close."""
    ordered = sorted(possible, key=lambda n: (abs(n - asked), -n))
    return tuple(f"{name} {n}" for n in ordered[:MOST_OFFERED])
