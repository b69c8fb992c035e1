"""What is served beside a model: a draft that guesses ahead, adapters, a common beginning."""

from dataclasses import replace

from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.errors import BadRequest, Contradiction
from estimator.paging import Loras
from estimator.published import file_bytes
from estimator.request import ServeRequest
from estimator.resolve import Ledger, find_format, numbers_of, resolve_shape
from estimator.resolve_experts import keeps_experts
from estimator.setup import Companion, Numbers, Shape

RANK = 16  # vLLM's max_lora_rank, and the usual one
MOST_SLOTS_RANK = 512


def draft_of(
    request: ServeRequest,
    shape: Shape,
    numbers: Numbers,
    *,
    engine: Engine,
    catalog: Catalog,
    ledger: Ledger,
) -> Companion | None:
    """The draft model; raises Contradiction where an engine does not take it for this model.

    `numbers`: the format's own, before experts of this model stay as they are published.
    """
    if request.draft is None:
        if request.draft_weights is not None:
            raise BadRequest("draft_weights", "belongs to `draft`: which model guesses ahead")
        return None
    own = request.model_copy(update={"model": request.draft, "architecture": None})
    draft = resolve_shape(own, catalog, ledger)
    words = (shape.architecture.vocabulary, draft.architecture.vocabulary)
    if words[0] != words[1]:
        _refuse_other_words(request, words, engine, ledger)
    if draft.architecture.parameters >= shape.architecture.parameters:
        ledger.warn(
            f"The draft model {draft.name} is no smaller than {shape.name}: guessing ahead "
            "with it saves no time."
        )
    if request.draft_weights is None:
        ledger.note("draft_weights", numbers.format.id, "as the model's own", "defaults")
        held = replace(numbers, given_bytes=None)
    else:
        same = request.draft_weights == numbers.format.id
        alone = request if same else request.model_copy(update={"bpw": None, "group_size": None})
        chosen, bits = find_format(
            request.draft_weights, alone, draft.architecture, catalog, ledger
        )
        compute = catalog.dtypes.find(chosen.compute)
        held = numbers_of(chosen, bits, compute, catalog, packs_head=engine.packs_head)
    held = keeps_experts(held, own, engine, catalog, ledger)
    given, source = file_bytes(None, draft, held.format, catalog)
    return Companion("draft", draft, replace(held, given_bytes=given, given_source=source))


def _refuse_other_words(
    request: ServeRequest, words: tuple[int, int], engine: Engine, ledger: Ledger
) -> None:
    sizes = f"{words[1]:,} words in its vocabulary, the model {words[0]:,}"
    if engine.kind is EngineKind.PAGED:
        raise Contradiction(
            ("draft",),
            f"{engine.id} wants a draft with the model's vocabulary: {request.draft} has {sizes}.",
        )
    ledger.warn(f"The draft model has {sizes}; its guesses are translated, if the engine can.")


def loras_of(
    request: ServeRequest, numbers: Numbers, engine: Engine, ledger: Ledger
) -> Loras | None:
    """Adapters on the card at once; a rank alone is of one."""
    if request.lora_adapters is None and request.rank is None:
        return None
    count = ledger.take("lora_adapters", request.lora_adapters, 1, "one at a time", "vllm-lora")
    rank = ledger.take("rank", request.rank, RANK, "vLLM's `max_lora_rank`", "vllm-lora")
    if engine.kind is EngineKind.PAGED:
        if rank > MOST_SLOTS_RANK:
            raise Contradiction(
                ("rank", "engine"),
                f"{engine.id} has no slots for adapters of rank {rank}.",
                suggestions=(f"rank {MOST_SLOTS_RANK}",),
            )
        if count > 1:
            ledger.warn(
                f"All {count} adapters are counted on the card; {engine.id} keeps one there unless "
                "it is told otherwise (`--max-loras`), and the others in the host's memory."
            )
    return Loras(count, rank, numbers.compute)


def shared_of(request: ServeRequest, prompt: int, users: int, ledger: Ledger) -> int:
    """Tokens that all prompts begin with; raises Contradiction where they are longer than one."""
    if request.shared_prefix is None:
        return 0
    if request.shared_prefix > prompt:
        raise Contradiction(
            ("shared_prefix", "prompt"),
            f"Prompts of {prompt:,} tokens do not share {request.shared_prefix:,}.",
            suggestions=(f"shared prefix {prompt}",),
        )
    if users == 1:
        ledger.warn("One user shares a prefix with nobody.")
    return request.shared_prefix
