"""Over how many cards a training step is divided, and how: degrees whose product is the world."""

from collections.abc import Sequence
from math import gcd

from estimator.architecture import Architecture
from estimator.cards import Cards, asked_cards
from estimator.degrees import Degrees
from estimator.errors import BadRequest, Contradiction, Unsupported
from estimator.memory.sharding import SHARDED
from estimator.mlps import ExpertsMlp
from estimator.optimizer_rows import Optimizer, StateShape
from estimator.refusals_of_plans import DEGREES, refuse_impossible
from estimator.request import TrainRequest
from estimator.resolve import Ledger, refuse_too_many, warn_of_unused
from estimator.resolve_precision import ADAPTERS
from estimator.words import Checkpointing, Library, Loss, Method, Objective, Strategy

NAMES = {Strategy.TP: "tp", Strategy.PP: "pp"}  # strategies that are one degree
OF_PLANS = (Strategy.TP, Strategy.PP, Strategy.THREE_D)
DEEP = (Strategy.ZERO2, Strategy.ZERO3)
WHOLE_EXPERTS = (Strategy.SINGLE, Strategy.DDP, Strategy.ZERO1)
CUT = (Method.FULL, Method.LORA, Method.RSLORA)  # methods whose matrices are cut by columns or rows
STAGED = (*CUT, Method.DORA, Method.QLORA)
SUPERVISED = (None, Objective.SFT, Objective.PRETRAIN)
SPLIT_LOSSES = (None, Loss.STOCK, Loss.STOCK_4)


def degrees(request: TrainRequest, cards: Sequence[Cards], world: int) -> Degrees:
    """The degrees that were asked for; what is left of the cards are copies (data parallel).

    `world`: the number of cards, 1 where none was said. Raises Contradiction where they do not
    go into the cards, with the nearest plan that does.
    """
    given: dict[str, int] = {name: getattr(request, name) or 1 for name in ("tp", "pp", "cp")}
    known = world if request.world or asked_cards(cards) > 1 else None
    named = NAMES.get(request.strategy) if request.strategy else None
    if named and getattr(request, named) is None and known:
        given[named] = max(1, known // _product(given))
    if named and getattr(request, named) is None and not known:
        raise BadRequest(
            named,
            f"over how many cards? Say it, as in `{named} 4`",
            suggestions=(f"{named} 2", f"{named} 4"),
        )
    if request.strategy is Strategy.THREE_D and request.tp is None and request.pp is None:
        raise BadRequest(
            "tp",
            "`3d` divides blocks and layers: say into how many, as in `tp 8 pp 4`",
            suggestions=("tp 8", "tp 8 pp 2"),
        )
    size = _product(given)
    experts = request.ep or 1
    fewest = experts // gcd(experts, given["tp"] * given["cp"])  # that hold all experts
    copies = request.dp or (known // size if known and known >= size else fewest)
    if known is not None and size * copies != known:
        _refuse_world(request, given, known, cards)
    refuse_too_many(size * copies, "world")
    tp, pp, cp = given.values()
    return Degrees(tp=tp, pp=pp, cp=cp, ep=experts, dp=copies)


def resolve_plan(
    request: TrainRequest,
    found: Degrees,
    architecture: Architecture,
    *,
    method: Method,
    library: Library,
    seq: int,
    optimizer: Optimizer,
    packed: bool,
    checkpointing: Checkpointing,
    ledger: Ledger,
) -> tuple[Degrees, Strategy]:
    """The plan with its defaults, and how copies share what they hold."""
    plan = found
    if plan.tp == 1:
        warn_of_unused(request, ("sp",), ledger)
    if not plan.divides:
        return plan, _undivided(request, plan.world, ledger)
    if plan.tp > 1:
        why = "tokens between blocks are divided over the same cards, as torchtitan does"
        default = method not in ADAPTERS
        if not default:
            why = "PEFT's adapters read all tokens on every card"
        sequence = ledger.take("sp", request.sp, default, why, "torch-tensor-parallel")
        plan = Degrees(plan.tp, plan.pp, plan.cp, plan.ep, plan.dp, sequence=sequence)
    _refuse_unknown(
        request,
        plan,
        method=method,
        library=library,
        optimizer=optimizer,
        checkpointing=checkpointing,
        packed=packed,
    )
    refuse_impossible(request, plan, architecture, seq=seq)
    strategy = _sharing(request, plan, method, ledger)
    _note(plan, architecture, request.accumulation or 1, ledger)
    return plan, strategy


def _product(given: dict[str, int]) -> int:
    return given["tp"] * given["pp"] * given["cp"]


def _refuse_world(
    request: TrainRequest, given: dict[str, int], world: int, cards: Sequence[Cards]
) -> None:
    """The degrees do not go into the cards: with as many cards as they need, or fewer parts."""
    size = _product(given)
    asked = [name for name in DEGREES if getattr(request, name)]
    words = " × ".join(f"`{name} {getattr(request, name)}`" for name in asked)
    if request.dp and world % size == 0:
        needed = size * request.dp
        raise Contradiction(
            (*asked, "world", "gpus"),
            f"{words}: {needed:,} in all, but {world:,} cards were named.",
            suggestions=(
                _typed(given | {"dp": world // size}, world, cards),
                _typed(given | {"dp": request.dp}, needed, cards),
            ),
        )
    fewer, more = world // size * size, -(-world // size) * size
    smaller = dict(given)
    while world % _product(smaller):
        name = max(smaller, key=lambda one: smaller[one])
        smaller[name] = max(n for n in range(1, smaller[name]) if smaller[name] % n == 0)
    plans = [(given, more)] + [(given, fewer)] * (fewer > 0) + [(smaller, world)]
    raise Contradiction(
        (*(asked or ["tp"]), "world", "gpus"),
        f"{words}: the number of cards has to be a multiple of {size:,}, and {world:,} is none.",
        suggestions=tuple(_typed(degrees_, count, cards) for degrees_, count in plans),
    )


def _typed(given: dict[str, int], world: int, cards: Sequence[Cards]) -> str:
    """A plan as it is typed: `tp 8 pp 2, 16x h100-sxm5-80gb`."""
    words = " ".join(f"{name} {count}" for name, count in given.items() if count > 1) or "ddp"
    if len({entry.card.id for entry in cards}) == 1:
        return f"{words}, {world}x {cards[0].card.id}"
    return f"{words} world {world}"


def _refuse_unknown(
    request: TrainRequest,
    plan: Degrees,
    *,
    method: Method,
    library: Library,
    optimizer: Optimizer,
    checkpointing: Checkpointing,
    packed: bool,
) -> None:
    """Raise Unsupported for what has no estimate together with the plan."""
    split = next(name for name in ("tp", "pp", "cp", "ep") if getattr(plan, name) > 1)
    if library not in (Library.TRANSFORMERS, Library.MEGATRON):
        raise Unsupported(
            "framework", f"I have no estimate yet for {library} divided by `{split}`."
        )
    if packed and plan.tp > 1:
        raise Unsupported(
            "tp",
            "bitsandbytes packs whole matrices, and neither transformers nor Megatron divides "
            "packed ones to train adapters on: QLoRA goes over cards as copies, shards or stages.",
            suggestions=("fsdp", f"pp {plan.tp}"),
        )
    allowed = CUT if plan.tp > 1 else STAGED
    if method not in allowed:
        raise Unsupported(
            "method",
            f"I have no estimate yet for `{method}` divided by `{split}`.",
            suggestions=("lora", "full"),
        )
    if request.objective not in SUPERVISED:
        raise Unsupported(
            split,
            f"I have no estimate yet for `{request.objective}` divided by `{split}`.",
            suggestions=("fsdp", "zero3"),
        )
    if plan.tp > 1 and request.loss not in SPLIT_LOSSES:
        raise Unsupported(
            "loss",
            "With tensor parallel each card has a part of the vocabulary, and this loss reads all "
            "of it.",
            suggestions=("stock loss",),
        )
    if plan.tp > 1 and checkpointing is Checkpointing.SELECTIVE:
        raise Unsupported(
            "checkpointing",
            "I have no estimate yet for selective checkpointing with tensor parallel.",
            suggestions=("full checkpointing",),
        )
    if plan.tp > 1 and any(s.shape is not StateShape.PARAMETER for s in optimizer.states):
        raise Unsupported(
            "optimizer",
            f"`{optimizer.id}` works on whole matrices; I have no estimate for parts of them.",
            suggestions=("adamw",),
        )


def _sharing(request: TrainRequest, plan: Degrees, method: Method, ledger: Ledger) -> Strategy:
    """How the cards that hold the same part of the model share its states."""
    asked = request.strategy
    if asked is Strategy.SINGLE and plan.world > 1:
        raise Contradiction(
            ("strategy",),
            f"`single` is one card, but the plan has {plan.world:,}.",
            suggestions=("zero1", "ddp"),
        )
    if plan.pp > 1 and asked in DEEP:
        raise Contradiction(
            ("strategy",),
            f"DeepSpeed's pipeline takes ZeRO-1 at most: `{asked}` shards gradients, which every "
            "micro-batch of a stage adds to.",
            suggestions=("zero1", "fsdp"),
        )
    if asked is None or asked in OF_PLANS:
        if plan.copies == 1:
            return Strategy.SINGLE
        if method in ADAPTERS:
            why = f"{plan.copies:,} cards hold the same part; adapters are small"
            ledger.note("strategy", Strategy.DDP, why, "torch-ddp")
            return Strategy.DDP
        why = f"{plan.copies:,} cards hold the same weights and share the optimizer's states"
        ledger.note("strategy", Strategy.ZERO1, why, "megatron-distributed-optimizer")
        return Strategy.ZERO1
    if plan.ep > 1 and asked not in WHOLE_EXPERTS:
        raise Unsupported(
            "strategy",
            f"I have no estimate yet for experts divided by `ep` under `{asked}`.",
            suggestions=("zero1", "ddp"),
        )
    if plan.copies == 1:
        ledger.warn(
            f"`{asked}` shares over cards that hold the same weights; in this plan there are none, "
            "so nothing is shared."
        )
    return asked


def _note(plan: Degrees, architecture: Architecture, batches: int, ledger: Ledger) -> None:
    """What the plan leaves open, and how it is taken."""
    if plan.pp > 1:
        fewest, rest = divmod(architecture.depth, plan.pp)
        layout = f"{fewest + 1} or {fewest}, fewer at the ends" if rest else f"{fewest}"
        why = f"{layout} blocks each; one forward, one backward, not interleaved"
        ledger.note("schedule", "1f1b", why, "megatron-pipeline-2021")
        if batches < plan.pp:
            ledger.warn(
                f"{batches} micro-batch{'es' * (batches > 1)} for {plan.pp} stages leave"
                f"{'s' * (batches == 1)} most of them waiting: `accum {plan.pp}` or more is usual, "
                "and holds more."
            )
    if plan.cp > 1:
        why = "keys and values of all cards are gathered, a block at a time"
        ledger.note("cp", f"{plan.cp}, all-gather", why, "torch-context-parallel")
    if plan.ep > 1:
        why = "experts stay whole, and each gets as many tokens"
        ledger.note("ep", f"{plan.ep}, balanced", why, "megatron-moe")
    experts = any(isinstance(block.mlp, ExpertsMlp) for _, block in architecture.stack)
    if experts and plan.ep == 1 and plan.tp > 1:
        ledger.note("ep", 1, f"each expert is cut along its width in {plan.tp}", "megatron-moe")
    if plan.pp > 1 and architecture.tied:
        why = "tied, so the last stage has a copy of the embeddings"
        ledger.note("head", "copied", why, "megatron-pipeline-2021")
    if plan.tp > 1 and architecture.vocabulary % plan.tp:
        why = "the vocabulary does not divide; the first card has a row more"
        part = -(-architecture.vocabulary // plan.tp)
        ledger.note("vocabulary", f"{part:,} rows", why, "torch-tensor-parallel")


def _undivided(request: TrainRequest, world: int, ledger: Ledger) -> Strategy:
    if request.strategy is Strategy.SINGLE and world > 1:
        raise Contradiction(
            ("strategy", "world", "gpus"),
            f"`single` is one card, but {world} were named.",
            suggestions=("ddp", "fsdp", "zero3"),
        )
    if request.strategy in OF_PLANS:
        ledger.warn("A plan over one card divides nothing.")
        return Strategy.SINGLE if world == 1 else Strategy.DDP
    if request.strategy is not None:
        if world == 1 and request.strategy in (*SHARDED, Strategy.DDP):
            ledger.warn(
                f"`{request.strategy}` splits over cards; only one was named, so nothing is split. "
                "Add the cards, as in `4xA100 80GB`."
            )
        return request.strategy
    if world == 1:
        return Strategy.SINGLE
    if request.replicas:
        ledger.note("strategy", Strategy.FSDP, "replicas are copies of its shards", "torch-fsdp")
        return Strategy.FSDP
    why = "each card holds the whole model; `fsdp` or `zero3` shard it"
    ledger.note("strategy", Strategy.DDP, why, "torch-ddp")
    return Strategy.DDP
