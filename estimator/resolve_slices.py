"""Which blocks lie on which card: by the engine's own rule, or as it was said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from estimator.card_total import context_bytes, total_bytes
from estimator.cards import Cards
from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.errors import BadRequest, Contradiction
from estimator.gpu_rows import CardClass
from estimator.held import held_tensors
from estimator.local import Local
from estimator.request import ServeRequest
from estimator.resolve import Ledger
from estimator.resolve_split import Plan
from estimator.setup import Numbers, Shape
from estimator.split import Slice, Split, sliced, slices_of
from estimator.stages import (
    balanced_stages,
    sglang_stages,
    tensorrt_stages,
    vllm_stages,
    weighed_head,
    weighed_stages,
)
from estimator.units import MILLION

ROOT_HAS_ENDS = ("litgpt",)  # whose first card has the embedding, and the head as well
MOST_DEVICES = 16  # of llama.cpp: GGML_CUDA_MAX_DEVICES
FREE = "llama-cpp-tensor-split"


@dataclass(frozen=True, slots=True)
class Spread:
    """What slices are cut from: the model as it is held, and the cards in their order."""

    request: ServeRequest
    engine: Engine
    shape: Shape
    numbers: Numbers
    local: Local | None
    rooms: tuple[int | None, ...]  # bytes that are free on each card before anything is loaded
    ledger: Ledger


def split_of(plan: Plan, spread: Spread) -> Split:
    """`plan` with its slices; raises BadRequest for a `layer_split` that does not fit it."""
    ggml = spread.engine.kind is EngineKind.GGML
    stages = plan.world if ggml else plan.stages
    if ggml and stages > MOST_DEVICES:
        raise Contradiction(
            ("world", "gpus"),
            f"{spread.engine.id} takes at most {MOST_DEVICES} cards, not {stages}.",
            suggestions=(f"{MOST_DEVICES} gpus",),
        )
    _check_layer_split(spread, stages)
    if stages == 1:
        return plan.split
    if not ggml:
        return replace(plan.split, slices=_sliced(spread, stages))
    slices = tuple(_weighed(spread, rows=plan.split.tp > 1))
    return replace(plan.split, tp=1, tables=1, experts=1, ep=1, slices=slices)


def free_bytes(cards: Sequence[Cards], count: int, catalog: Catalog) -> tuple[int | None, ...]:
    """What a program finds free on each of `count` cards: the total less its own context."""
    use, found = catalog.card_use, []
    for entry in cards:
        card = entry.card
        members = catalog.class_members(card) if isinstance(card, CardClass) else (card,)
        smallest = min(members, key=lambda gpu: total_bytes(gpu, use))
        free = total_bytes(smallest, use) - context_bytes(smallest, use)
        found += [free] * entry.count
    return tuple(found[:count]) if len(found) >= count else (None,) * count


def _sliced(spread: Spread, stages: int) -> tuple[Slice, ...]:
    architecture, said = spread.shape.architecture, spread.request.layer_split
    first = architecture.tied and spread.engine.kind is not EngineKind.PAGED
    first = first or spread.engine.id in ROOT_HAS_ENDS
    if said is not None:
        return slices_of(_as_said(spread, said), tied_to_first=first)
    depth = architecture.depth
    match spread.engine.id:
        case "vllm":
            counts = vllm_stages(depth, stages)
        case "sglang":
            counts = sglang_stages(depth, stages)
        case "transformers" | "autoawq":
            counts = _balanced(spread, stages)
        case "litgpt":
            counts = _equal(depth, stages)
        case "exllamav2":
            weights = [room or 1 for room in _rooms_of(spread, stages)]
            counts = weighed_stages(depth, head=False, weights=weights)
        case _:
            counts = tensorrt_stages(depth, stages)
    return slices_of(counts, tied_to_first=first)


def _rooms_of(spread: Spread, stages: int) -> tuple[int | None, ...]:
    """What is free on the cards of each stage: as much on each of them as on its fullest."""
    each = len(spread.rooms) // stages
    groups = (spread.rooms[first : first + each] for first in range(0, len(spread.rooms), each))
    known = ([room for room in group if room is not None] for group in groups)
    return tuple(each * min(rooms) if rooms else None for rooms in known)


def _equal(depth: int, stages: int) -> tuple[int, ...]:
    if depth % stages:
        near = [n for n in range(stages, 0, -1) if depth % n == 0]
        raise Contradiction(
            ("pp", "world", "gpus"),
            f"litgpt puts as many layers on each card: {depth} do not divide among {stages}.",
            suggestions=[f"{n} gpus" for n in near],
        )
    return (depth // stages,) * stages


def _balanced(spread: Spread, stages: int) -> tuple[int, ...]:
    architecture, numbers = spread.shape.architecture, spread.numbers
    sizes = {
        name: _bytes_of(spread, Slice(at, 1, embedding=False, head=False))
        for name, at in _one_of_each(architecture.order)
    }
    head = 0
    if architecture.head and not architecture.tied:
        head = numbers.head.size_of(architecture.vocabulary * architecture.hidden)
    table = numbers.embedding.size_of(architecture.vocabulary * architecture.hidden)
    blocks = [sizes[name] for name in architecture.order]
    return balanced_stages(table, blocks, head, _rooms_of(spread, stages))


def _one_of_each(order: Sequence[str]) -> Iterator[tuple[str, int]]:
    for name in dict.fromkeys(order):
        yield name, order.index(name)


def _bytes_of(spread: Spread, part: Slice) -> int:
    held = held_tensors(sliced(spread.shape.architecture, part), spread.numbers)
    return sum(dtype.size_of(tensor.elements) * tensor.copies for dtype, tensor in held)


def _weighed(spread: Spread, *, rows: bool) -> Iterator[Slice]:
    """llama.cpp's layers: by what was said, or by what is free on each card."""
    local = spread.local
    if local is None:
        raise TypeError(f"{spread.engine.id} has no settings of its own")
    depth, said = spread.shape.architecture.depth, spread.request.layer_split
    weights = [room or 1 for room in spread.rooms]
    if said is not None:
        weights = [round(part * MILLION) for part in said]
    elif len(set(weights)) > 1:
        shares = " : ".join(f"{weight / sum(weights):.0%}" for weight in weights)
        spread.ledger.note("layer_split", shares, "by what is free on each card", FREE)
    counts = weighed_stages(local.layers, head=local.head, weights=weights)
    last = weighed_head(local.layers, weights) if local.head else -1
    first = depth - local.layers
    for card, count in enumerate(counts):
        part = (weights[card], sum(weights)) if rows else None
        yield Slice(first, count, embedding=card == 0, head=card == last, rows=part)
        first += count


def _as_said(spread: Spread, said: Sequence[float]) -> tuple[int, ...]:
    """Layers of each card; of engines that take any proportions, as llama.cpp divides by them."""
    depth = spread.shape.architecture.depth
    if sum(said) == depth and all(part == int(part) and part for part in said):
        return tuple(int(part) for part in said)
    weights = [round(part * MILLION) for part in said]
    counts = weighed_stages(depth, head=False, weights=weights)
    if spread.engine.kind is EngineKind.PAGED:
        near = " ".join(map(str, counts))
        raise BadRequest(
            "layer_split",
            f"{spread.engine.id} wants the number of layers of each stage, {depth} in all",
            suggestions=(f"layer split {near.replace(' ', ',')}",) if all(counts) else (),
        )
    return counts


def _check_layer_split(spread: Spread, stages: int) -> None:
    said = spread.request.layer_split
    if said is None:
        return
    if len(said) != stages:
        cards = "one card" if stages == 1 else f"{stages} cards"
        raise BadRequest(
            "layer_split",
            f"it names the parts of {len(said)} cards, and the layers are divided over {cards}",
            suggestions=(f"{len(said)} gpus",),
        )
    if not any(said):
        even = ",".join("1" * stages)
        raise BadRequest(
            "layer_split", "all of its parts are zero", suggestions=(f"layer split {even}",)
        )
