"""The word for how a served model is spread, and what unequal cards mean for it."""

from collections.abc import Sequence
from itertools import groupby

from estimator.cards import Cards
from estimator.engine_rows import Engine, EngineKind
from estimator.errors import Contradiction
from estimator.gpu_rows import Gpu
from estimator.request import ServeRequest
from estimator.resolve import Ledger
from estimator.split import Split
from estimator.words import Strategy

MAKERS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}
SOURCES = {  # where it is written how an engine divides
    "vllm": "vllm-get-pp-indices",
    "sglang": "sglang-get-pp-indices",
    "tensorrt_llm": "trtllm-mapping",
    "transformers": "transformers-device-map",
    "autoawq": "transformers-device-map",
    "litgpt": "litgpt-sequentially",
    "llama.cpp": "llama-cpp-tensor-split",
    "ollama": "llama-cpp-tensor-split",
}
MIXED = 2  # kinds of cards
MOST_NAMED = 8  # groups of stages that are told apart in a sentence


def strategy_of(request: ServeRequest, split: Split, engine: Engine, ledger: Ledger) -> Strategy:
    """The word for the split, written down with what it means."""
    if split.world == 1:
        return request.strategy or Strategy.SINGLE
    layers = Strategy.PP if engine.kind is EngineKind.PAGED else Strategy.DEVICE_MAP
    if any(part.rows for part in split.slices):
        default, why = Strategy.TP, f"each matrix is cut by rows over {split.stages} cards"
    elif split.stages > 1 and split.tp > 1:
        default = Strategy.THREE_D
        why = f"layers {_counts(split)}, each tensor of them over {split.tp} cards"
    elif split.stages > 1:
        default, why = layers, f"layers {_counts(split)}"
    elif split.tp > 1:
        default, why = Strategy.TP, f"each tensor is divided over {split.tp} cards"
    else:
        default = Strategy.TP
        why = f"attention on each of {split.world} cards, experts divided among them"
    if request.strategy is None or split.stages > 1:
        ledger.note("strategy", default, why, SOURCES.get(engine.id, "defaults"))
    return request.strategy or default


def _counts(split: Split) -> str:
    """`20 + 20`, `3× 8 + 2× 7`: layers of each card or stage."""
    found = [(n, len(list(same))) for n, same in groupby(part.blocks for part in split.slices)]
    if len(found) > MOST_NAMED:
        return f"over {split.stages} cards"
    return " + ".join(f"{times}× {count}" if times > 1 else str(count) for count, times in found)


def warn_of_unequal(
    request: ServeRequest, cards: Sequence[Cards], split: Split, engine: Engine, ledger: Ledger
) -> None:
    """Say which card decides where cards are unequal; raises Contradiction for two makes."""
    kinds = {entry.card.id: entry.card for entry in cards}
    if len(kinds) < MIXED or split.world == 1:
        return
    local = engine.kind is EngineKind.GGML
    makes = sorted({card.vendor for card in kinds.values() if isinstance(card, Gpu)})
    if len(makes) > 1:
        _two_makes(makes, engine, ledger, local=local)
    if split.tp > 1 or split.attentions > 1:
        ledger.warn("Unequal cards: each has as much of every tensor, so the smallest decides.")
    elif engine.kind is EngineKind.PAGED and request.layer_split is None:
        ledger.warn(
            f"Unequal cards: {engine.id} gives each about as many layers, so the smallest decides "
            "unless `layer split` says how many go to which."
        )


def _two_makes(makes: Sequence[str], engine: Engine, ledger: Ledger, *, local: bool) -> None:
    names = " and ".join(MAKERS.get(make, make) for make in makes)
    if not local:
        raise Contradiction(
            ("engine", "gpus"),
            f"{engine.id} does not run one model on cards of {names} together: llama.cpp does.",
            suggestions=("llama.cpp",),
        )
    ledger.warn(
        f"Cards of {names} share a model by llama.cpp's Vulkan backend: counted are CUDA's buffers."
    )
