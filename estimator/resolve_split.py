"""Over how many cards a served model is spread, and how: what was said, and what follows."""

from dataclasses import dataclass
from math import prod

from estimator.architecture import Architecture
from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.errors import Contradiction
from estimator.mixers import Attention
from estimator.mlps import ExpertsMlp
from estimator.refusals_of_splits import (
    refuse_cards,
    refuse_experts,
    refuse_heads,
    refuse_kinds,
    refuse_repeated,
    refuse_stages,
)
from estimator.request import ServeRequest
from estimator.resolve import Ledger, refuse_too_many
from estimator.setup import Shape
from estimator.split import Split
from estimator.words import SplitKind, Strategy

INSIDE = ("sglang", "tensorrt_llm")  # attention's copies are among the cards of `tp`
MACHINE = 8  # cards
ALL_EXPERTS = ("vllm",)  # which spreads experts over all cards of a stage, or over none


@dataclass(frozen=True, slots=True)
class Plan:
    """`stages` of cards; `split` has all but which blocks are in each. `cards`: of all copies."""

    split: Split
    stages: int
    cards: int

    @property
    def world(self) -> int:
        """Cards of one copy."""
        return self.split.tp * self.split.attentions * self.stages


@dataclass(frozen=True, slots=True)
class Heads:
    """How many heads the model's kinds of attention have; none of a shape that is interpolated."""

    queries: tuple[int, ...]
    caches: tuple[int, ...]  # of keys and values

    def divide(self, cards: int) -> bool:
        """Whether queries divide among cards, and keys and values do or are repeated evenly."""
        whole = not any(count % cards for count in self.queries)
        return whole and all(count % cards == 0 or cards % count == 0 for count in self.caches)


def heads_of(shape: Shape, catalog: Catalog) -> Heads:
    """Of the model's kinds of attention; layers with a state are not looked at."""
    if shape.typed is not None and catalog.models.get(shape.name) is None:
        return Heads((), ())
    mixers = [block.attention for _, block in shape.architecture.stack]
    grouped = {mixer.kv_heads for mixer in mixers if isinstance(mixer, Attention)}
    return Heads(
        queries=tuple(sorted({mixer.query_heads for mixer in mixers})),
        caches=tuple(sorted(grouped)),
    )


def plan_of(
    request: ServeRequest,
    every: int,
    engine: Engine,
    shape: Shape,
    *,
    catalog: Catalog,
    ledger: Ledger,
) -> Plan:
    """The plan for `every` card; raises Contradiction with the nearest one for what is none.

    Where heads cannot be divided among all cards, layers are among groups of them.
    """
    refuse_kinds(request, every, engine)
    refuse_experts(shape.architecture, request)
    heads = heads_of(shape, catalog)
    tp, pp, dp = _counts(request, every, engine, heads, shape.architecture.depth)
    routed = any(isinstance(b.mlp, ExpertsMlp) for _, b in shape.architecture.stack)
    beside = routed and SplitKind.DP in engine.splits
    attending = tp
    if _is_inside(request, every, engine, beside=beside):
        attending = tp // dp
    needed = attending * pp * dp
    refuse_too_many(needed, "world")
    every = needed if every == 1 else every
    if needed > every or every % needed:
        refuse_cards(_said(request), needed, every, _nearest(request, every, engine, heads))
    refuse_heads(engine, heads.queries, tp)
    refuse_repeated(engine, heads.caches, attending)
    refuse_stages(request, shape.architecture.depth, pp)
    copies = dp if not beside or request.dp is None else 1
    attentions = dp // copies
    copies *= every // needed
    experts = attending * attentions if routed else 1
    split = Split(
        tp=attending,
        experts=experts,
        ep=_spread(request, engine, experts),
        dp=copies * attentions,
        attentions=attentions,
        cp=_tokens(request, shape.architecture, attending),
        tables=attending,
    )
    plan = Plan(split, pp, every)
    _tell(request, plan, copies, ledger)
    return plan


def _is_inside(request: ServeRequest, every: int, engine: Engine, *, beside: bool) -> bool:
    """SGLang's `--tp 8 --dp 8`: eight cards, each with the attention of an eighth of the users."""
    tp, dp = request.tp or 1, request.dp or 1
    fits = dp > 1 and tp % dp == 0 and every in (1, tp * (request.pp or 1))
    return beside and engine.id in INSIDE and fits


def _counts(
    request: ServeRequest, every: int, engine: Engine, heads: Heads, depth: int
) -> tuple[int, int, int]:
    """(tp, pp, dp): as said, or what is left of the cards: stages no more than the `depth`."""
    tp, pp, dp = request.tp, request.pp, request.dp or 1
    if tp is None and request.dp is None and (request.ep or 1) > 1:
        tp = request.ep
    free = max(1, every // (dp * (tp or 1) * (pp or 1)))
    match request.strategy:
        case Strategy.SINGLE:
            tp, pp = tp or 1, pp or 1
        case Strategy.TP if tp is None:
            tp = free
        case Strategy.PP | Strategy.DEVICE_MAP if pp is None and tp is None:
            pp = free
        case _:
            pass
    if tp is None and pp is None:
        tp = _usual_tp(engine, heads, free)
        pp = _usual_pp(engine, free // tp, depth)
    return tp or 1, pp or 1, dp


def _usual_tp(engine: Engine, heads: Heads, cards: int) -> int:
    """As many cards as heads divide among, of an engine that divides tensors rather than layers.

    No more than stand in one machine as a rule.
    """
    layers = SplitKind.PP in engine.splits and engine.kind is not EngineKind.PAGED
    if SplitKind.TP not in engine.splits or layers:
        return 1
    parts = [n for n in range(min(cards, MACHINE), 0, -1) if cards % n == 0]
    return next(n for n in parts if heads.divide(n))


def _usual_pp(engine: Engine, cards: int, depth: int) -> int:
    """Stages for the rest of the cards: beyond one a layer, servers have copies."""
    if SplitKind.PP not in engine.splits:
        return 1
    if engine.kind is not EngineKind.PAGED:
        return cards
    return next(n for n in range(min(cards, depth), 0, -1) if cards % n == 0)


def _spread(request: ServeRequest, engine: Engine, cards: int) -> int:
    """Over how many cards whole experts are spread, of those that hold them."""
    asked = request.ep or 1
    if asked == 1:
        return 1
    whole = engine.id in ALL_EXPERTS
    if cards % asked or (whole and asked != cards):
        raise Contradiction(
            ("ep",),
            f"vllm spreads experts over all {cards} cards of `tp` × `dp`, not over {asked}."
            if whole
            else f"Experts on {cards} cards cannot be spread over {asked} of them.",
            suggestions=(f"ep {cards}",),
        )
    return asked


def _tokens(request: ServeRequest, architecture: Architecture, cards: int) -> int:
    """Over how many cards cached tokens are spread: those that would repeat the same heads."""
    asked = request.cp or 1
    if asked == 1:
        return 1
    mixers = [mixer for _, block in architecture.stack for mixer in block.mixers]
    heads = [mixer.cached.heads for mixer in mixers if mixer.cached.heads]
    grouped = any(isinstance(mixer, Attention) for mixer in mixers)
    most = cards // min(heads) if heads else 1
    if asked > most or cards % asked:
        what = "heads of keys and values" if grouped else "latent"
        raise Contradiction(
            ("cp",),
            f"A cache is spread by tokens over cards that would hold the same {what}: over {most} "
            f"of {cards} here, not {asked}."
            if most > 1
            else f"{cards} cards hold no {what} twice, so there is nothing to spread by tokens.",
            suggestions=(f"cp {most}",) if most > 1 else (),
        )
    return asked


def _said(request: ServeRequest) -> str:
    """`tp 8 pp 2`, as it was asked."""
    names = [kind for kind in ("tp", "pp", "dp") if getattr(request, kind)]
    names = names or ["ep"]
    return " ".join(f"{name} {getattr(request, name)}" for name in names)


def _nearest(request: ServeRequest, every: int, engine: Engine, heads: Heads) -> tuple[str, ...]:
    """Plans that go: all cards in another way, and the same way on fewer or more of them."""
    said = [(name, getattr(request, name)) for name in ("tp", "pp", "dp") if getattr(request, name)]
    group = prod(count for _, count in said) or 1
    fewer = every // group * group or group
    card = request.gpus[0].id if len(request.gpus) == 1 else ""
    same = " ".join(f"{name} {count}" for name, count in said)
    cards = f"{fewer}x {card}" if card else f"{fewer} gpus"
    tp = _usual_tp(engine, heads, every)
    pp = every // tp if SplitKind.PP in engine.splits else 1
    other = " ".join(f"{name} {n}" for name, n in (("tp", tp), ("pp", pp)) if n > 1)
    all_cards = f"{every}x {card}" if card else f"{every} gpus"
    found = [f"{same}, {cards}"] if same else []
    return (*found, *([f"{other}, {all_cards}"] if other else []))


def _tell(request: ServeRequest, plan: Plan, copies: int, ledger: Ledger) -> None:
    """Write down what was not said: copies, stages, and how each is spread."""
    split, world = plan.split, plan.world
    if copies > 1 and request.dp is None:
        ledger.note("dp", copies, f"{copies} copies of the model, each over {world}", "defaults")
    if split.dp > 1 and (request.users or 1) > 1:
        each = -(-(request.users or 1) // split.dp)
        ledger.note("users", f"{each} on each", f"divided among {split.dp}", "defaults")
    if plan.stages > 1 and split.tp > 1 and request.pp is None:
        why = f"tensors are divided over {split.tp} cards, layers over such groups"
        ledger.note("pp", plan.stages, why, "vllm-parallelism")
