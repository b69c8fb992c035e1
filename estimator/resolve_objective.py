"""The defaults of an objective: which other models are on the card, and what generates."""

from collections.abc import Iterator
from dataclasses import replace

from estimator.architecture import Architecture
from estimator.card_total import total_bytes
from estimator.catalog import Catalog
from estimator.errors import BadRequest, Contradiction
from estimator.request import TrainRequest
from estimator.resolve import Ledger, numbers_of, resolve_shape
from estimator.rows import Engine, Gpu
from estimator.setup import PAIRED, Cards, Companion, Goal, Numbers, Rollout, Shape
from estimator.units import KIB
from estimator.words import Objective, Reference

GENERATING = (Objective.GRPO, Objective.PPO)
REFERRING = (Objective.DPO, Objective.GRPO, Objective.PPO)
ENGINES = ("transformers", "vllm")
PROMPT = KIB // 2  # tokens
NEW_TOKENS = KIB // 2
PPO_NEW_TOKENS = 53
GENERATIONS = 8
ENGINE_SHARE = 0.3

# Which objectives each field belongs to, and what to type for them.
OF_OBJECTIVES = {
    "reference": REFERRING,
    "teacher": (Objective.DISTILL,),
    "reward_model": (Objective.PPO,),
    "value_model": (Objective.PPO,),
    "prompt": (*GENERATING, Objective.DISTILL),
    "new_tokens": (*GENERATING, Objective.DISTILL),
    "generations": (Objective.GRPO,),
    "engine": GENERATING,
    "engine_share": GENERATING,
    "engine_asleep": GENERATING,
}


def refuse_foreign(request: TrainRequest) -> None:
    """Raise Contradiction for a field that the objective has no use for."""
    objective = request.objective or Objective.SFT
    for name, objectives in OF_OBJECTIVES.items():
        if getattr(request, name) is not None and objective not in objectives:
            raise Contradiction(
                ("objective", name),
                f"`{name}` belongs to {' and '.join(objectives)}, but the objective is "
                f"`{objective}`.",
                suggestions=tuple(one.value for one in objectives),
            )


def resolve_length(request: TrainRequest, shape: Shape, default: int, ledger: Ledger) -> int:
    """Tokens of a sequence; of what is generated, the prompt's and the new ones'."""
    if request.prompt is not None and request.new_tokens is not None:
        together = request.prompt + request.new_tokens
        if request.seq not in (None, together):
            raise Contradiction(
                ("seq", "prompt", "new_tokens"),
                f"{request.prompt:,} tokens of prompt and {request.new_tokens:,} new ones are "
                f"{together:,}, not {request.seq:,}.",
                suggestions=(f"seq {together}",),
            )
        return together
    if request.seq is None and request.objective in GENERATING:
        new = request.new_tokens or _usual_new(request)
        length = (request.prompt or PROMPT) + new
        ledger.note("seq", length, "the prompt and what is generated", "defaults")
        return length
    if shape.context is not None and shape.context < default:
        return ledger.take("seq", request.seq, shape.context, "the model's own", "defaults")
    why = "a common length; one word changes it"
    return ledger.take("seq", request.seq, default, why, "defaults")


def resolve_batch(request: TrainRequest, ledger: Ledger) -> int:
    """Sequences, or pairs of them; of GRPO a prompt's whole group, over the micro-steps."""
    if request.objective is Objective.GRPO:
        group = request.generations or GENERATIONS
        usual = -(-group // (request.accumulation or 1))
        why = "a step holds one prompt's completions"
        return ledger.take("batch", request.batch, usual, why, "trl-grpo-config")
    why = "the smallest useful step"
    if request.objective in PAIRED:
        why += ": a pair, chosen and rejected"
    return ledger.take("batch", request.batch, 1, why, "defaults")


def resolve_goal(
    request: TrainRequest,
    catalog: Catalog,
    ledger: Ledger,
    *,
    shape: Shape,
    numbers: Numbers,
    adapted: bool,
    lengths: tuple[int, int, int],
    cards: tuple[Cards, ...],
) -> Goal:
    """Everything the objective needs. `lengths`: batch, accumulation, seq."""
    objective = request.objective or Objective.SFT
    reference = _reference(request, objective, ledger, adapted=adapted)
    companions = tuple(_companions(request, objective, reference, catalog, shape, numbers, ledger))
    rollout = _rollout(request, objective, catalog, ledger, lengths=lengths, cards=cards)
    _, _, seq = lengths
    scored = seq - 1 if objective is Objective.DPO else seq
    if objective is Objective.DISTILL:
        scored = min(request.new_tokens or seq - 1, seq - 1)
    if rollout is not None:
        scored = rollout.new_tokens
    return Goal(objective, reference, companions, rollout, scored)


def _reference(
    request: TrainRequest, objective: Objective, ledger: Ledger, *, adapted: bool
) -> Reference:
    if objective not in REFERRING:
        return Reference.NONE
    if request.reference is Reference.ADAPTERS_OFF and not adapted:
        raise Contradiction(
            ("reference", "method"),
            "A reference with the adapters off needs adapters; full training holds a second, "
            "frozen model.",
            suggestions=(f"lora {objective}", f"full {objective}"),
        )
    if objective is Objective.GRPO:
        default, why = Reference.NONE, "TRL's beta is 0: no penalty, and no reference is held"
        source = "trl-grpo-config"
    elif adapted:
        default, why = Reference.ADAPTERS_OFF, "the same model with its adapters off"
        source = "trl-dpo-trainer"
    else:
        default, why = Reference.MODEL, "a second, frozen copy of the model"
        source = "trl-dpo-trainer"
    return ledger.take("reference", request.reference, default, why, source)


def _companions(
    request: TrainRequest,
    objective: Objective,
    reference: Reference,
    catalog: Catalog,
    shape: Shape,
    numbers: Numbers,
    ledger: Ledger,
) -> Iterator[Companion]:
    if reference is Reference.MODEL:
        yield Companion("reference", shape, numbers)
    if objective is Objective.DISTILL:
        if request.teacher is None:
            raise BadRequest(
                "teacher",
                "distilling needs a model to learn from; name it, as in `teacher 70B`",
                suggestions=("sft",),
            )
        teacher = _named(request, request.teacher, catalog, ledger)
        _refuse_other_words(shape.architecture, teacher.architecture)
        yield Companion("teacher", teacher, _frozen_numbers(numbers, catalog, ledger, "teacher"))
    if objective is Objective.PPO:
        for role in ("reward_model", "value_model"):
            name = getattr(request, role)
            if name is None:
                ledger.note(role, shape.name, "as large as the policy", "trl-ppo-trainer")
            found = shape if name is None else _named(request, name, catalog, ledger)
            scoring = replace(found, architecture=found.architecture.scoring())
            held = _frozen_numbers(numbers, catalog, ledger, role)
            yield Companion(role.removesuffix("_model"), scoring, held)


def _named(request: TrainRequest, name: str, catalog: Catalog, ledger: Ledger) -> Shape:
    """Another model's shape, by the same names as the trained one's."""
    return resolve_shape(
        request.model_copy(update={"model": name, "architecture": None}), catalog, ledger
    )


def _frozen_numbers(numbers: Numbers, catalog: Catalog, ledger: Ledger, role: str) -> Numbers:
    """What another model is held in: as the trained one, or bf16 if that one is packed."""
    if not numbers.format.quantised:
        return numbers
    ledger.note(role, "bf16", "only the trained model is packed", "defaults")
    bf16 = catalog.formats.find("bf16")
    return numbers_of(bf16, None, catalog.dtypes.find(bf16.compute), catalog)


def _refuse_other_words(student: Architecture, teacher: Architecture) -> None:
    if student.vocabulary != teacher.vocabulary:
        raise Contradiction(
            ("teacher",),
            f"Both distributions are over the same words, but the model has "
            f"{student.vocabulary:,} and the teacher {teacher.vocabulary:,}.",
            suggestions=("sft",),
        )


def _rollout(
    request: TrainRequest,
    objective: Objective,
    catalog: Catalog,
    ledger: Ledger,
    *,
    lengths: tuple[int, int, int],
    cards: tuple[Cards, ...],
) -> Rollout | None:
    if objective not in GENERATING:
        return None
    batch, accumulation, seq = lengths
    usual = _usual_new(request)
    if request.prompt is not None:
        usual = seq - request.prompt
    new = ledger.take(
        "new_tokens", request.new_tokens, min(usual, seq - 1), "TRL's default", _source(objective)
    )
    if new >= seq:
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
    return Rollout(
        engine=engine,
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


def _usual_new(request: TrainRequest) -> int:
    return PPO_NEW_TOKENS if request.objective is Objective.PPO else NEW_TOKENS


def _source(objective: Objective) -> str:
    return "trl-ppo-trainer" if objective is Objective.PPO else "trl-grpo-config"
