"""The optimizer's states, and the fp32 master weights."""

from collections.abc import Mapping, Sequence

from estimator.tensors import Role, Tensor
from estimator.breakdown import Basis, Line
from estimator.optimizer_rows import Optimizer, State, elements
from estimator.rows import Dtype


def states(
    optimizer: Optimizer,
    trained: Sequence[Tensor],
    *,
    updated: Dtype,
    followed: Dtype,
    dtypes: Mapping[str, Dtype],
    rank: int,
    wide: tuple[Role, ...] = (),
    cards: int = 1,
) -> tuple[Line, ...]:
    """One line a state, or two: of a paged optimizer the large tensors' may leave the card.

    `updated`: the type that is updated; `followed`: that of states that follow their weight;
    `dtypes`: all others, by name. Block types keep whole blocks a tensor. `wide`: roles whose
    states are not packed. `cards`: over how many cards they are sharded.
    """
    paged_from = optimizer.paged_from
    stays = [t for t in trained if paged_from is None or t.elements < paged_from]
    moves = [t for t in trained if paged_from is not None and t.elements >= paged_from]
    lines = []
    for state in optimizer.states:
        for tensors, suffix in ((stays, ""), (moves, "_paged")):
            line = _state(
                state,
                tensors,
                key=f"optimizer_{state.name.replace(' ', '_')}{suffix}",
                updated=updated,
                followed=followed,
                dtypes=dtypes,
                rank=rank,
                wide=wide,
                optimizer=optimizer,
                paged=bool(suffix),
            )
            if line.bytes:
                lines.append(line.divided(cards))
    return tuple(lines)


def _state(
    state: State,
    tensors: Sequence[Tensor],
    *,
    key: str,
    updated: Dtype,
    followed: Dtype,
    dtypes: Mapping[str, Dtype],
    rank: int,
    wide: tuple[Role, ...],
    optimizer: Optimizer,
    paged: bool,
) -> Line:
    dtype = followed if state.dtype == "parameter" else dtypes[state.dtype]
    small_dtype = followed if state.small == "parameter" else dtypes["fp32"]
    fp32 = updated.id == dtypes["fp32"].id
    blocks = small = 0
    for tensor in tensors:
        count = elements(state.shape, tensor, rank=rank, side=state.side, fp32=fp32)
        broken = state.whole_blocks and count % dtype.elements_per_block
        if count < state.small_below or broken or (tensor.role in wide and not dtype.plain):
            small += tensor.copies * count
        else:
            blocks += tensor.copies * -(-count // dtype.elements_per_block)
    unit = "elements" if dtype.plain else "blocks"
    formula = f"{unit} × {dtype.id}_bytes"
    terms = {unit: blocks, f"{dtype.id}_bytes": dtype.bytes_per_block}
    whole = blocks * dtype.bytes_per_block
    if small:
        formula += f" + small_elements × {small_dtype.id}_bytes"
        terms |= {"small_elements": small, f"{small_dtype.id}_bytes": small_dtype.bytes_per_block}
        whole += small * small_dtype.bytes_per_block
    return Line(
        key=key,
        bytes=whole,
        formula=formula,
        terms=terms,
        source=optimizer.sources[0],
        basis=optimizer.basis,
        on_books=not paged,  # bitsandbytes asks the driver for pages, not PyTorch
        low_bytes=0 if paged else None,
    )


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
