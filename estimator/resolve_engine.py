"""Which engine serves, in what it holds the weights, and what it cannot hold."""

from collections.abc import Sequence
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.errors import Contradiction, EstimatorError
from estimator.gpu_rows import Gpu
from estimator.held_as import Capability, held_as, least_card
from estimator.refusals_of_caches import NEAREST, kept_cache
from estimator.refusals_of_engines import (
    nearest,
    refuse_cards,
    refuse_format,
    refuse_model,
)
from estimator.request import ServeRequest
from estimator.resolve import Ledger, usual_weights
from estimator.resolve_experts import MXFP4, MXFP4_FILE, published_as
from estimator.resolve_serve_ggml import is_local
from estimator.rows import Dtype, Format
from estimator.setup import Numbers
from estimator.tensors import Role
from estimator.units import show_count

PLAIN = ("fp32", "bf16", "fp16")  # formats that any engine runs
INSTEAD = ("llama.cpp", "transformers", "exllamav2", "mlx")  # engines for other types of a cache


def named_format(
    request: ServeRequest, cards: Sequence[Cards], catalog: Catalog, ledger: Ledger
) -> tuple[str, ServeRequest]:
    """The format that is meant, and the request with its bits a weight."""
    if request.weights is not None:
        return request.weights, request
    name, why, source = _usual_format(request, cards, catalog)
    ledger.note("weights", name, why, source)
    row = catalog.formats.find(name)
    engine = catalog.engines.find(request.engine or row.engine)
    if row.any_bits and request.bpw is None and engine.usual_bpw:
        bits = engine.usual_bpw
        ledger.note("bpw", f"{bits:g}", f"as in {engine.id}'s examples", row.sources[0])
        request = request.model_copy(update={"bpw": bits})
    return name, request


def _usual_format(
    request: ServeRequest, cards: Sequence[Cards], catalog: Catalog
) -> tuple[str, str, str]:
    """The format where none is named, why, and who says so."""
    implied = request.engine or _implied(request, cards, catalog)
    engine = catalog.engines.find(implied) if implied else None
    published, source = published_as(request, catalog)
    if engine is not None and engine.kind is EngineKind.GGML and request.architecture is None:
        if published in MXFP4:
            return MXFP4_FILE, "its makers publish MXFP4, and so do its files", source
        why = "what Ollama pulls, and most run, unless told otherwise"
        return "gguf:Q4_K_M", why, "ollama-tags"
    if published is not None:
        runs = engine or catalog.engines.find(catalog.formats.find(published).engine)
        if runs.runs_format(published):
            return published, "as its makers publish it", source
    if engine is not None and engine.usual is not None:
        return engine.usual, f"what {engine.id} is for", engine.sources[-1]
    why = "16-bit, as models are published"
    return usual_weights(request, why if published is None else "unpacked to 16 bits")


def _implied(request: ServeRequest, cards: Sequence[Cards], catalog: Catalog) -> str | None:
    """The engine that settings, a cache's type or the cards imply where none is named."""
    if is_local(request):
        return "llama.cpp"
    asked = _caches(request, catalog)
    usual = "mlx" if _of_apple(cards) else "vllm"
    if asked - set(PLAIN) - set(catalog.engines.find(usual).caches):
        names = ("llama.cpp",) if usual == "mlx" else INSTEAD
        keeps = [name for name in names if asked <= {*catalog.engines.find(name).caches, *PLAIN}]
        return keeps[0] if keeps else None
    return "mlx" if _of_apple(cards) else None


def _of_apple(cards: Sequence[Cards]) -> bool:
    return bool(cards) and all(
        isinstance(entry.card, Gpu) and entry.card.vendor == "apple" for entry in cards
    )


def _caches(request: ServeRequest, catalog: Catalog) -> set[str]:
    """Types of a cache that were asked for."""
    named = (request.kv, request.kv_k, request.kv_v)
    return {catalog.dtypes.find(name).id for name in named if name is not None}


def as_file(name: str, request: ServeRequest, catalog: Catalog, ledger: Ledger) -> str:
    """MXFP4 on llama.cpp is a GGUF file with such experts."""
    named = request.engine or ("llama.cpp" if is_local(request) else None)
    if name not in MXFP4 or named is None:
        return name
    engine = catalog.engines.find(named)
    if engine.kind is not EngineKind.GGML:
        return name
    ledger.note("weights", MXFP4_FILE, f"the file that {engine.id} runs", engine.sources[0])
    return MXFP4_FILE


def engine_of(
    request: ServeRequest,
    number_format: Format,
    architecture: Architecture,
    *,
    cards: Sequence[Cards],
    catalog: Catalog,
    ledger: Ledger,
) -> Engine:
    """The engine that was named, or the usual one; raises Contradiction for what it cannot hold."""
    name = number_format.id
    why = "GGUF is llama.cpp's format" if name.startswith("gguf:") else f"usual for {name}"
    asked = _Asked(request, number_format, architecture, cards, catalog)
    usual, changed = _usual_engine(asked)
    chosen = ledger.take("engine", request.engine, usual, changed or why, "defaults")
    engine = catalog.engines.find(chosen)
    refuse_format(number_format, engine, request.engine_version, catalog, ledger)
    refuse_model(architecture, engine)
    refuse_cards(engine, cards, ledger)
    if name == "exl3":
        ledger.warn("EXL3 runs on ExLlamaV3: its buffers are counted as ExLlamaV2's.")
    return engine


class _Asked(NamedTuple):
    """What an engine is to run."""

    request: ServeRequest
    format: Format
    architecture: Architecture
    cards: Sequence[Cards]
    catalog: Catalog


def _usual_engine(asked: _Asked) -> tuple[str, str]:
    """The format's engine, or another that runs it where that cannot; and why it is another."""
    first = asked.format.engine
    tries = [(first, "")]
    if is_local(asked.request):
        tries.insert(0, ("llama.cpp", "its settings are named"))
    if _of_apple(asked.cards):
        tries.insert(0, ("mlx", "runs on Apple's chips"))
    why = f"runs what {first} does not"
    instead = INSTEAD if _caches(asked.request, asked.catalog) else ("transformers",)
    tries += [(name, why) for name in instead]
    for name, reason in tries:
        if _takes(asked.catalog.engines.find(name), asked):
            return name, reason
    return first, ""


def _takes(engine: Engine, asked: _Asked) -> bool:
    """Whether the engine runs all of it, asked without saying why not."""
    request, number_format = asked.request, asked.format
    if not engine.runs_format(number_format.id):
        return False
    compute = request.compute or number_format.compute
    try:
        refuse_model(asked.architecture, engine)
        refuse_cards(engine, asked.cards, Ledger())
        for name in _caches(request, asked.catalog):
            version = request.engine_version
            kept_cache(name, engine, version, compute, asked.catalog, cards=asked.cards)
    except EstimatorError:
        return False
    return True


def kept_as(
    number_format: Format,
    bits: Dtype | None,
    *,
    request: ServeRequest,
    engine: Engine,
    cards: Sequence[Cards],
    catalog: Catalog,
    ledger: Ledger,
) -> tuple[Format, Dtype | None]:
    """What the engine holds the weights as on the card of least compute capability."""
    least = least_card(cards, catalog)
    capability = None if least is None else least.capability
    kept = held_as(number_format, engine, capability)
    if least is not None and kept.needs is not None:
        version = ".".join(map(str, kept.needs))
        raise Contradiction(
            ("weights", "gpus"),
            f"{engine.id} runs `{number_format.id}` from compute capability {version} on; "
            f"{least.name} has {least.compute_capability}.",
            suggestions=_instead(request, number_format, engine, capability, catalog),
        )
    if kept.warning is not None:
        ledger.warn(kept.warning)
    if kept.format == number_format.id:
        return number_format, bits
    return catalog.formats.find(kept.format), None


def _instead(
    request: ServeRequest,
    number_format: Format,
    engine: Engine,
    capability: Capability | None,
    catalog: Catalog,
) -> tuple[str, ...]:
    """What goes where a card is too old for a format: first what needs least memory.

    llama.cpp takes any card, and a file of a model that was asked about without a format.
    Experts that are published in MXFP4 stay so there alone: linears' formats leave them wide.
    """
    if number_format.id in MXFP4:
        return "llama.cpp", MXFP4_FILE.removeprefix("gguf:"), "fp16"
    near = nearest(number_format, engine, catalog, capability)
    local = () if request.weights else ("llama.cpp",)
    return tuple(dict.fromkeys((*local, "Q8_0", "fp16", near)))


def caches_kept(
    request: ServeRequest,
    engine: Engine,
    compute: Dtype,
    *,
    cards: Sequence[Cards],
    catalog: Catalog,
    ledger: Ledger,
) -> tuple[Dtype, Dtype]:
    """Types of keys and of values; raises Contradiction for what the engine does not keep."""
    key, value = request.kv_k or request.kv, request.kv_v or request.kv
    why = "the cache is kept in the type computed in"
    if key is None and value is None:
        ledger.note("kv", compute.id, why, "defaults")
    elif key is None or value is None:
        ledger.note("kv_k" if key is None else "kv_v", compute.id, why, "defaults")
    if request.kv is not None and request.kv not in (key, value):
        ledger.warn(f"`kv` is left aside: keys are in `{key}`, values in `{value}`.")
    kept: list[Dtype] = []
    for own, name in (("kv_k", key), ("kv_v", value)):
        if name is None:
            kept.append(compute)
            continue
        field = own if getattr(request, own) is not None else "kv"
        version = request.engine_version
        dtype = kept_cache(
            name,
            engine,
            version,
            compute.id,
            catalog,
            field=field,
            cards=cards,
            named=request.engine is not None,
        )
        if dtype.id != catalog.dtypes.find(name).id and (field != "kv" or not kept):
            ledger.warn(
                f"{engine.id} keeps a cache in `{dtype.id}` where `{name}` was asked for: "
                + ("the nearest that it has." if name in NEAREST else "it has as many bits.")
            )
        kept.append(dtype)
    return kept[0], kept[1]


def warn_of_plain_experts(numbers: Numbers, architecture: Architecture, ledger: Ledger) -> None:
    """Say where most of a packed model stays unpacked, since its experts are fused."""
    if not numbers.format.quantised or numbers.expert.id not in PLAIN:
        return
    experts = sum(t.parameters for t in architecture.tensors if t.role is Role.EXPERT)
    if experts:
        ledger.warn(
            f"{show_count(experts)} of {show_count(architecture.parameters)} parameters stay in "
            f"{numbers.expert.id}: `{numbers.format.id}` packs linears, not fused experts."
        )
