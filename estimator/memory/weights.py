"""The model's own weights, in the element type each role is held in."""

from collections.abc import Iterable, Iterator

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.rows import Dtype, TowerHeld
from estimator.setup import Numbers
from estimator.tensors import Role, Tensor

DOWN = ("down_proj", "shared.down_proj", "experts.down_proj", "fc2", "dense_4h_to_h")
TOWER = (Role.TOWER, Role.TOWER_LINEAR)
ATTENTION_OUTPUT = ("o_proj", "out_proj", "dense")


def weights(architecture: Architecture, numbers: Numbers, cards: int = 1) -> tuple[Line, ...]:
    """One line an element type: parameters × bytes, or whole blocks × bytes a block.

    Packed types are cut into blocks tensor by tensor, so a last block is whole.
    A tower for images has lines of its own: bitsandbytes packs its linears, engines leave it
    in 16 bits, and a GGUF file leaves it out. `cards`: over how many cards they are sharded.
    Left out: rotary tables and other buffers (kilobytes), allocator rounding (512 bytes a tensor).
    """
    text: list[tuple[Dtype, Tensor]] = []
    tower: list[tuple[Dtype, Tensor]] = []
    for dtype, tensor in held_tensors(architecture, numbers):
        (tower if tensor.role in TOWER else text).append((dtype, tensor))
    return (*_lines("weights", text, cards), *_lines("tower", tower, cards))


def _lines(key: str, tensors: Iterable[tuple[Dtype, Tensor]], cards: int) -> Iterator[Line]:
    held: dict[str, tuple[Dtype, int, int]] = {}
    for dtype, tensor in tensors:
        _, parameters, blocks = held.get(dtype.id, (dtype, 0, 0))
        per_tensor = -(-tensor.elements // dtype.elements_per_block)
        held[dtype.id] = (
            dtype,
            parameters + tensor.parameters,
            blocks + tensor.copies * per_tensor,
        )
    single = len(held) == 1
    for dtype, parameters, blocks in held.values():
        yield _line(key if single else f"{key}_{dtype.id}", dtype, parameters, blocks, cards)


def _line(key: str, dtype: Dtype, parameters: int, blocks: int, cards: int) -> Line:
    if dtype.plain:
        formula, terms = (
            f"parameters × {dtype.id}_bytes",
            {"parameters": parameters, f"{dtype.id}_bytes": dtype.bytes_per_block},
        )
    else:
        formula, terms = (
            "blocks × block_bytes",
            {
                "blocks": blocks,
                "block_bytes": dtype.bytes_per_block,
            },
        )
    return Line(
        key=key,
        bytes=blocks * dtype.bytes_per_block,
        formula=formula,
        terms=terms,
        source=dtype.sources[0],
        basis=Basis.COUNTED,
    ).divided(cards)


def held_tensors(architecture: Architecture, numbers: Numbers) -> Iterator[tuple[Dtype, Tensor]]:
    """Every tensor with its element type; recipes split a tensor's copies by layer."""
    apart = numbers.format.tower is TowerHeld.APART
    for tensor in architecture.tensors:
        if apart and tensor.role in TOWER:
            continue
        if not numbers.upgraded:
            yield _dtype(tensor, numbers, tied=architecture.tied), tensor
            continue
        left = tensor.copies
        group = _recipe_group(tensor)
        for upgrade, dtype in zip(numbers.format.upgrades, numbers.upgraded, strict=True):
            if group in upgrade.tensors:
                wide = min(left, upgrade.layers.of(tensor.copies))
                wide -= tensor.copies - left  # layers that an earlier rule took
                if wide > 0:
                    yield dtype, tensor._replace(copies=wide)
                    left -= wide
        if left:
            yield _dtype(tensor, numbers, tied=architecture.tied), tensor._replace(copies=left)


def _dtype(tensor: Tensor, numbers: Numbers, *, tied: bool) -> Dtype:
    match tensor.role:
        case Role.LINEAR:
            return numbers.linear
        case Role.EXPERT:
            return numbers.expert
        case Role.EMBEDDING:
            return numbers.head if tied else numbers.embedding
        case Role.POSITION:
            return numbers.other
        case Role.HEAD:
            return numbers.head
        case Role.TOWER_LINEAR:
            packed = numbers.format.tower is TowerHeld.PACKED
            return numbers.linear if packed else numbers.other
        case Role.ROUTER | Role.NORM | Role.BIAS | Role.TOWER:
            return numbers.other


def _recipe_group(tensor: Tensor) -> str | None:
    """Which tensors of a block GGUF recipes treat apart."""
    if tensor.role not in (Role.LINEAR, Role.EXPERT):
        return None
    if tensor.module == "v_proj":
        return "value"
    if tensor.module in DOWN:
        return "down"
    if tensor.module in ATTENTION_OUTPUT:
        return "attention_output"
    return None
