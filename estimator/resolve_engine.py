"""Which engine serves, in what it holds the weights, and what it cannot hold."""

from collections.abc import Sequence

from estimator.catalog import Catalog
from estimator.engine_rows import Engine
from estimator.errors import Contradiction
from estimator.held_as import held_as
from estimator.request import ServeRequest
from estimator.resolve import Ledger, usual_weights
from estimator.resolve_serve_ggml import is_local
from estimator.rows import Dtype, Format
from estimator.setup import Cards

LOCAL = ("llama.cpp", "ollama")
PLAIN = ("fp32", "bf16", "fp16")  # formats that any engine runs


def usual_format(request: ServeRequest, catalog: Catalog) -> tuple[str, str, str]:
    """The format where none is named, why, and who says so."""
    local = is_local(request) or (
        request.engine and catalog.engines.find(request.engine).id in LOCAL
    )
    if local and request.architecture is None:
        why = "what Ollama pulls, and most run, unless told otherwise"
        return "gguf:Q4_K_M", why, "ollama-tags"
    return usual_weights(request, "16-bit, as models are published")


def engine_of(
    request: ServeRequest, number_format: Format, catalog: Catalog, ledger: Ledger
) -> Engine:
    """The engine that was named, or the usual one; raises Contradiction for what it cannot hold."""
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


def kept_as(
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
