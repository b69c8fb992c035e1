"""The model's own weights, in the element type each tensor is held in."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.gguf_recipes import BY_IMATRIX, Part
from estimator.held import (
    TOWER,
    Away,
    Held,
    has_own_head,
    held_tensors,
    looked_up_tables,
    recipe_tensors,
)
from estimator.rows import Dtype, TowerHeld
from estimator.setup import Numbers
from estimator.tensors import Role, Tensor

LOOKED_UP = (Role.EMBEDDING, Role.POSITION)  # tables that llama.cpp leaves in the host's memory
PROJECTOR = "llama-cpp-multimodal"
TILE = 128  # rows and columns of a tile with a scale of its own


def weights(
    architecture: Architecture,
    numbers: Numbers,
    cards: int = 1,
    *,
    tables: bool = True,
    away: Away | None = None,
    tensors: Sequence[Tensor] | None = None,
    rows: bool = False,
) -> tuple[Line, ...]:
    """One line an element type: parameters × bytes, or whole blocks × bytes a block.

    Packed types are cut into blocks tensor by tensor, so a last block is whole; what a matrix
    has beside them (scales a row or a tile, the order of inputs) is added by its rows and columns.
    A tower for images has lines of its own: bitsandbytes packs its linears, engines leave it
    in 16 bits, and a GGUF file leaves it out. `cards`: over how many cards they are sharded;
    `rows`: tensor by tensor, by the first dimension, of which the first card may hold more.
    Scales of bitsandbytes' packed weights are tensors of their own, which stay whole on each.
    `tables`: with embeddings; without them it is what llama.cpp puts on the cards, where a tied
    head is a copy. `away`: what of the model `architecture` lacks, which lies elsewhere.
    `tensors`: what a card holds of the model's, where each is divided in a way of its own.
    Left out: rotary tables and other buffers (kilobytes), allocator rounding
    (512 bytes a tensor), code tables of bitsandbytes (1 KiB a tensor), a GGUF file's metadata.
    """
    on_host = 0 if tables else host_bytes(architecture, numbers)
    if numbers.given_bytes is not None:
        given = _given(numbers.given_bytes, on_host, numbers.given_source)
        return (given.divided(cards),)
    text: list[Held] = []
    tower: list[Held] = []
    copied = not has_own_head(architecture, numbers)
    for dtype, tensor in held_tensors(architecture, numbers, away, tensors):
        if tensor.role in TOWER:
            tower.append((dtype, tensor))
        elif tables or copied or tensor.role not in LOOKED_UP:
            text.append((dtype, tensor))
    shards = Shards(cards, rows)
    lines = [*_lines("weights", text, shards), *_lines("tower", tower, shards)]
    return tuple(_ranged(lines, architecture, numbers, away))


def scales_of(line: Line) -> Line | None:
    """Of sharded weights what stays on the card when they lie in host memory: their scales."""
    count, width = line.terms.get("scales", 0), line.terms.get("scales_bytes", 0)
    if not count:
        return None
    return replace(
        line,
        bytes=count * width,
        formula="scales × scales_bytes",
        terms={"scales": count, "scales_bytes": width},
    )


def projector(architecture: Architecture, numbers: Numbers) -> tuple[Line, ...]:
    """The tower for images that a GGUF file leaves out: a file of its own, `--mmproj`.

    The converter writes its matrices in 16 bits and embeddings, norms and biases in 32. It is
    loaded onto a card whatever layers are there. Empty where the model has no tower, and where
    the format holds it with the rest.
    """
    if architecture.tower is None or numbers.format.tower is not TowerHeld.APART:
        return ()
    tensors = [
        (numbers.types["fp16" if tensor.role is Role.TOWER_LINEAR else "fp32"], tensor)
        for tensor in architecture.tower.tensors()
    ]
    return tuple(replace(line, source=PROJECTOR) for line in _lines("tower", tensors))


def host_weights(architecture: Architecture, numbers: Numbers) -> Line | None:
    """The tables that llama.cpp looks tokens and positions up in, in the host's memory.

    They stay there even where all layers are on cards. A tied head is a second copy, on a card.
    """
    lines = list(_lines("weights_on_host", looked_up_tables(architecture, numbers)))
    if not lines:
        return None
    whole = lines[0]
    for number, line in enumerate(lines[1:], start=1):
        whole = whole.plus(line, f"_{number}")
    return replace(whole, key="weights_on_host")


def host_bytes(architecture: Architecture, numbers: Numbers) -> int:
    """Bytes of the tables that are on the host alone: none of a model whose head is one."""
    line = host_weights(architecture, numbers) if has_own_head(architecture, numbers) else None
    return 0 if line is None else line.bytes


def _given(file_bytes: int, on_host: int, source: str) -> Line:
    """All weights as one number that was told: of a file, or of a repository."""
    line = Line(
        key="weights",
        bytes=file_bytes,
        formula="file_bytes",
        terms={"file_bytes": file_bytes},
        source=source,
        basis=Basis.MEASURED,
    )
    return line.less("host", on_host, 1) if on_host else line


class Shards(NamedTuple):
    """Over how many `cards` weights are divided; by `rows`, or by elements."""

    cards: int
    rows: bool


WHOLE = Shards(1, rows=False)


@dataclass(slots=True)
class _Sum:
    """What all tensors of one element type come to; `first`: what the first of cards holds."""

    dtype: Dtype
    shards: Shards
    first: int = 0
    parameters: int = 0
    blocks: int = 0
    rows: int = 0
    columns: int = 0
    tiles: int = 0
    tensors: int = 0

    def add(self, tensor: Tensor) -> None:
        """`tensor` in whole blocks; experts are a matrix each, gate and up apart."""
        dtype, copies = self.dtype, tensor.copies
        width = dtype.groups.size if dtype.groups else dtype.pad_columns
        columns = -(-tensor.columns // width) * width
        columns = -(-columns // dtype.pad_columns) * dtype.pad_columns
        elements = tensor.experts * tensor.rows * columns
        matrices = copies * tensor.experts
        self.parameters += tensor.parameters
        if self.shards.rows:
            self.first += tensor.first_part(self.shards.cards).parameters
        self.blocks += copies * -(-elements // dtype.elements_per_block)
        self.rows += matrices * tensor.rows
        split = 2 if tensor.module == "experts.gate_up_proj" else 1
        self.tensors += split * matrices
        self.columns += split * matrices * tensor.columns
        self.tiles += matrices * -(-tensor.rows // TILE) * -(-tensor.columns // TILE)

    def line(self, key: str) -> Line:
        dtype, cards = self.dtype, self.shards.cards
        if dtype.plain and self.first * cards > self.parameters:
            return self._of_first(key)
        if dtype.scale_bytes and cards > 1:
            return self._with_whole_scales(key)
        return self._whole(key).divided(cards)

    def _of_first(self, key: str) -> Line:
        """Where the first dimension does not divide, the first card holds the most."""
        width, name = self.dtype.bytes_per_block, f"{self.dtype.id}_bytes"
        return Line(
            key=key,
            bytes=self.first * width,
            formula=f"first_card_parameters × {name}",
            terms={"first_card_parameters": self.first, name: width},
            source="torch-fully-shard",
            basis=Basis.COUNTED,
        )

    def _with_whole_scales(self, key: str) -> Line:
        """Packed weights are divided; their scales hang on them, and each card has all."""
        packed = self.dtype.bytes_per_block - self.dtype.scale_bytes
        line = replace(
            self._whole(key),
            bytes=self.blocks * packed,
            formula="blocks × packed_bytes",
            terms={"blocks": self.blocks, "packed_bytes": packed},
        )
        return line.divided(self.shards.cards).more("scales", self.blocks, self.dtype.scale_bytes)

    def _whole(self, key: str) -> Line:
        dtype = self.dtype
        unit = f"{re.sub(r'[^a-zA-Z0-9]', '_', dtype.id)}_bytes" if dtype.plain else "block_bytes"
        count = "parameters" if dtype.plain else "blocks"
        formula = [f"{count} × {unit}"]
        terms = {count: self.parameters if dtype.plain else self.blocks}
        terms[unit] = dtype.bytes_per_block
        size = self.blocks * dtype.bytes_per_block
        if dtype.row_bits:
            formula.append("ceil(rows × row_bits ÷ 8)")
            terms |= {"rows": self.rows, "row_bits": dtype.row_bits}
            size += -(-self.rows * dtype.row_bits // 8)
        for name, each, many in (
            ("column", dtype.column_bytes, self.columns),
            ("tile", dtype.tile_bytes, self.tiles),
            ("tensor", dtype.tensor_bytes, self.tensors),
        ):
            if each:
                formula.append(f"{name}s × {name}_bytes")
                terms |= {f"{name}s": many, f"{name}_bytes": each}
                size += many * each
        return Line(
            key=key,
            bytes=size,
            formula=" + ".join(formula),
            terms=terms,
            source=dtype.sources[0],
            basis=Basis.COUNTED,
        )


def _lines(key: str, tensors: Iterable[Held], shards: Shards = WHOLE) -> Iterator[Line]:
    sums: dict[str, _Sum] = {}
    for dtype, tensor in tensors:
        found = sums.get(dtype.id)
        if found is None:
            found = sums[dtype.id] = _Sum(dtype, shards)
        found.add(tensor)
    for name, found in sums.items():
        yield found.line(key if len(sums) == 1 else f"{key}_{name}")


def _ranged(
    lines: list[Line], architecture: Architecture, numbers: Numbers, away: Away | None
) -> list[Line]:
    """`lines` with the range of a recipe whose files differ from maker to maker."""
    low, high = numbers.format.spread
    if low or high:
        return [
            replace(
                line,
                low_bytes=line.bytes * (100 - low) // 100,
                high_bytes=-(-line.bytes * (100 + high) // 100),
                basis=Basis.ASSUMED,
            )
            for line in lines
        ]
    if numbers.format.recipe in BY_IMATRIX:
        return _ranged_by_imatrix(lines, architecture, numbers, away)
    return lines


def _ranged_by_imatrix(
    lines: list[Line], architecture: Architecture, numbers: Numbers, away: Away | None
) -> list[Line]:
    """The same file made with an importance matrix: the first layers of one part differ."""
    with_one, without = (
        sum([dtype.size_of(tensor.elements) * tensor.copies for dtype, tensor in downs])
        for downs in (
            recipe_tensors(architecture, numbers, imatrix=made_with, only=Part.DOWN, away=away)
            for made_with in (True, False)
        )
    )
    change = with_one - without
    largest = max(lines, key=lambda line: line.bytes)
    at = lines.index(largest)
    lines[at] = replace(
        largest,
        low_bytes=largest.bytes + min(0, change),
        high_bytes=largest.bytes + max(0, change),
    )
    return lines
