"""The defaults of serving, each listed with its reason and source."""

from collections.abc import Sequence
from dataclasses import replace

from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.errors import BadRequest, Contradiction, Unsupported
from estimator.held_as import held_as
from estimator.published import as_published, file_bytes
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
    usual_weights,
    warn_of_cards,
    warn_of_length,
    warn_of_unused,
)
from estimator.resolve_beside import draft_of, loras_of, shared_of
from estimator.resolve_parts import image_tokens
from estimator.resolve_serve_ggml import KINDS, is_local, resolve_local
from estimator.resolve_serve_paged import paging_of
from estimator.rows import Dtype, Format
from estimator.setup import Cards, ServeSetup, Shape
from estimator.units import KIB
from estimator.words import AttentionKernel, Strategy

WITHOUT_EFFECT = ("offload",)
LOCAL = ("llama.cpp", "ollama")
PLAIN = ("fp32", "bf16", "fp16")  # formats that any engine runs
CONTEXT = 8 * KIB  # tokens, or the model's own if fewer


def resolve_serve(request: ServeRequest, catalog: Catalog) -> ServeSetup:
    """Look everything up; raises UnknownName, BadRequest, Contradiction or Unsupported."""
    ledger = Ledger()
    _refuse_unsupported(request)
    shape = resolve_shape(request, catalog, ledger)
    usual = usual_weights(request, "16-bit, as models are published")
    local = is_local(request) or (
        request.engine and catalog.engines.find(request.engine).id in LOCAL
    )
    if local and request.architecture is None:
        usual = (
            "gguf:Q4_K_M",
            "what Ollama pulls, and most run, unless told otherwise",
            "ollama-tags",
        )
    name = ledger.take("weights", request.weights, *usual)
    number_format, bits = find_format(name, request, shape.architecture, catalog, ledger)
    compute = find_dtype(request.compute or number_format.compute, "compute", catalog)
    engine = _engine(request, number_format, catalog, ledger)
    shape = as_published(shape, number_format, catalog, ledger)
    images = image_tokens(request, shape, ledger)
    read = None if request.prompt is None else request.prompt + images
    context = _context(request, read, shape.context, ledger)
    room = max(1, context - (request.new_tokens or 0))
    prompt = ledger.take("prompt", read, room, "a prompt that fills the context", "defaults")
    if prompt + (request.new_tokens or 0) > context:
        raise Contradiction(
            ("prompt", "new_tokens", "context"),
            f"A prompt of {prompt:,} and {request.new_tokens or 0:,} new tokens do not fit "
            f"into a context of {context:,}.",
            suggestions=(f"ctx {prompt + (request.new_tokens or 0)}",),
        )
    users = ledger.take("users", request.users, 1, "one conversation at a time", "defaults")
    kv_k, kv_v = _kv(request, compute, catalog, ledger)
    attention = ledger.take(
        "attention",
        request.attention,
        AttentionKernel.FLASH,
        "the score matrix is never held",
        "defaults",
    )
    cards = resolve_cards(request.gpus, catalog)
    every = resolve_world(request, cards)
    cards = spread(cards, max(every, request.tp or 1), ledger)
    world, strategy = _split(request, every, engine, _heads(shape, catalog), ledger)
    if len({entry.card.id for entry in cards}) > 1:
        ledger.warn("Unequal cards: an even split is assumed, so the smallest decides.")
    _warn_of_bits(request, number_format, ledger)
    number_format, bits = _kept(
        number_format, bits, engine=engine, cards=cards, catalog=catalog, ledger=ledger
    )
    given, source = file_bytes(request.weight_bytes, shape, number_format, catalog)
    numbers = replace(
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
    paging = paging_of(
        request,
        engine,
        shape,
        context=context,
        cards=cards,
        world=world,
        catalog=catalog,
        ledger=ledger,
    )
    draft = draft_of(request, shape, numbers, engine=engine, catalog=catalog, ledger=ledger)
    loras = loras_of(request, numbers, engine, ledger)
    shared = shared_of(request, prompt, users, ledger)
    ggml = engine.kind is EngineKind.GGML
    warn_of_unused(request, WITHOUT_EFFECT if ggml else (*WITHOUT_EFFECT, *KINDS), ledger)
    warn_of_length(context, shape, ledger, "Context")
    warn_of_cards(
        cards, compute, flash=attention is AttentionKernel.FLASH, ledger=ledger, catalog=catalog
    )
    local_settings = None
    if ggml:
        local_settings = resolve_local(
            request,
            engine,
            shape.architecture,
            users=users,
            attention=attention,
            caches=(kv_k, kv_v),
            ledger=ledger,
        )
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
        world=world,
        strategy=strategy,
        cards=cards,
        assumed=tuple(ledger.assumed),
        warnings=tuple(ledger.warnings),
        paging=paging,
        draft=draft,
        loras=loras,
        shared=shared,
        local=local_settings,
        all_logits=_all_logits(request, engine),
        square_mask=request.mask == "full",
    )


def _refuse_unsupported(request: ServeRequest) -> None:
    if request.strategy not in (None, Strategy.SINGLE, Strategy.TP, Strategy.DEVICE_MAP):
        raise Unsupported(
            "strategy",
            f"I have no estimate yet for serving under `{request.strategy}`.",
            suggestions=("tp",),
        )
    for split in ("cp", "ep", "dp", "pp"):
        if (getattr(request, split) or 1) > 1:
            raise Unsupported(split, f"I have no estimate yet for serving split by `{split}`.")


def _engine(
    request: ServeRequest, number_format: Format, catalog: Catalog, ledger: Ledger
) -> Engine:
    gguf = number_format.id.startswith("gguf:")
    why = "GGUF is llama.cpp's format" if gguf else f"usual for {number_format.id}"
    usual = number_format.engine
    if is_local(request) and number_format.id in PLAIN:
        usual, why = "llama.cpp", "its settings are named"
    caches = {request.kv, request.kv_k, request.kv_v}
    if caches & set(catalog.engines.find(usual).cannot_cache):
        usual = "llama.cpp" if number_format.id in PLAIN else "transformers"
        why = "keeps a cache of such blocks"
    name = ledger.take("engine", request.engine, usual, why, "defaults")
    engine = catalog.engines.find(name)
    if gguf and engine.id not in ("llama.cpp", "ollama"):
        raise Contradiction(
            ("engine", "weights"),
            f"`{number_format.id}` runs on llama.cpp and Ollama, not on {engine.id}.",
            suggestions=("llama.cpp", "ollama"),
        )
    _refuse_impossible(request, number_format, engine)
    return engine


def _refuse_impossible(request: ServeRequest, number_format: Format, engine: Engine) -> None:
    """Raise Contradiction for weights, and types of a cache, that the engine does not hold."""
    if number_format.id in engine.cannot_run:
        local = (f"Q4_K_M {engine.id}",) if engine.id in LOCAL else ()
        raise Contradiction(
            ("engine", "weights"),
            f"{engine.id} does not run `{number_format.id}`.",
            suggestions=(*local, number_format.id),
        )
    for name in ("kv", "kv_k", "kv_v"):
        if getattr(request, name) in engine.cannot_cache:
            raise Contradiction(
                ("engine", name),
                f"{engine.id} keeps no cache in `{getattr(request, name)}`.",
                suggestions=(f"{engine.id}, {name.replace('_', ' ')} {_cache_of(engine)}",),
            )


def _cache_of(engine: Engine) -> str:
    """A small type that the engine does keep a cache in."""
    return "Q8_0" if engine.id in LOCAL else "fp8"


def _context(request: ServeRequest, prompt: int | None, longest: int | None, ledger: Ledger) -> int:
    bounds = [one for one in (CONTEXT, longest, request.max_model_len) if one is not None]
    default = min(bounds)
    needed = prompt + (request.new_tokens or 0) if prompt else 0
    if request.context is None and needed:
        ledger.note("context", needed, "prompt and new tokens", "defaults")
        return needed
    why = "a modest window; memory grows with it" if default == CONTEXT else "the model's own"
    return ledger.take("context", request.context, default, why, "defaults")


def _kv(
    request: ServeRequest, compute: Dtype, catalog: Catalog, ledger: Ledger
) -> tuple[Dtype, Dtype]:
    key, value = request.kv_k or request.kv, request.kv_v or request.kv
    why = "the cache is kept in the type computed in"
    if key is None and value is None:
        ledger.note("kv", compute.id, why, "defaults")
    elif key is None or value is None:
        ledger.note("kv_k" if key is None else "kv_v", compute.id, why, "defaults")
    key_dtype = catalog.dtypes.find(key or compute.id)
    value_dtype = catalog.dtypes.find(value or compute.id)
    for dtype in (key_dtype, value_dtype):
        if dtype.elements_per_block > KIB:
            raise BadRequest("kv", f"`{dtype.id}` is no type a cache is kept in")
    return key_dtype, value_dtype


def _heads(shape: Shape, catalog: Catalog) -> tuple[int, ...]:
    """Query heads of the model's kinds of attention; none of a shape that is interpolated."""
    if shape.typed is not None and catalog.models.get(shape.name) is None:
        return ()
    blocks = [block for _, block in shape.architecture.stack]
    return tuple(sorted({block.attention.query_heads for block in blocks}))


def _split(
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


def _all_logits(request: ServeRequest, engine: Engine) -> bool:
    """Whether all of a prompt's tokens get logits: as asked, or as the engine's version does."""
    if request.prefill_logits is not None:
        return request.prefill_logits == "all"
    return engine.all_logits


def _kept(
    number_format: Format,
    bits: Dtype | None,
    *,
    engine: Engine,
    cards: Sequence[Cards],
    catalog: Catalog,
    ledger: Ledger,
) -> tuple[Format, Dtype | None]:
    """What the engine holds the weights as on the card of least compute capability."""
    named = [catalog.gpus.get(entry.card.id) for entry in cards]
    known = [gpu.capability for gpu in named if gpu is not None and gpu.capability is not None]
    kept = held_as(number_format, engine.id, min(known, default=None))
    if kept.warning is not None:
        ledger.warn(kept.warning)
    if kept.format == number_format.id:
        return number_format, bits
    return catalog.formats.find(kept.format), None


def _warn_of_bits(request: ServeRequest, number_format: Format, ledger: Ledger) -> None:
    if request.bpw is not None and not number_format.any_bits:
        ledger.warn(f"`bpw` belongs to EXL2 and EXL3; {number_format.id} has its own bits.")
