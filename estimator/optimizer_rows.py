"""The rows of `optimizers.toml`: what an optimizer keeps for a tensor, what its step allocates.

Both are sums of shapes: so many elements for a tensor of n rows and m columns, in a type.
A new shape is a member of `StateShape` and a case of `elements`.
"""

from enum import StrEnum
from typing import Literal, NamedTuple

from pydantic import PositiveInt

from estimator.breakdown import Basis
from estimator.rows import Id, Sources
from estimator.tensors import Count, Role, Row, Tensor


class StateShape(StrEnum):
    """How many elements for a trained tensor of n × m; k is the shorter of the two.

    The blocks' matrices are those of their linears, experts among them.
    """

    PARAMETER = "parameter"  # n·m
    ROW_AND_COLUMN = "row_and_column"  # n + m; a vector keeps its own length (Adafactor)
    MATRICES_ONLY = "matrices_only"  # n·m for the blocks' matrices, none else (Muon)
    OTHERS_ONLY = "others_only"  # n·m for all but those matrices (Muon's AdamW)
    SHORT_SQUARE = "short_square"  # k² for the blocks' matrices (Newton-Schulz)
    PROJECTED = "projected"  # rank × the longer side for matrices; others whole (GaLore)
    LOW_RANK = "low_rank"  # rank × the longer side for matrices alone
    PROJECTOR = "projector"  # rank × k for matrices (APOLLO)
    SINGULAR = "singular"  # rank × k; of an fp32 gradient all of its k² (GaLore)
    SINGULAR_VECTORS = "singular_vectors"  # k·(n + m) for matrices: all of both sides
    SQUARES = "squares"  # n² + m², sides up to `side` (Shampoo, SOAP)
    LARGEST_SQUARE = "largest_square"  # the larger of n² and m², sides up to `side`
    FIRST_SQUARE = "first_square"  # n² where m² is the larger, sides up to `side`
    PER_BLOCK = "per_block"  # one number a row of a matrix, one a norm (Adam-mini)


class State(Row):
    """One state of an optimizer.

    `dtype` `parameter`: that of the weight it belongs to. Tensors with fewer than
    `small_below` elements keep the type `small` instead, and with `whole_blocks` those that
    do not divide into blocks. `side`: the longest side that gets a square.
    """

    name: str
    dtype: Id
    shape: StateShape = StateShape.PARAMETER
    small_below: Count = 0
    small: Literal["fp32", "parameter"] = "fp32"
    whole_blocks: bool = False
    side: Count = 0


class Scratch(Row):
    """What a step holds for one tensor while it updates it: `copies` of a shape in a type.

    `dtype` `upcast`: fp32 where the weight is narrower, else nothing, since no copy is made.
    """

    dtype: Id
    shape: StateShape = StateShape.PARAMETER
    copies: PositiveInt = 1
    side: Count = 0


class Over(StrEnum):
    """For which tensors an instant of the step holds its scratch at once."""

    ALL = "all"  # foreach: every tensor
    ONE = "one"  # one after the other: the tensor that needs the most
    SEAM = "seam"  # the last tensor outside the blocks, and the first matrix within


class Instant(Row):
    """An instant of the step; the largest of them is what the step takes."""

    over: Over
    held: tuple[Scratch, ...]


class Optimizer(Row):
    """An optimizer: its states, and the instants of its step.

    `rank`: to which it projects gradients, unless another is named. `in_backward`: updates
    each weight as its gradient arrives (LOMO); `drops_gradient`: which goes as soon as it is
    copied to fp32. `paged_from`: tensors from so many elements
    on have states that move to host memory when the card is full. `basis`: counted, or
    derived where no published code was counted.
    """

    id: Id
    aliases: tuple[str, ...] = ()
    states: tuple[State, ...] = ()
    step: tuple[Instant, ...] = ()
    rank: Count = 0
    in_backward: bool = False
    drops_gradient: bool = False
    paged_from: PositiveInt | None = None
    basis: Basis = Basis.COUNTED
    note: str = ""
    sources: Sources


def is_matrix(tensor: Tensor) -> bool:
    """Whether it is a block's matrix: what Muon orthogonalises and GaLore projects."""
    return tensor.rows > 1 and tensor.role in (Role.LINEAR, Role.EXPERT)


class Projection(NamedTuple):
    """What some shapes depend on beside the tensor.

    `rank`: of a projection. `side`: the longest side that gets a square; 0: any. `fp32`:
    whether what is updated is held in it.
    """

    rank: int = 0
    side: int = 0
    fp32: bool = False


def elements(shape: StateShape, tensor: Tensor, by: Projection) -> int:
    """Elements of `shape` for one copy of `tensor`, of whose experts each is a matrix."""
    if shape is StateShape.PARAMETER:
        return tensor.elements
    matrix = is_matrix(tensor)
    match shape:
        case StateShape.ROW_AND_COLUMN:
            n, m = tensor.rows, tensor.columns
            found = tensor.experts * (n + m) if n > 1 else m
        case StateShape.MATRICES_ONLY:
            found = tensor.elements if matrix else 0
        case StateShape.OTHERS_ONLY:
            found = 0 if matrix else tensor.elements
        case StateShape.PROJECTED:
            found = _of_matrix(StateShape.LOW_RANK, tensor, by) if matrix else tensor.elements
        case StateShape.PER_BLOCK:
            found = _blocks(tensor)
        case StateShape.SQUARES | StateShape.LARGEST_SQUARE | StateShape.FIRST_SQUARE:
            found = tensor.experts * _of_squares(shape, tensor, by.side)
        case _:
            found = _of_matrix(shape, tensor, by) if matrix else 0
    return found


def _of_matrix(shape: StateShape, tensor: Tensor, by: Projection) -> int:
    """Shapes that only the blocks' matrices have, in terms of their shorter and longer side."""
    short, long = sorted((tensor.rows, tensor.columns))
    kept = min(by.rank, short)
    each = {
        StateShape.SHORT_SQUARE: short**2,
        StateShape.LOW_RANK: kept * long,
        StateShape.PROJECTOR: by.rank * short,
        StateShape.SINGULAR: short * (short if by.fp32 else kept),
        StateShape.SINGULAR_VECTORS: short * (short + long),
    }[shape]
    return tensor.experts * each


def _of_squares(shape: StateShape, tensor: Tensor, side: int) -> int:
    first, second = _squares(tensor, side)
    if shape is StateShape.SQUARES:
        return first + second
    if shape is StateShape.LARGEST_SQUARE:
        return max(first, second)
    return first if second > first else 0


def _squares(tensor: Tensor, side: int) -> tuple[int, int]:
    """n² and m² of a matrix; none of a vector, or of a side that is too long."""
    if tensor.rows == 1:
        return 0, 0
    n, m = (0 if side and length > side else length**2 for length in (tensor.rows, tensor.columns))
    return n, m


def _blocks(tensor: Tensor) -> int:
    """Adam-mini: a bias is kept whole; heads of q and k would be fewer still."""
    if tensor.role is Role.BIAS:
        return tensor.columns
    return tensor.experts * tensor.rows if tensor.rows > 1 else 1
