"""The defaults of what generates completions before a step learns from them."""

from estimator.card_total import total_bytes
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine
from estimator.errors import BadRequest, Contradiction
from estimator.gpu_rows import Gpu
from estimator.request import TrainRequest
from estimator.resolve import Ledger, numbers_of
from estimator.setup import Rollout
from estimator.units import KIB
from estimator.words import Objective

GENERATING = (Objective.GRPO, Objective.PPO)
ENGINES = ("transformers", "vllm")
PROMPT = KIB // 2  # tokens
NEW_TOKENS = KIB // 2
PPO_NEW_TOKENS = 53
ENGINE_SHARE = 0.3


def resolve_rollout(
    request: TrainRequest,
    objective: Objective,
    catalog: Catalog,
    ledger: Ledger,
    *,
    lengths: tuple[int, int, int],
    cards: tuple[Cards, ...],
) -> Rollout | None:
    """The completions of a step, or none. `lengths`: batch, accumulation, seq."""
    if objective not in GENERATING:
        return None
    batch, accumulation, seq = lengths
    usual = usual_new(request)
    if request.prompt is not None:
        usual = seq - request.prompt
    new = ledger.take(
        "new_tokens", request.new_tokens, min(usual, seq - 1), "TRL's default", _source(objective)
    )
    if not 0 < new < seq:
        raise Contradiction(
            ("seq", "new_tokens"),
            f"A sequence of {seq:,} tokens holds the prompt too, so fewer than that are new.",
            suggestions=(f"seq {seq + PROMPT}",),
        )
    engine = _engine(request, catalog, ledger)
    asleep = bool(request.engine_asleep)
    if engine.id == "vllm":
        asleep = ledger.take(
            "engine_asleep",
            request.engine_asleep,
            False,
            "vllm_enable_sleep_mode is off in TRL",
            "trl-grpo-config",
        )
    if request.prompt is None:
        ledger.note("prompt", seq - new, "what of the sequence is not generated", "defaults")
    bf16 = catalog.formats.find("bf16")
    return Rollout(
        engine=engine,
        numbers=numbers_of(bf16, None, catalog.dtypes.find(bf16.compute), catalog),
        prompt=seq - new,
        new_tokens=new,
        sequences=batch * accumulation,
        asleep=asleep,
        reserved_bytes=_reserved(request, engine, cards, catalog, ledger),
    )


def _engine(request: TrainRequest, catalog: Catalog, ledger: Ledger) -> Engine:
    name = ledger.take(
        "engine", request.engine, "transformers", "use_vllm is off in TRL", "trl-grpo-config"
    )
    engine = catalog.engines.find(name)
    if engine.id not in ENGINES:
        raise BadRequest("engine", "generating while training is done by transformers or vllm")
    return engine


def _reserved(
    request: TrainRequest,
    engine: Engine,
    cards: tuple[Cards, ...],
    catalog: Catalog,
    ledger: Ledger,
) -> int | None:
    """What vLLM takes of the smallest card that was named."""
    if engine.id != "vllm":
        return None
    share = ledger.take(
        "engine_share",
        request.engine_share,
        ENGINE_SHARE,
        "vllm_gpu_memory_utilization of TRL",
        "trl-grpo-config",
    )
    if not cards:
        ledger.warn(
            f"vLLM takes {share:.0%} of the card beside the training, whatever it needs; with no "
            "card named, what it needs at least is counted. Name the card for its whole share."
        )
        return None
    rows = [
        gpu
        for entry in cards
        for gpu in (
            (entry.card,) if isinstance(entry.card, Gpu) else catalog.class_members(entry.card)
        )
    ]
    return round(share * min(total_bytes(gpu, catalog.card_use) for gpu in rows))


def usual_new(request: TrainRequest) -> int:
    """How many tokens TRL's trainers generate."""
    return PPO_NEW_TOKENS if request.objective is Objective.PPO else NEW_TOKENS


def _source(objective: Objective) -> str:
    return "trl-ppo-trainer" if objective is Objective.PPO else "trl-grpo-config"
