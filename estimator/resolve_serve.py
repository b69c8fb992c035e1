"""The defaults of serving, each listed with its reason and source."""

from estimator.catalog import Catalog
from estimator.errors import BadRequest, Contradiction, Unsupported
from estimator.request import AttentionKernel, ServeRequest, Strategy
from estimator.resolve import (
    Ledger,
    find_dtype,
    find_format,
    numbers_of,
    resolve_cards,
    resolve_shape,
    warn_of_cards,
    warn_of_length,
    warn_of_unused,
)
from estimator.rows import Dtype, Engine, Format
from estimator.setup import ServeSetup, asked_cards
from estimator.units import KIB

WITHOUT_EFFECT = ("group_size", "engine_version", "offload")
CONTEXT = 8 * KIB  # tokens, or the model's own if fewer


def resolve_serve(request: ServeRequest, catalog: Catalog) -> ServeSetup:
    """Look everything up; raises UnknownName, BadRequest, Contradiction or Unsupported."""
    ledger = Ledger()
    _refuse_unsupported(request)
    shape = resolve_shape(request, catalog, ledger)
    name = ledger.take(
        "weights", request.weights, "bf16", "16-bit, as models are published", "defaults"
    )
    number_format, bits = find_format(name, request.bpw, catalog)
    compute = find_dtype(request.compute or number_format.compute, "compute", catalog)
    engine = _engine(request, number_format, catalog, ledger)
    context = _context(request, shape.context, ledger)
    prompt = ledger.take(
        "prompt", request.prompt, context, "a prompt that fills the context", "defaults"
    )
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
    world = request.tp or request.world or max(1, asked_cards(cards))
    if world > 1:
        ledger.note(
            "strategy", "even split", f"weights and cache divided over {world} cards", "defaults"
        )
        if len({entry.card.id for entry in cards}) > 1:
            ledger.warn("Unequal cards: an even split is assumed, so the smallest decides.")
    warn_of_unused(request, WITHOUT_EFFECT, ledger)
    warn_of_length(context, shape, ledger, "Context")
    warn_of_cards(
        cards, compute, flash=attention is AttentionKernel.FLASH, ledger=ledger, catalog=catalog
    )
    if engine.utilisation is not None:
        ledger.warn(
            f"{engine.id} reserves {engine.utilisation:.0%} of the card whatever the model needs; "
            "what is not needed here becomes room for more cache."
        )
    return ServeSetup(
        request=request,
        shape=shape,
        numbers=numbers_of(number_format, bits, compute, catalog),
        engine=engine,
        kv_k=kv_k,
        kv_v=kv_v,
        attention=attention,
        context=context,
        prompt=prompt,
        users=users,
        world=world,
        cards=cards,
        assumed=tuple(ledger.assumed),
        warnings=tuple(ledger.warnings),
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
    if request.gpu_layers not in (None, "all"):
        raise Unsupported(
            "gpu_layers", "I have no estimate yet for layers left on the CPU.", suggestions=("all",)
        )


def _engine(
    request: ServeRequest, number_format: Format, catalog: Catalog, ledger: Ledger
) -> Engine:
    gguf = number_format.id.startswith("gguf:")
    why = "GGUF is llama.cpp's format" if gguf else f"usual for {number_format.id}"
    name = ledger.take("engine", request.engine, number_format.engine, why, "defaults")
    engine = catalog.engines.find(name)
    if gguf and engine.id not in ("llama.cpp", "ollama"):
        raise Contradiction(
            ("engine", "weights"),
            f"`{number_format.id}` runs on llama.cpp and Ollama, not on {engine.id}.",
            suggestions=("llama.cpp", "ollama"),
        )
    return engine


def _context(request: ServeRequest, longest: int | None, ledger: Ledger) -> int:
    default = CONTEXT if longest is None else min(CONTEXT, longest)
    needed = (request.prompt or 0) + (request.new_tokens or 0)
    if request.context is None and needed:
        ledger.note("context", needed, "prompt and new tokens", "defaults")
        return needed
    why = "a modest window; memory grows with it" if default == CONTEXT else "the model's own"
    return ledger.take("context", request.context, default, why, "defaults")


def _kv(
    request: ServeRequest, compute: Dtype, catalog: Catalog, ledger: Ledger
) -> tuple[Dtype, Dtype]:
    both = request.kv
    if both is None and request.kv_k is None and request.kv_v is None:
        ledger.note("kv", compute.id, "the cache is kept in the type computed in", "defaults")
    key = catalog.dtypes.find(request.kv_k or both or compute.id)
    value = catalog.dtypes.find(request.kv_v or both or compute.id)
    for dtype in (key, value):
        if dtype.elements_per_block > KIB:
            raise BadRequest("kv", f"`{dtype.id}` is no type a cache is kept in")
    return key, value
