"""The rows of `optimizers.toml`: what an optimizer keeps for a tensor, what its step allocates.

Both are sums of shapes: so many elements for a tensor of n rows and m columns, in a type.
A new shape is a member of `StateShape` and a case of `elements`.
"""

from enum import StrEnum
from typing import Literal, assert_never

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


def elements(shape: StateShape, tensor: Tensor, *, rank: int, side: int, fp32: bool) -> int:
    """Elements of `shape` for one copy of `tensor`, of whose experts each is a matrix.

    `rank`: of a projection. `side`: the longest side that gets a square; 0: any.
    `fp32`: whether what is updated is held in it.
    """
    n, m = tensor.rows, tensor.columns
    short, long = min(n, m), max(n, m)
    matrices = tensor.experts if is_matrix(tensor) else 0
    match shape:
        case StateShape.PARAMETER:
            return tensor.elements
        case StateShape.ROW_AND_COLUMN:
            return tensor.experts * (n + m) if n > 1 else m
        case StateShape.MATRICES_ONLY:
            return matrices * n * m
        case StateShape.OTHERS_ONLY:
            return 0 if matrices else tensor.elements
        case StateShape.SHORT_SQUARE:
            return matrices * short**2
        case StateShape.PROJECTED:
            return matrices * min(rank, short) * long if matrices else tensor.elements
        case StateShape.LOW_RANK:
            return matrices * min(rank, short) * long
        case StateShape.PROJECTOR:
            return matrices * rank * short
        case StateShape.SINGULAR:
            return matrices * short * (short if fp32 else min(rank, short))
        case StateShape.SINGULAR_VECTORS:
            return matrices * short * (n + m)
        case StateShape.SQUARES:
            return tensor.experts * sum(_squares(tensor, side))
        case StateShape.LARGEST_SQUARE:
            return tensor.experts * max(_squares(tensor, side))
        case StateShape.FIRST_SQUARE:
            first, second = _squares(tensor, side)
            return tensor.experts * first if second > first else 0
        case StateShape.PER_BLOCK:
            return _blocks(tensor)
    assert_never(shape)


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
