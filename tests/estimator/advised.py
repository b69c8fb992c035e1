"""Questions that do not fit, and a search for what would that leaves nothing out."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

from estimator import (
    Advice,
    Answer,
    EstimatorError,
    Request,
    Verdict,
    advise_on,
    answer,
    load_catalog,
    parse_request,
)
from estimator.advise import _changes
from estimator.changes import Change
from estimator.combining import TOGETHER, cost
from estimator.reservation import holds as room_in
from estimator.setup import ServeSetup

CATALOG = load_catalog()
Question = dict[str, Any]

TRAINED: dict[str, Question] = {
    "full": {"method": "full"},
    "full, 1k": {"method": "full", "seq": 1024, "checkpointing": "none"},
    "lora": {"method": "lora", "batch": 4},
    "lora, foreach": {"method": "lora", "optimizer": "adamw_foreach", "attention": "eager"},
    "qlora": {"method": "qlora", "batch": 2, "seq": 4096},
    "dora, no checkpoints": {"method": "dora", "checkpointing": "none", "rank": 64},
    "dpo": {"method": "lora", "objective": "dpo", "batch": 2},
    "dpo, full": {"method": "full", "objective": "dpo"},
    "grpo": {"method": "lora", "objective": "grpo"},
}
SERVED: dict[str, Question] = {
    "plain": {},
    "long": {"context": 32768},
    "many": {"users": 8, "context": 4096},
    "q4": {"weights": "gguf:Q4_K_M", "context": 32768},
    "ollama": {"engine": "ollama", "users": 4},
    "awq on vllm": {"engine": "vllm", "weights": "awq4", "users": 16},
    "transformers": {"engine": "transformers", "prefill_logits": "all", "attention": "eager"},
    "exl2": {"engine": "exllamav2", "weights": "exl2", "bpw": 6.0, "context": 32768},
}
TRAINED_ON = (
    ("meta-llama/Llama-3.2-1B", "class-8gb", 1),
    ("Qwen/Qwen2.5-3B", "rtx-3060-12gb", 1),
    ("7B", "rtx-4090", 1),
    ("google/gemma-2-9b", "class-24gb", 1),
    ("Qwen/Qwen2.5-14B", "rtx-3090", 2),
    ("mistralai/Mixtral-8x7B-v0.1", "a100-sxm4-80gb", 2),
)
SERVED_ON = (
    ("meta-llama/Llama-3.1-8B", "rtx-3060-12gb", 1),
    ("Qwen/Qwen2.5-14B", "class-16gb", 1),
    ("Qwen/Qwen3-30B-A3B", "rtx-3060-12gb", 1),
    ("70B", "rtx-4090", 2),
)


def grid() -> Iterator[Question]:
    """Models, cards and tasks; some of them fit as they are."""
    for (model, card, count), wish in product(TRAINED_ON, TRAINED.values()):
        yield {"task": "train", "model": model, "gpus": [{"id": card, "count": count}]} | wish
    for (model, card, count), wish in product(SERVED_ON, SERVED.values()):
        yield {"task": "infer", "model": model, "gpus": [{"id": card, "count": count}]} | wish


def named(question: Question) -> str:
    """A short name for a question."""
    kept = {name: value for name, value in question.items() if name != "gpus"}
    card = question["gpus"][0]
    return " ".join(map(str, (*kept.values(), f"{card['count']}x{card['id']}")))


def answered(question: Question) -> Answer:
    return answer(parse_request(question), CATALOG)


def advised(question: Question) -> Advice | None:
    return advise_on(answered(question), CATALOG)


def holds(request: Request) -> bool:
    """Whether the whole answer to `request` says so of every card, and a server starts."""
    try:
        found = answer(request, CATALOG)
    except EstimatorError:
        return False
    setup = found.setup
    starts = not isinstance(setup, ServeSetup) or all(room_in(setup, o) for o in found.reservations)
    return starts and {c.verdict for c in found.cards if c.asked} == {Verdict.FITS}


def changed(request: Request, some: Sequence[tuple[Change, int]]) -> Request:
    fields: dict[str, Any] = {}
    for change, step in sorted(some, key=lambda one: one[0].order):
        fields |= change.at(step)
    return request.model_copy(update=fields)


def every_change(found: Answer) -> list[Change]:
    return [change for change in _changes(found, CATALOG) if change.steps]


def smallest(found: Answer, changes: Sequence[Change]) -> list[tuple[str, ...]]:
    """Every set of changes that holds, of the smallest number that does, the cheapest first.

    Of each change every strength is tried that it has few of; of the others the least and most.
    """
    every = [s for n in range(1, TOGETHER + 1) for s in combinations(changes, n)]
    every = [some for some in every if len({one.slot for one in some}) == len(some)]
    for size in range(1, TOGETHER + 1):
        sets = [some for some in every if cost(some)[0] == size]
        enough = [some for some in sorted(sets, key=cost) if _holds_somehow(found.request, some)]
        if enough:
            return [tuple(sorted(one.key for one in some)) for some in enough]
    return []


def _holds_somehow(request: Request, some: Sequence[Change]) -> bool:
    strengths = [range(c.steps) if c.scanned else (c.steps - 1,) for c in some]
    turned = (tuple(reversed(steps)) for steps in strengths)
    return any(
        holds(changed(request, tuple(zip(some, steps, strict=True)))) for steps in product(*turned)
    )
