"""The defaults of training, each listed with its reason and source."""

from collections.abc import Iterator
from dataclasses import replace

from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.framework_rows import Framework
from estimator.memory.sharding import SHARDED_WEIGHTS
from estimator.published import believed
from estimator.refusals import refuse_contradictions, refuse_copies, refuse_unsupported
from estimator.refusals_of_optimizers import refuse_accumulation, refuse_optimizers, warn_of_shards
from estimator.request import TrainRequest
from estimator.resolve import (
    Ledger,
    numbers_of,
    resolve_cards,
    resolve_shape,
    resolve_world,
    spread,
    warn_of_cards,
    warn_of_length,
    warn_of_unpacked,
    warn_of_unused,
)
from estimator.resolve_adapter import resolve_adapter
from estimator.resolve_framework import as_held, as_packed, settle_framework
from estimator.resolve_objective import (
    refuse_foreign,
    refuse_without_head,
    resolve_batch,
    resolve_goal,
    resolve_length,
    resolve_loss,
)
from estimator.resolve_optimizer import Updating, resolve_updating
from estimator.resolve_parts import image_tokens, warn_of_parts
from estimator.resolve_plan import degrees, resolve_plan
from estimator.resolve_precision import (
    ADAPTERS,
    computes_in_fp8,
    in_fp32,
    resolve_autocast,
    resolve_compute,
    resolve_kbit_prepare,
    resolve_master,
    resolve_weights,
)
from estimator.setup import Shape, TrainSetup
from estimator.units import BILLION, KIB
from estimator.words import (
    AttentionKernel,
    Checkpointing,
    Library,
    Method,
    Objective,
    Offload,
    Strategy,
)

ALL_KEPT = (Checkpointing.NONE, Checkpointing.EVERY_2)  # by some blocks at least
CHECKPOINT_FULL_FROM = 3 * BILLION  # full fine-tuning checkpoints from here up

SEQ = 2 * KIB  # tokens, or the model's own if fewer
WITHOUT_EFFECT = ("alpha", "packing")
UNSYNCED = (Strategy.FSDP, Strategy.FSDP2)  # whose micro-steps are not reduced one by one
WHOLE_GRADIENTS = (
    "Between micro-steps each card keeps whole gradients, not its part of them, as Accelerate and "
    "Lightning accumulate under FSDP; `sync_each_batch` there, or ZeRO, reduces them at once."
)
OF_SHARDS = ("mp_policy", "reshard", "replicas")


def resolve_train(request: TrainRequest, catalog: Catalog) -> TrainSetup:
    """Look everything up; raises UnknownName, BadRequest, Contradiction or Unsupported."""
    refuse_unsupported(request)
    ledger, after = Ledger(), Ledger()  # checkpointing is the first assumption
    framework, request = settle_framework(request, catalog, after, ledger)
    method = _method(request, after)
    refuse_contradictions(request, method)
    refuse_optimizers(request, method)
    refuse_foreign(request)
    shape, framework = as_held(resolve_shape(request, catalog, after), framework, ledger)
    refuse_without_head(request, shape)
    checkpointing = _checkpointing(request, method, shape, ledger)
    ledger.assumed.extend(after.assumed)
    number_format, bits = resolve_weights(request, method, shape.architecture, catalog, ledger)
    autocast = resolve_autocast(request, method, number_format, ledger)
    compute = resolve_compute(
        request, number_format, autocast=autocast, catalog=catalog, ledger=ledger
    )
    kbit_prepare = resolve_kbit_prepare(request, method, number_format, ledger)
    numbers = frozen = as_packed(
        numbers_of(
            number_format,
            bits,
            compute,
            catalog,
            given_bytes=believed(request.weight_bytes, shape.architecture),
        ),
        framework,
    )
    master = resolve_master(request, method, number_format, catalog, ledger)
    fp32 = catalog.dtypes.find("fp32")
    if kbit_prepare:
        numbers = in_fp32(numbers, fp32)
    warn_of_unpacked(numbers, shape.architecture, kbit_prepare=kbit_prepare, ledger=ledger)
    adapter = resolve_adapter(
        request,
        method,
        shape,
        numbers=numbers,
        library=framework.library,
        catalog=catalog,
        ledger=ledger,
    )
    updating = resolve_updating(
        request,
        method,
        shape.architecture,
        trained=adapter.dtype if adapter else numbers.linear,
        master=master,
        catalog=catalog,
        ledger=ledger,
    )
    refuse_accumulation(request, in_backward=updating.in_backward)
    batch = resolve_batch(request, ledger)
    seq = resolve_length(request, shape, SEQ, ledger) + image_tokens(request, shape, ledger)
    warn_of_parts(shape, ledger, recast=autocast and checkpointing in ALL_KEPT)
    accumulation = ledger.take(
        "accumulation", request.accumulation, 1, "every micro-step is a step", "defaults"
    )
    attention = ledger.take(
        "attention",
        request.attention,
        AttentionKernel.FLASH,
        "the score matrix is never held",
        "defaults",
    )
    loss = resolve_loss(request, ledger)
    cards = resolve_cards(request.gpus, catalog)
    goal = resolve_goal(
        request,
        catalog,
        ledger,
        shape=shape,
        numbers=frozen,
        adapted=adapter is not None,
        lengths=(batch, accumulation, seq),
        cards=cards,
    )
    if goal.objective is Objective.REWARD:
        shape = replace(shape, architecture=shape.architecture.scoring())
    plan = degrees(request, cards, resolve_world(request, cards))
    cards = spread(cards, plan.world, ledger)
    plan, strategy = resolve_plan(
        request,
        plan,
        shape.architecture,
        method=method,
        library=framework.library,
        seq=seq,
        optimizer=updating.optimizer,
        packed=not numbers.linear.plain,
        checkpointing=checkpointing,
        ledger=ledger,
    )
    unsharded = () if strategy in SHARDED_WEIGHTS else OF_SHARDS
    idle = _idle(request, updating, framework, packed=number_format.quantised, engine=goal.engine)
    warn_of_unused(request, (*WITHOUT_EFFECT, *unsharded, *idle), ledger)
    warn_of_shards(updating.optimizer, method, strategy, plan.copies, ledger)
    whole = adapter is None and accumulation > 1 and not framework.reduces_each
    refuse_copies(request, plan.copies)
    _check_shards(strategy, cards, ledger, whole_gradients=whole)
    if request.bpw is not None and bits is None:
        ledger.warn(f"`bpw` belongs to EXL2; {number_format.id} has its own bits a weight.")
    warn_of_length(seq + (adapter.looked_at if adapter else 0), shape, ledger, "Sequence")
    warn_of_cards(
        cards, compute, flash=attention is AttentionKernel.FLASH, ledger=ledger, catalog=catalog
    )
    return TrainSetup(
        request=request,
        shape=shape,
        numbers=numbers,
        method=method,
        adapter=adapter,
        optimizer=updating.optimizer,
        projection_rank=updating.projection_rank,
        part=updating.part,
        states=updating.states,
        embedding_states=updating.embedding_states,
        grads=updating.grads,
        main_grads=updating.main_grads,
        passing=updating.passing,
        master=master,
        autocast=autocast,
        kbit_prepare=kbit_prepare,
        batch=batch,
        seq=seq,
        accumulation=accumulation,
        checkpointing=checkpointing,
        attention=attention,
        loss=loss,
        outputs_kept=bool(request.outputs_kept),
        goal=goal,
        in_backward=updating.in_backward,
        world=plan.world,
        strategy=strategy,
        plan=plan,
        offload=request.offload or Offload.NONE,
        cards=cards,
        fp32=fp32,
        products_in_fp8=computes_in_fp8(request, catalog),
        framework=framework,
        compiled=bool(request.compile) and framework.library is Library.TORCHTUNE,
        optimizer_dtypes=updating.optimizer_dtypes,
        assumed=tuple(ledger.assumed),
        warnings=tuple(ledger.warnings),
    )


def _check_shards(
    strategy: Strategy,
    cards: tuple[Cards, ...],
    ledger: Ledger,
    *,
    whole_gradients: bool,
) -> None:
    """Warn of what costs memory."""
    if whole_gradients and strategy in UNSYNCED:
        ledger.warn(WHOLE_GRADIENTS)
    if len({entry.card.id for entry in cards}) > 1:
        ledger.warn("Unequal cards: each holds the same, so the smallest decides.")


def _idle(
    request: TrainRequest, updating: Updating, framework: Framework, *, packed: bool, engine: str
) -> Iterator[str]:
    """Fields that are understood, and change nothing in this step."""
    if framework.library is not Library.TORCHTUNE:
        yield "compile"
    if request.kbit_prepare and not packed:
        yield "kbit_prepare"
    if not any(state.dtype == "parameter" for state in updating.optimizer.states):
        yield "states"  # there are none, or of a type of their own
    if engine != "vllm":
        yield from ("engine_share", "engine_asleep")


def _method(request: TrainRequest, ledger: Ledger) -> Method:
    return ledger.take("method", request.method, Method.FULL, "no method was named", "defaults")


def _checkpointing(
    request: TrainRequest, method: Method, shape: Shape, ledger: Ledger
) -> Checkpointing:
    large = shape.architecture.parameters >= CHECKPOINT_FULL_FROM
    if request.objective is Objective.PPO:
        why = "TRL's PPO loop never turns it on"
        return ledger.take(
            "checkpointing", request.checkpointing, Checkpointing.NONE, why, "trl-ppo-trainer"
        )
    if method is Method.PREFIX:
        default, why = Checkpointing.NONE, "a prefix lies in the cache, which checkpointing drops"
    elif method in ADAPTERS:
        default, why = Checkpointing.FULL, "TRL's default: each block is recomputed in backward"
    elif large:
        default, why = Checkpointing.FULL, "usual from 3B up: each block is recomputed in backward"
    else:
        default, why = Checkpointing.NONE, "usual below 3B: every activation is kept"
    return ledger.take("checkpointing", request.checkpointing, default, why, "trl-sft-config")
