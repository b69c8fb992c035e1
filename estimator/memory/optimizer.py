"""The optimizer's states, the fp32 master weights, and what the step itself allocates."""

from collections.abc import Sequence

from estimator.breakdown import Basis, Line
from estimator.rows import Dtype, Optimizer, State, StateShape, StepExtra
from estimator.tensors import Role, Tensor


def state_elements(shape: StateShape, tensor: Tensor, rank: int) -> int:
    """Elements of one state for one copy of `tensor` (n × m, n rows)."""
    n, m = tensor.experts * tensor.rows, tensor.columns
    matrix = tensor.rows > 1
    block_matrix = matrix and tensor.role in (Role.LINEAR, Role.EXPERT)
    match shape:
        case StateShape.PARAMETER:
            return n * m
        case StateShape.ROW_AND_COLUMN:
            return n + tensor.experts * m if matrix else m
        case StateShape.MATRICES_ONLY:
            return n * m if block_matrix else 0
        case StateShape.OTHERS_ONLY:
            return 0 if block_matrix else n * m
        case StateShape.PROJECTED:
            if not block_matrix:
                return n * m
            return tensor.experts * min(rank, tensor.rows, m) * max(tensor.rows, m)
        case StateShape.PROJECTOR:
            if not block_matrix:
                return 0
            return tensor.experts * min(rank, tensor.rows, m) * min(tensor.rows, m)
        case StateShape.PRECONDITIONER:
            return tensor.experts * (tensor.rows**2 + m**2) if block_matrix else 0
        case StateShape.PER_BLOCK:
            return n if matrix else 1


def states(
    optimizer: Optimizer,
    trained: Sequence[Tensor],
    *,
    dtypes: Sequence[Dtype],
    fp32: Dtype,
    rank: int,
    cards: int = 1,
) -> tuple[Line, ...]:
    """One line a state. `dtypes`: the element type of each of the optimizer's states.

    Block types keep whole blocks a tensor; tensors smaller than the state's
    `small_below` keep fp32. `cards`: over how many cards they are sharded.
    """
    return tuple(
        _state(state, trained, dtype=dtype, fp32=fp32, rank=rank, cards=cards, optimizer=optimizer)
        for state, dtype in zip(optimizer.states, dtypes, strict=True)
    )


def _state(
    state: State,
    trained: Sequence[Tensor],
    *,
    dtype: Dtype,
    fp32: Dtype,
    rank: int,
    cards: int,
    optimizer: Optimizer,
) -> Line:
    blocks = small = 0
    for tensor in trained:
        elements = state_elements(state.shape, tensor, rank)
        if elements < state.small_below:
            small += tensor.copies * elements
        else:
            blocks += tensor.copies * -(-elements // dtype.elements_per_block)
    unit = "elements" if dtype.plain else "blocks"
    formula = f"{unit} × {dtype.id}_bytes"
    terms = {unit: blocks, f"{dtype.id}_bytes": dtype.bytes_per_block}
    whole = blocks * dtype.bytes_per_block
    if small:
        formula += " + small_elements × fp32_bytes"
        terms |= {"small_elements": small, "fp32_bytes": fp32.bytes_per_block}
        whole += small * fp32.bytes_per_block
    return Line(
        key=f"optimizer_{state.name.replace(' ', '_')}",
        bytes=whole,
        formula=formula,
        terms=terms,
        source=optimizer.sources[0],
        basis=Basis.COUNTED,
    ).divided(cards)


def master_weights(trained: Sequence[Tensor], master: Dtype | None, cards: int = 1) -> Line | None:
    """An fp32 copy of 16-bit weights that the step updates: 4 bytes a parameter."""
    if master is None:
        return None
    parameters = sum(tensor.parameters for tensor in trained)
    return Line(
        key="master_weights",
        bytes=parameters * master.bytes_per_block,
        formula="trainable × master_bytes",
        terms={"trainable": parameters, "master_bytes": master.bytes_per_block},
        source="zero-2019",
        basis=Basis.COUNTED,
    ).divided(cards)


def step_extra(
    optimizer: Optimizer, trained: Sequence[Tensor], dtype: Dtype, cards: int = 1
) -> Line | None:
    """Temporaries of the step, in the type that is updated (`dtype`).

    foreach: one copy of all that is trained; one by one: two of the largest; fused: none.
    """
    if optimizer.step is StepExtra.NONE:
        return None
    if optimizer.step is StepExtra.COPY_OF_TRAINED:
        name, elements = "trainable", sum(tensor.parameters for tensor in trained)
    else:
        name, elements = "two_largest", 2 * max(tensor.elements for tensor in trained)
    return Line(
        key="optimizer_temporaries",
        bytes=elements * dtype.bytes_per_block,
        formula=f"{name} × element_bytes",
        terms={name: elements, "element_bytes": dtype.bytes_per_block},
        source=optimizer.sources[0],
        basis=Basis.DERIVED,
    ).divided(cards)
