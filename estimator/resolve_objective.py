"""The defaults of an objective: which other models are on the card, and what generates."""

from collections.abc import Iterator
from dataclasses import replace

from estimator.architecture import Architecture
from estimator.cards import Cards, asked_cards
from estimator.catalog import Catalog
from estimator.errors import BadRequest, Contradiction, Unsupported
from estimator.request import TrainRequest
from estimator.resolve import Ledger, numbers_of, resolve_shape
from estimator.resolve_rollout import GENERATING, PROMPT, resolve_rollout, usual_new
from estimator.setup import PAIRED, REFERRING, Companion, Goal, Numbers, Shape
from estimator.words import Loss, Objective, Reference

GENERATIONS = 8
FEWEST_GENERATIONS = 2  # TRL compares the completions of a prompt with each other
WRITING = (Objective.DPO, Objective.GRPO, Objective.PPO, Objective.DISTILL)
MOST_TEACHERS = 2  # that are suggested

WHERE_LOST = {  # the trainers whose losses these are
    Objective.DPO: "trl-dpo-trainer",
    Objective.GRPO: "trl-grpo-trainer",
    Objective.PPO: "trl-ppo-trainer",
    Objective.DISTILL: "trl-gkd-trainer",
}

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


# What each objective's trainer computes its loss on: whole logits, or TRL's tiled head.
LOSSES = {
    Objective.DPO: (Loss.STOCK, Loss.CHUNKED),
    Objective.GRPO: (Loss.STOCK, Loss.CHUNKED),
    Objective.DISTILL: (Loss.STOCK, Loss.CHUNKED),
    Objective.PPO: (Loss.STOCK,),
}


def refuse_foreign(request: TrainRequest) -> None:
    """Raise for a field that the objective has no use for, or a loss that it has not."""
    objective = request.objective or Objective.SFT
    losses = LOSSES.get(objective)
    if losses and request.loss not in (None, *losses):
        raise Unsupported(
            "loss",
            f"Of `{objective}` I know the loss on whole logits"
            + (", and TRL's tiled head." if Loss.CHUNKED in losses else "."),
            suggestions=tuple(one.value for one in losses),
        )
    for name, objectives in OF_OBJECTIVES.items():
        if getattr(request, name) is not None and objective not in objectives:
            raise Contradiction(
                ("objective", name),
                f"`{name}` belongs to {' and '.join(objectives)}, but the objective is "
                f"`{objective}`.",
                suggestions=tuple(one.value for one in objectives),
            )


def refuse_without_head(request: TrainRequest, shape: Shape) -> None:
    """Raise Contradiction where the objective needs words and the model writes none."""
    objective, architecture = request.objective, shape.architecture
    if objective in WRITING and not architecture.head:
        raise Contradiction(
            ("model", "objective"),
            f"`{objective}` learns from written answers, and {shape.name} writes none: it has no "
            "head over the vocabulary.",
            suggestions=("reward", "sft"),
        )
    encodes = any(not block.caches for _, block in architecture.stack)
    if objective in GENERATING and encodes:
        raise Unsupported(
            "model",
            f"TRL's {objective} is for models that only decode; {shape.name} has an encoder.",
            suggestions=("sft",),
        )


def resolve_loss(request: TrainRequest, ledger: Ledger) -> Loss:
    """How the loss is computed; of objectives with trainers of their own, on whole logits."""
    objective = request.objective or Objective.SFT
    if objective is Objective.REWARD:
        if request.loss is not None:
            ledger.warn("`loss` has no effect: a reward model has no logits.")
        return request.loss or Loss.STOCK
    if objective not in LOSSES:
        why = "as transformers 5 computes it"
        return ledger.take("loss", request.loss, Loss.STOCK, why, "transformers-loss")
    why = "on whole logits, as TRL 1.0"
    if Loss.CHUNKED in LOSSES[objective]:
        why += "; TRL 1.16 never builds them (`chunked`)"
    return ledger.take("loss", request.loss, Loss.STOCK, why, WHERE_LOST[objective])


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
        new = request.new_tokens or usual_new(request)
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
        if group < FEWEST_GENERATIONS:
            raise BadRequest(
                "generations",
                "GRPO compares the completions of a prompt: two at least",
                suggestions=("8 generations",),
            )
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
    companions = _companions(
        request,
        catalog,
        ledger,
        objective=objective,
        reference=reference,
        shape=shape,
        numbers=numbers,
    )
    held = tuple(companions)
    rollout = resolve_rollout(request, objective, catalog, ledger, lengths=lengths, cards=cards)
    batch, accumulation, seq = lengths
    if objective is Objective.GRPO:
        world = max(request.world or 1, asked_cards(cards))
        _warn_of_groups(request, batch * accumulation * world, ledger)
    scored = seq - 1 if objective is Objective.DPO else seq
    if objective is Objective.DISTILL:
        scored = min(request.new_tokens or seq - 1, seq - 1)
    if rollout is not None:
        scored = rollout.new_tokens
    return Goal(objective, reference, held, rollout, scored)


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
            suggestions=("lora", "reference model"),
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
    catalog: Catalog,
    ledger: Ledger,
    *,
    objective: Objective,
    reference: Reference,
    shape: Shape,
    numbers: Numbers,
) -> Iterator[Companion]:
    if reference is Reference.MODEL:
        yield Companion("reference", shape, numbers)
    if objective is Objective.DISTILL:
        if request.teacher is None:
            raise BadRequest(
                "teacher",
                "distilling needs a model to learn from; name it, as in `teacher 70B`",
                suggestions=(*_teachers(shape.architecture, catalog), "sft"),
            )
        teacher = _named(request, request.teacher, catalog, ledger)
        _refuse_other_words(shape.architecture, teacher.architecture, catalog)
        yield Companion("teacher", teacher, _frozen_numbers(numbers, catalog, ledger, "teacher"))
    if objective is Objective.PPO:
        for role in ("reward_model", "value_model"):
            name = getattr(request, role)
            if name is None:
                why = "as large as the policy"
                why += ", and trained whole" if role == "value_model" else ""
                ledger.note(role, shape.name, why, "trl-ppo-trainer")
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


def _teachers(student: Architecture, catalog: Catalog) -> tuple[str, ...]:
    """What to type for the next larger models with the student's words."""
    larger = sorted(
        (row.parameters, row.id)
        for row in catalog.models.rows
        if row.architecture.vocabulary == student.vocabulary
        and row.parameters > student.parameters
        and row.architecture.tower is None
        and len(row.architecture.blocks) == 1
    )
    return tuple(f"teacher {name}" for _, name in larger[:MOST_TEACHERS])


def _refuse_other_words(student: Architecture, teacher: Architecture, catalog: Catalog) -> None:
    if student.vocabulary != teacher.vocabulary:
        raise Contradiction(
            ("teacher",),
            f"Both distributions are over the same words, but the model has "
            f"{student.vocabulary:,} and the teacher {teacher.vocabulary:,}.",
            suggestions=(*_teachers(student, catalog), "sft"),
        )


def _warn_of_groups(request: TrainRequest, completions: int, ledger: Ledger) -> None:
    """GRPO compares a prompt's completions, so a step holds whole groups of them."""
    group = request.generations or GENERATIONS
    if completions % group:
        ledger.warn(
            f"A step of {completions:,} completions holds no whole group of {group}: TRL wants "
            f"batch × accumulation × cards to be a multiple of it, or other `generations`."
        )
