"""Defaults of servers with a cache in pages: by engine, version and card."""

from collections.abc import Sequence

from estimator.card_total import total_bytes
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.engine_versions import EngineVersion, release
from estimator.errors import BadRequest, Contradiction, Unsupported
from estimator.gpu_rows import CardClass
from estimator.mixers import LatentAttention
from estimator.paging import Paging
from estimator.request import ServeRequest
from estimator.resolve import Ledger, warn_of_unused
from estimator.setup import Shape
from estimator.units import GIB, KIB

FIELDS = ("utilization", "max_batched_tokens", "max_num_seqs", "max_model_len", "enforce_eager")
LARGE_CARD, LARGEST_CARD = 70 * GIB, 160 * GIB  # from where vLLM takes wider steps
STEP, STEP_LARGE, STEP_LARGEST = 2 * KIB, 8 * KIB, 16 * KIB
SEQUENCES, SEQUENCES_LARGE = KIB // 4, KIB
SLOWER = "A100"  # the card that vLLM spares wide steps
SOURCE = "vllm-batch-defaults"
# SGLang: (cards below so many GiB, tokens of a chunk, sequences of graphs, and of 4 cards or more)
CHUNKS = (
    (20, 2 * KIB, 8, 8),
    (35, 4 * KIB, 48, 160),
    (60, 4 * KIB, 32, 160),
    (160, 8 * KIB, 256, 512),
)
CHUNK_LARGEST = (16 * KIB, 512)
MANY_CARDS = 4
TRT_SEQUENCES = 2 * KIB
SHORTEST_STEP = 1


def paging_of(
    request: ServeRequest,
    engine: Engine,
    shape: Shape,
    *,
    weights: str,
    context: int,
    cards: Sequence[Cards],
    world: int,
    parts: int,
    catalog: Catalog,
    ledger: Ledger,
) -> Paging | None:
    """How the server is started; none of engines without pages. `parts`: that share the users."""
    if engine.kind is not EngineKind.PAGED:
        told_apart = engine.kind in (EngineKind.GGML, EngineKind.TRANSFORMERS)
        warn_of_unused(request, FIELDS if told_apart else (*FIELDS, "engine_version"), ledger)
        return None
    version = _version(request, engine, shape, weights, ledger)
    smallest = _smallest(cards, catalog)
    step, sequences, source = _sizes(engine, version, smallest, world)
    of_card = smallest[0] if smallest else "a card below 70 GiB"
    why = f"{engine.id}'s on {of_card}"
    tokens = ledger.take("max_batched_tokens", request.max_batched_tokens, step, why, source)
    at_once = ledger.take("max_num_seqs", request.max_num_seqs, sequences, why, source)
    longest = request.max_model_len or context
    _check(request, engine, context, tokens, at_once)
    _warn(request, engine, shape, at_once * parts, ledger)
    return Paging(
        version=version,
        step_tokens=tokens,
        sequences=min(at_once, tokens),
        longest=longest,
        share=request.utilization,
        graphs=not request.enforce_eager,
    )


def _version(
    request: ServeRequest, engine: Engine, shape: Shape, weights: str, ledger: Ledger
) -> EngineVersion | None:
    """The newest row that is not newer than the version that was named.

    Where none was, the newest that still runs `weights`.

    Older ones are counted as the oldest; not where a model has latent attention, whose keys and
    values they kept head by head (vLLM keeps latents since 0.7).
    """
    if not engine.versions:
        warn_of_unused(request, ("engine_version",), ledger)
        return None
    newest, why = _newest(engine, weights)
    name = ledger.take(
        "engine_version", request.engine_version, newest.since, why, newest.sources[0]
    )
    number = release(name)
    if not number:
        raise BadRequest(
            "engine_version", "is a number such as `0.11`", suggestions=(newest.since,)
        )
    older = [row for row in engine.versions if release(row.since) <= number]
    if not older:
        oldest = engine.versions[0]
        if any(
            isinstance(block.attention, LatentAttention) for _, block in shape.architecture.stack
        ):
            raise Unsupported(
                "engine_version",
                f"{engine.id} {name} is older than what is known of it, and kept other caches of "
                f"{shape.name} than {oldest.since} does: I have no estimate of them.",
                suggestions=(oldest.since,),
            )
        ledger.warn(
            f"{engine.id} {name} is older than what is known of it, and counted as {oldest.since}."
        )
        return oldest
    return older[-1]


def _newest(engine: Engine, weights: str) -> tuple[EngineVersion, str]:
    """The newest row of a version that runs `weights`, and why it is taken."""
    dropped = engine.dropped(weights)
    if dropped is None:
        return engine.versions[-1], "the newest known"
    older = [row for row in engine.versions if release(row.since) < release(dropped)]
    return older[-1], f"the last that runs {weights}"


def _smallest(cards: Sequence[Cards], catalog: Catalog) -> tuple[str, int] | None:
    """Name and bytes of the smallest card that was asked about."""
    found = [
        (card.name, total_bytes(card, catalog.card_use))
        for entry in cards
        for card in (
            catalog.class_members(entry.card)
            if isinstance(entry.card, CardClass)
            else (entry.card,)
        )
    ]
    return min(found, key=lambda one: one[1], default=None)


def _sizes(
    engine: Engine, version: EngineVersion | None, card: tuple[str, int] | None, world: int
) -> tuple[int, int, str]:
    """(tokens of a step, sequences at once, source)."""
    name, size = card or ("", 0)
    if engine.id == "sglang":
        for below, tokens, few, many in CHUNKS:
            if size < below * GIB:
                return tokens, many if world >= MANY_CARDS else few, "sglang-memory"
        return (*CHUNK_LARGEST, "sglang-memory")
    if version is None:
        return engine.prefill_tokens or STEP_LARGE, TRT_SEQUENCES, engine.sources[0]
    spared = SLOWER in name and version.spares_a100
    if size < LARGE_CARD or spared:
        return STEP, SEQUENCES, SOURCE
    widest = size >= LARGEST_CARD and version.widest_step
    return STEP_LARGEST if widest else STEP_LARGE, SEQUENCES_LARGE, SOURCE


def _check(
    request: ServeRequest, engine: Engine, context: int, tokens: int, sequences: int
) -> None:
    """Raise Contradiction for settings that the engine does not start with."""
    if request.max_model_len is not None and context > request.max_model_len:
        raise Contradiction(
            ("context", "max_model_len"),
            f"A context of {context:,} is more than the longest request, "
            f"{request.max_model_len:,}.",
            suggestions=(f"ctx {request.max_model_len}",),
        )
    if tokens < sequences and request.max_num_seqs is not None:
        raise Contradiction(
            ("max_batched_tokens", "max_num_seqs"),
            f"{engine.id} wants at least one token of a step for each sequence: "
            f"{tokens:,} are fewer than {sequences:,}.",
            suggestions=(f"max num batched tokens {sequences}",),
        )


def _warn(
    request: ServeRequest, engine: Engine, shape: Shape, sequences: int, ledger: Ledger
) -> None:
    """Of users who wait, and of requests beyond what the model was made for."""
    limited = engine.id != "sglang" or request.max_num_seqs is not None  # else graphs alone are
    if limited and request.users is not None and request.users > sequences:
        ledger.warn(
            f"{request.users:,} users are more than {engine.id} runs at once, {sequences:,}: the "
            "others wait. Raise `max_num_seqs`."
        )
    if shape.context and request.max_model_len and request.max_model_len > shape.context:
        ledger.warn(
            f"The longest request, {request.max_model_len:,}, is beyond the model's own "
            f"{shape.context:,}."
        )
