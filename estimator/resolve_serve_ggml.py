"""What llama.cpp and Ollama are told: layers and experts on the card, slots, the batch."""

import re

from estimator.architecture import Architecture
from estimator.engine_rows import Engine
from estimator.errors import BadRequest, Contradiction, shown
from estimator.local import Local
from estimator.mixers import LatentAttention
from estimator.mlps import ExpertsMlp
from estimator.request import ServeRequest
from estimator.resolve import Ledger
from estimator.rows import Dtype
from estimator.words import AttentionKernel

KINDS = ("gpu_layers", "cpu_moe_layers", "experts_on_cpu", "ubatch", "slots", "swa_full")
MONTH = re.compile(r"\b(20\d\d)[-./](0[1-9]|1[0-2])\b")
OLLAMA = "ollama"
MANY = 10_000 * 12  # months: later than any release
NEWEST = ("latest", "newest", "master", "main", "head", "nightly")
NUMBERED = re.compile(r"(b|v)?\d+([.-]\d+)*")  # a build or release, of which no month is known here


def resolve_local(
    request: ServeRequest,
    engine: Engine,
    architecture: Architecture,
    *,
    users: int,
    attention: AttentionKernel,
    caches: tuple[Dtype, Dtype],
    ledger: Ledger,
) -> Local:
    """The engine's settings and defaults; raises Contradiction or BadRequest."""
    version = _said_version(request, engine, ledger)
    changes = changes_of(engine, version)
    flash = attention is not AttentionKernel.EAGER
    _refuse_caches(architecture, caches, flash=flash)
    layers, head = _placed(request, architecture, changes, ledger)
    ubatch = ledger.take(
        "ubatch",
        request.ubatch,
        engine.prefill_tokens or 512,
        "tokens of one pass",
        engine.sources[0],
    )
    slots = ledger.take("slots", request.slots, users, "a slot for each user", engine.sources[0])
    if slots < users:
        if request.slots is not None:
            ledger.warn(_too_few(slots, users, engine))
        slots = users if engine.id == OLLAMA else slots
    streams = slots if "streams" in changes else 1
    return Local(
        layers=layers,
        head=head,
        experts_on_host=_experts(request, architecture, ledger),
        ubatch=ubatch,
        slots=slots,
        streams=streams,
        mixed=(mixed := _is_mixed(architecture)),
        windows="windows" in changes and not request.swa_full and mixed,
        latents=_on_latents(request, architecture, changes, ledger),
        projector=_has_projector(request, engine, architecture, ledger),
        changes=changes,
        dated=version is not None,
    )


def _has_projector(
    request: ServeRequest, engine: Engine, architecture: Architecture, ledger: Ledger
) -> bool:
    """Ollama loads the tower with the model (ollama issue 16496), llama.cpp where it is told to."""
    if engine.id == OLLAMA and architecture.tower is not None and not request.images:
        ledger.warn(f"{engine.id} loads the model's tower for images as well, asked or not.")
        return True
    return bool(request.images)


def _too_few(slots: int, users: int, engine: Engine) -> str:
    if engine.id == OLLAMA:
        return f"{users:,} users at once need as many slots, not {slots:,}: {users:,} are counted."
    return f"{users:,} users share {slots:,} slots: the others wait."


def is_local(request: ServeRequest) -> bool:
    """Whether settings are named that only llama.cpp and Ollama have, and no other engine."""
    named = any(getattr(request, name) is not None for name in KINDS)
    return named and request.engine is None


def _said_version(request: ServeRequest, engine: Engine, ledger: Ledger) -> str | None:
    """The version that was named, as far as it tells what holds; raises BadRequest."""
    text = (request.engine_version or "").casefold().strip()
    forks = dict.fromkeys(row.fork for row in engine.changes if row.fork)
    if not text or text in NEWEST or MONTH.search(text) or any(f in text for f in forks):
        return text or None
    known = " or ".join(["a month such as `2025-04`", *(f"`{fork}`" for fork in forks)])
    if NUMBERED.fullmatch(text) and not text.startswith("20"):
        ledger.warn(
            f"When {engine.id} `{shown(text)}` came out is not known here: counted as the newest. "
            f"Say {known}."
        )
        return None
    raise BadRequest("engine_version", f"of {engine.id} is {known}", suggestions=("2025-04",))


def changes_of(engine: Engine, version: str | None) -> frozenset[str]:
    """Ids of what holds at that version: of the newest, where none is said.

    A fork that is named has its own; of a month, `2025-04`, those of that month and before.
    """
    text = (version or "").casefold()
    fork = next((row.fork for row in engine.changes if row.fork and row.fork in text), "")
    said = MONTH.search(text)
    month = _months(*said.groups()) if said else MANY
    return frozenset(
        row.id
        for row in engine.changes
        if row.fork == fork and _months(*row.since.split("-")) <= month
    )


def _months(year: str, month: str) -> int:
    return int(year) * 12 + int(month)


def _placed(
    request: ServeRequest, architecture: Architecture, changes: frozenset[str], ledger: Ledger
) -> tuple[int, bool]:
    """(blocks on the card, whether the head is): the head counts as one layer more."""
    depth, asked = architecture.depth, request.gpu_layers
    if asked is None:
        ledger.note("gpu_layers", "all", "nothing is left to the CPU", "llama-cpp-defaults")
    if asked is None or asked == "all" or asked > depth:
        if isinstance(asked, int) and asked > depth + 1:
            ledger.warn(f"The model has {depth + 1} layers with its head: `ngl {asked}` is all.")
        return depth, True
    if "head_first" in changes:
        return max(0, asked - 1), asked > 0
    return asked, False


def _experts(request: ServeRequest, architecture: Architecture, ledger: Ledger) -> int:
    asked = request.cpu_moe_layers or 0
    if not (asked or request.experts_on_cpu):
        return 0
    field = "cpu_moe_layers" if asked else "experts_on_cpu"
    if not any(isinstance(block.mlp, ExpertsMlp) for _, block in architecture.stack):
        raise Contradiction(
            (field,),
            "The model has no experts to leave on the CPU.",
            suggestions=("ngl 20",),
        )
    if asked > architecture.depth:
        ledger.warn(f"The model has {architecture.depth} blocks: all of their experts are meant.")
    return architecture.depth if request.experts_on_cpu else min(asked, architecture.depth)


def _is_mixed(architecture: Architecture) -> bool:
    """Whether only some layers slide: a model that slides throughout is taken as a plain one."""
    return len({block.attention.window for _, block in architecture.stack}) > 1


def _on_latents(
    request: ServeRequest, architecture: Architecture, changes: frozenset[str], ledger: Ledger
) -> bool:
    if not any(isinstance(block.attention, LatentAttention) for _, block in architecture.stack):
        if request.kv_layout == "mla":
            raise Contradiction(
                ("kv_layout",), "The model has no latent attention.", suggestions=()
            )
        return False
    usual = "mla" if "latents" in changes else "heads"
    why = "what its graph caches"
    return ledger.take("kv_layout", request.kv_layout, usual, why, "llama-cpp-12801") == "mla"


def _refuse_caches(architecture: Architecture, caches: tuple[Dtype, Dtype], *, flash: bool) -> None:
    """Raise for packed values without flash attention, and blocks that do not fit a head."""
    keys, values = caches
    if not values.plain and not flash:
        raise Contradiction(
            ("kv_v", "attention"),
            f"Values in `{values.id}` need flash attention, which is off.",
            suggestions=("kv_v fp16", "flash"),
        )
    for field, dtype, at in (("kv_k", keys, "key"), ("kv_v", values, "value")):
        block = dtype.elements_per_block
        for _, one in architecture.stack:
            width = getattr(one.attention.cached, at)
            if width % block:
                raise BadRequest(
                    field, f"blocks of {block} in `{dtype.id}` do not divide heads of {width}"
                )
