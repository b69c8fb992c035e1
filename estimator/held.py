"""Which element type each tensor is held in: by its role, or by a recipe of llama.cpp."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.gguf_recipes import Part, Recipe, fitting, types_of
from estimator.gguf_tensors import UNPACKED, facts_of, placed_tensors
from estimator.rows import Dtype, TowerHeld
from estimator.setup import Numbers
from estimator.tensors import Role, Tensor

TOWER = (Role.TOWER, Role.TOWER_LINEAR)
PACKED = (Role.LINEAR, Role.EXPERT)
MXFP4 = "mxfp4"
Held = tuple[Dtype, Tensor]


class Away(NamedTuple):
    """What of the model `whole` is not here: its first `blocks`, and the first `experts` of all.

    Those from number `end` on lie on other cards; none: up to the last are here. A recipe goes
    by a layer's number in the file, wherever the layer lies.
    """

    whole: Architecture
    blocks: int
    experts: int
    end: int | None = None


def has_own_head(architecture: Architecture, numbers: Numbers) -> bool:
    """Whether the head is a tensor of its own, also where it is the embedding in training.

    So it is where the two are packed unlike (EXL2, frameworks that pack every linear), and of
    Falcon once it is converted to GGUF.
    """
    if not architecture.tied:
        return True
    if numbers.format.recipe:
        return facts_of(architecture).falcon
    return numbers.head.id != numbers.embedding.id


def held_tensors(
    architecture: Architecture,
    numbers: Numbers,
    away: Away | None = None,
    tensors: Sequence[Tensor] | None = None,
) -> Iterator[Held]:
    """Every tensor with its element type; `architecture`: what is here, where not all is.

    `tensors`: the parts of them that are, where each is divided.
    """
    own_head = has_own_head(architecture, numbers)
    listed = architecture.tensors if tensors is None else tensors
    words = next((t.rows for t in listed if t.role is Role.EMBEDDING), architecture.vocabulary)
    head = Tensor("lm_head", Role.HEAD, words, architecture.hidden, 1)
    if not numbers.format.recipe:
        apart = numbers.format.tower is TowerHeld.APART
        for tensor in listed:
            if not (apart and tensor.role in TOWER):
                yield _dtype(tensor, numbers), tensor
        if own_head and architecture.tied:
            yield numbers.head, head
        return
    yield from _recipe_tables(architecture, numbers, own_head=own_head)
    if own_head and architecture.tied:
        yield _table(head, numbers, head=True, falcon=True), head
    yield from recipe_tensors(architecture, numbers, imatrix=False, away=away)
    for tensor in architecture.tensors:
        if tensor.role not in (Role.EMBEDDING, Role.HEAD, *TOWER, *PACKED):
            yield numbers.other, tensor


def looked_up_tables(architecture: Architecture, numbers: Numbers) -> Iterator[Held]:
    """Those of `held_tensors` that tokens and positions are looked up in."""
    if numbers.format.recipe:
        own_head = has_own_head(architecture, numbers)
        held = _recipe_tables(architecture, numbers, own_head=own_head)
        yield from (one for one in held if one[1].role is Role.EMBEDDING)
    for tensor in architecture.tensors:
        if tensor.role is Role.POSITION or (
            tensor.role is Role.EMBEDDING and not numbers.format.recipe
        ):
            yield _dtype(tensor, numbers), tensor


def _recipe_tables(
    architecture: Architecture, numbers: Numbers, *, own_head: bool
) -> Iterator[Held]:
    falcon = facts_of(architecture).falcon
    for tensor in architecture.tensors:
        if tensor.role in (Role.EMBEDDING, Role.HEAD):
            as_head = tensor.role is Role.HEAD or not own_head
            yield _table(tensor, numbers, head=as_head, falcon=falcon), tensor


def _table(tensor: Tensor, numbers: Numbers, *, head: bool, falcon: bool) -> Dtype:
    """The type of an embedding or a head of a recipe."""
    dtype = numbers.head if head else numbers.embedding
    base = numbers.linear.elements_per_block
    if head and (falcon or tensor.columns % base):
        return numbers.types["Q8_0"]
    return numbers.types[fitting(dtype.id, tensor.columns, dtype.elements_per_block)]


def recipe_tensors(
    architecture: Architecture,
    numbers: Numbers,
    *,
    imatrix: bool,
    only: Part | None = None,
    away: Away | None = None,
) -> Iterator[Held]:
    """The blocks' matrices as a GGUF recipe holds them, layer by layer; `only` one part."""
    whole = architecture if away is None else away.whole
    facts, types = facts_of(whole), numbers.types
    for part, tensor, all_layers, of, blocks in placed_tensors(whole):
        if tensor.role not in PACKED or only not in (None, part):
            continue
        layers = all_layers
        if away is not None:
            first = max(away.blocks, away.experts if tensor.role is Role.EXPERT else 0)
            end = whole.depth if away.end is None else away.end
            each = zip(all_layers, blocks, strict=True)
            layers = tuple(n for n, at in each if first <= at < end)
        if tensor.module in UNPACKED:
            yield types["fp16"], tensor._replace(copies=len(layers))
            continue
        base = numbers.expert if tensor.role is Role.EXPERT else numbers.linear
        recipe = Recipe(numbers.format.recipe, base.id, imatrix)
        held = types_of(recipe, part, layers, of, facts)
        if base.id == MXFP4:  # what is published so is not packed a second time
            held = ((MXFP4, len(layers)),)
        for name, count in held:
            fits = fitting(name, tensor.columns, types[name].elements_per_block)
            yield types[fits], tensor._replace(copies=count)


def _dtype(tensor: Tensor, numbers: Numbers) -> Dtype:
    match tensor.role:
        case Role.LINEAR:
            return numbers.linear
        case Role.EXPERT:
            return numbers.expert
        case Role.EMBEDDING:
            return numbers.embedding
        case Role.POSITION:
            return numbers.other
        case Role.HEAD:
            return numbers.head
        case Role.TOWER_LINEAR:
            packed = numbers.format.tower is TowerHeld.PACKED
            return numbers.linear if packed else numbers.other
        case Role.ROUTER | Role.NORM | Role.BIAS | Role.TOWER:
            return numbers.other
