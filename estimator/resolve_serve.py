"""The defaults of serving, each listed with its reason and source."""

from dataclasses import replace

from estimator.catalog import Catalog
from estimator.engine_rows import EngineKind
from estimator.errors import Contradiction
from estimator.memory.weights import host_bytes
from estimator.published import as_published, believed, file_bytes
from estimator.refusals_of_splits import refuse_strategies
from estimator.request import ServeRequest
from estimator.resolve import (
    Ledger,
    find_dtype,
    find_format,
    numbers_of,
    resolve_cards,
    resolve_shape,
    resolve_world,
    spread,
    warn_of_cards,
    warn_of_length,
    warn_of_unused,
)
from estimator.resolve_beside import draft_of, loras_of, shared_of
from estimator.resolve_engine import (
    as_file,
    caches_kept,
    engine_of,
    kept_as,
    named_format,
    warn_of_plain_experts,
)
from estimator.resolve_experts import keeps_experts
from estimator.resolve_parts import image_tokens
from estimator.resolve_serve_ggml import KINDS, resolve_local
from estimator.resolve_serve_paged import paging_of
from estimator.resolve_slices import Spread, free_bytes, split_of
from estimator.resolve_split import plan_of
from estimator.resolve_strategy import strategy_of, warn_of_unequal
from estimator.rows import Format
from estimator.setup import ServeSetup
from estimator.units import KIB
from estimator.words import AttentionKernel

WITHOUT_EFFECT = ("offload",)
ON_TORCH = (EngineKind.TRANSFORMERS, EngineKind.LITGPT, EngineKind.GPT_FAST, EngineKind.AUTOAWQ)
WITHOUT_TABLES = (EngineKind.GGML, EngineKind.EXLLAMA)  # those stay in the host's memory
CONTEXT = 8 * KIB  # tokens, or the model's own if fewer


def resolve_serve(request: ServeRequest, catalog: Catalog) -> ServeSetup:
    """Look everything up; raises UnknownName, BadRequest, Contradiction or Unsupported."""
    ledger = Ledger()
    refuse_strategies(request)
    shape = resolve_shape(request, catalog, ledger)
    cards = resolve_cards(request.gpus, catalog)
    name, request = named_format(request, cards, catalog, ledger)
    name = as_file(name, request, catalog, ledger)
    number_format, bits = find_format(name, request, shape.architecture, catalog, ledger)
    compute = find_dtype(request.compute or number_format.compute, "compute", catalog)
    engine = engine_of(
        request, number_format, shape.architecture, cards=cards, catalog=catalog, ledger=ledger
    )
    shape = as_published(shape, number_format, catalog, ledger)
    images = image_tokens(request, shape, ledger)
    read = None if request.prompt is None else request.prompt + images
    context = _context(request, read, images, shape.context, ledger)
    room = max(1, images, context - (request.new_tokens or 0))
    prompt = ledger.take("prompt", read, room, "a prompt that fills the context", "defaults")
    if prompt + (request.new_tokens or 0) > context:
        raise Contradiction(
            ("prompt", "new_tokens", "context"),
            f"A prompt of {prompt:,} and {request.new_tokens or 0:,} new tokens do not fit "
            f"into a context of {context:,}.",
            suggestions=(f"ctx {prompt + (request.new_tokens or 0)}",),
        )
    users = ledger.take("users", request.users, 1, "one conversation at a time", "defaults")
    kv_k, kv_v = caches_kept(request, engine, compute, cards=cards, catalog=catalog, ledger=ledger)
    attention = ledger.take(
        "attention",
        request.attention,
        AttentionKernel.FLASH,
        "the score matrix is never held",
        "defaults",
    )
    every = resolve_world(request, cards)
    plan = plan_of(request, every, engine, shape, catalog=catalog, ledger=ledger)
    cards = spread(cards, plan.cards, ledger)
    _warn_of_bits(request, number_format, ledger)
    number_format, bits = kept_as(
        number_format,
        bits,
        request=request,
        engine=engine,
        cards=cards,
        catalog=catalog,
        ledger=ledger,
    )
    given, source = file_bytes(request.weight_bytes, shape, number_format, catalog)
    plain = replace(
        numbers_of(
            number_format,
            bits,
            compute,
            catalog,
            packs_head=engine.packs_head,
            given_bytes=given,
        ),
        given_source=source,
    )
    numbers = keeps_experts(plain, request, engine, catalog, ledger)
    warn_of_plain_experts(numbers, shape.architecture, ledger)
    on_host = engine.kind in WITHOUT_TABLES and request.weight_bytes is not None
    in_host = host_bytes(shape.architecture, numbers) if on_host else 0
    believed(request.weight_bytes, shape.architecture, in_host)
    paging = paging_of(
        request,
        engine,
        shape,
        weights=number_format.id,
        context=context,
        cards=cards,
        world=plan.world,
        parts=plan.split.dp,
        catalog=catalog,
        ledger=ledger,
    )
    draft = draft_of(request, shape, plain, engine=engine, catalog=catalog, ledger=ledger)
    loras = loras_of(request, numbers, engine, ledger)
    shared = shared_of(request, prompt, users, ledger)
    ggml = engine.kind is EngineKind.GGML
    warn_of_unused(request, WITHOUT_EFFECT if ggml else (*WITHOUT_EFFECT, *KINDS), ledger)
    warn_of_length(context, shape, ledger, "Context")
    warn_of_cards(
        cards,
        compute,
        flash=attention is AttentionKernel.FLASH and engine.kind in ON_TORCH,
        ledger=ledger,
        catalog=catalog,
    )
    local_settings = None
    if ggml:
        local_settings = resolve_local(
            request,
            engine,
            shape.architecture,
            users=-(-users // plan.split.dp),
            attention=attention,
            caches=(kv_k, kv_v),
            ledger=ledger,
        )
    rooms = free_bytes(cards, plan.world, catalog)
    split = split_of(plan, Spread(request, engine, shape, numbers, local_settings, rooms, ledger))
    strategy = strategy_of(request, split, engine, ledger)
    warn_of_unequal(request, cards, split, engine, ledger)
    return ServeSetup(
        request=request,
        shape=shape,
        numbers=numbers,
        engine=engine,
        kv_k=kv_k,
        kv_v=kv_v,
        attention=attention,
        context=context,
        prompt=prompt,
        users=users,
        world=split.world,
        strategy=strategy,
        split=split,
        cards=cards,
        assumed=tuple(ledger.assumed),
        warnings=tuple(ledger.warnings),
        paging=paging,
        draft=draft,
        loras=loras,
        shared=shared,
        local=local_settings,
        square_mask=request.mask == "full",
    )


def _context(
    request: ServeRequest, prompt: int | None, images: int, longest: int | None, ledger: Ledger
) -> int:
    bounds = [one for one in (CONTEXT, longest, request.max_model_len) if one is not None]
    default = max(min(bounds), images)
    needed = prompt + (request.new_tokens or 0) if prompt else 0
    if request.context is None and needed:
        ledger.note("context", needed, "prompt and new tokens", "defaults")
        return needed
    if (request.new_tokens or 0) >= default:
        whole = CONTEXT + (request.new_tokens or 0)
        default = min([whole, *(one for one in bounds if one != CONTEXT)])
    why = "a modest window; memory grows with it" if default >= CONTEXT else "the model's own"
    return ledger.take("context", request.context, default, why, "defaults")


def _warn_of_bits(request: ServeRequest, number_format: Format, ledger: Ledger) -> None:
    if request.bpw is not None and not number_format.any_bits:
        ledger.warn(f"`bpw` belongs to EXL2 and EXL3; {number_format.id} has its own bits.")
