"""How the weights are updated: what that keeps between steps, and which gradients are there when.

Three ways. All gradients first, then the step. Each used up as it comes: by the optimizer
(in backward, LOMO), or by an fp32 buffer that it is added to (Megatron). Or one block's at a
time, which become fp32 for the step on its copy (BAdam).
"""

from collections.abc import Sequence
from typing import NamedTuple

from estimator.breakdown import Line
from estimator.cut_embedding import picked_rows, with_other_rows
from estimator.memory import gradients as grads
from estimator.memory import optimizer as opt
from estimator.memory.optimizer_step import Types, step_scratch
from estimator.memory.sharding import Shares
from estimator.optimizer_rows import Over
from estimator.rows import Dtype
from estimator.setup import TrainSetup
from estimator.tensors import Role, Tensor
from estimator.words import Library, Loss, Method, Offload

Lines = tuple[Line | None, ...]
OF_VOCABULARY = (Role.EMBEDDING, Role.HEAD)
BESIDE = "_beside"  # ends the names of a second group's terms


class Group(NamedTuple):
    """Trained tensors of one type: `updated` by the step, with gradients in `grads`.

    `copies`: cards that hold the same tensors, where those are not all that share the states.
    """

    tensors: tuple[Tensor, ...]
    updated: Dtype
    grads: Dtype
    copies: int | None = None

    def shared_by(self, cards: int) -> int:
        """Over how many cards its states are sharded, where others' are over `cards`."""
        return cards if cards == 1 or self.copies is None else self.copies

    def of(self, *roles: Role) -> "Group":
        """Those of its tensors that have one of the roles."""
        return self._replace(tensors=tuple(one for one in self.tensors if one.role in roles))

    def without(self, *roles: Role) -> "Group":
        """Those of its tensors that have none of the roles."""
        return self._replace(tensors=tuple(one for one in self.tensors if one.role not in roles))


Groups = tuple[Group, ...]


class Updates(NamedTuple):
    """Lines of gradients and of the step.

    `resting`: between steps. `at_head`: when the head's gradient is made, where that is used
    up at once; `after_head`: when it is, before any block's. `at_last_block`, `at_embedding`:
    when those are made. `left`: when backward is done. `in_step`: in the optimizer's step.
    """

    resting: Lines
    at_head: Lines
    after_head: Lines
    at_last_block: Lines
    at_embedding: Lines
    left: Line | None
    in_step: Lines


def updates(setup: TrainSetup, groups: Groups, share: Shares) -> Updates:
    """What updating all that is trained takes, on the fullest card."""
    offloaded = setup.offload in (Offload.OPTIMIZER, Offload.BOTH)
    main = grads.main_gradients(
        _tensors(groups), setup.main_grads, beside=not setup.passing, cards=share.gradients
    )
    kept = () if offloaded else _kept_between(setup, groups, share.states)
    resting = (*kept, main)
    if setup.passing:
        return _passing(setup, groups, share, resting, steps=not offloaded)
    whole = _whole(groups, share.gradients)
    whole = with_other_rows(setup, whole, _tensors(groups), cards=share.gradients)
    return Updates(
        resting=resting,
        at_head=(),
        after_head=(),
        at_last_block=(_early(setup, groups, share.gradients),),
        at_embedding=(whole, _tied(setup, groups)),
        left=whole,
        in_step=(
            *((whole,) if offloaded else _in_step(setup, groups, whole, share.states)),
            picked_rows(setup, _tensors(groups), cards=share.gradients),
        ),
    )


def _passing(
    setup: TrainSetup, groups: Groups, share: Shares, resting: Lines, *, steps: bool
) -> Updates:
    """Gradients that do not stay: the largest one, and its update where that is in backward."""
    head = tuple(group.of(Role.HEAD) for group in groups)
    blocks = tuple(group.without(*OF_VOCABULARY) for group in groups)
    last = tuple(group.of(Role.EMBEDDING) for group in groups)
    last = last if _tensors(last) else blocks
    tied = _tied(setup, groups)
    waiting = grads.waiting_gradient(setup.shape.architecture, setup.grads) if tied else None
    at_embedding: Lines = (_one(setup, last), tied)
    updated = _with_update(setup, last)
    stepping = steps and not setup.in_backward
    return Updates(
        resting=resting,
        at_head=(_head_in_backward(setup), _one(setup, head), waiting),
        after_head=(*_with_update(setup, head), _norm(setup), waiting),
        at_last_block=(*_with_update(setup, blocks, next_is_there=True), waiting),
        at_embedding=max(at_embedding, updated, key=total),
        left=None,
        in_step=(_scratch(setup, groups, share.states) if stepping else None,),
    )


def _one(setup: TrainSetup, groups: Groups) -> Line | None:
    """The largest gradient; beside a buffer, which is the gradients, it has a name of its own."""
    key = "gradients" if setup.main_grads is None else "passing_gradient"
    found = (grads.passing_gradient(group.tensors, group.grads, key=key) for group in groups)
    return max((line for line in found if line), key=lambda line: line.bytes, default=None)


def _with_update(setup: TrainSetup, groups: Groups, *, next_is_there: bool = False) -> Lines:
    """The largest tensor's gradient while its weight is updated, if that is in backward.

    LOMO's is dropped as soon as it is copied to fp32; by then the next one is there.
    """
    gradient = _one(setup, groups)
    if not setup.in_backward or gradient is None:
        return (gradient,)
    alone = (
        group._replace(tensors=(tensor._replace(copies=1),))
        for group in groups
        for tensor in group.tensors
    )
    largest = max(alone, key=lambda group: group.tensors[0].elements * group.grads.bytes_per_block)
    scratch = _scratch(setup, (largest,), 1)
    if setup.optimizer.drops_gradient and scratch is not None and not next_is_there:
        return (scratch,)
    return (gradient, scratch)


def _head_in_backward(setup: TrainSetup) -> Line | None:
    """Of a stock loss, that builds the logits; the others make the head's gradient themselves."""
    if setup.loss not in (Loss.STOCK, Loss.STOCK_4):
        return None
    return grads.head_in_backward(
        setup.shape.architecture,
        tokens=setup.tokens,
        element_bytes=setup.numbers.compute.bytes_per_block,
    )


def _norm(setup: TrainSetup) -> Line | None:
    """LOMO updates the head when the final norm's gradient is there."""
    if not setup.optimizer.drops_gradient:
        return None
    return grads.norm_in_backward(
        setup.shape.architecture,
        tokens=setup.tokens,
        element_bytes=setup.numbers.compute.bytes_per_block,
    )


def _kept_between(setup: TrainSetup, groups: Groups, cards: int) -> Lines:
    """Master weights and the optimizer's states, each in the type of what it belongs to."""
    lines: dict[str, Line] = {}
    for group in groups:
        found = opt.states(
            setup.optimizer,
            group.tensors,
            updated=group.updated,
            followed=setup.states or group.updated,
            dtypes=setup.optimizer_dtypes,
            rank=setup.projection_rank,
            wide=(Role.EMBEDDING,) if setup.embedding_states is not None else (),
            cards=group.shared_by(cards),
        )
        for line in found:
            lines[line.key] = lines[line.key].plus(line, BESIDE) if line.key in lines else line
    return (_masters(setup, groups, cards), *lines.values())


def _masters(setup: TrainSetup, groups: Groups, cards: int) -> Line | None:
    if all(group.copies is None for group in groups):
        return opt.master_weights(_tensors(groups), setup.master, cards)
    found = (
        opt.master_weights(group.tensors, setup.master, group.shared_by(cards)) for group in groups
    )
    return _joined([line for line in found if line is not None])


def _scratch(setup: TrainSetup, groups: Groups, cards: int) -> Line | None:
    """The step's scratch; where it is all tensors' at once, that of all groups."""
    found = [
        step_scratch(
            setup.optimizer,
            group.tensors,
            Types(group.updated, setup.optimizer_dtypes),
            rank=setup.projection_rank,
            cards=group.shared_by(cards),
        )
        for group in groups
        if group.tensors
    ]
    present = [line for line in found if line is not None and line.bytes]
    if any(instant.over is Over.ALL for instant in setup.optimizer.step):
        return _joined(present)
    return max(present, key=lambda line: line.bytes, default=None)


def _in_step(setup: TrainSetup, groups: Groups, whole: Line | None, cards: int) -> Lines:
    """All gradients and the step's scratch.

    BAdam's gradients are turned to fp32 one by one before; its weights are copied back after.
    """
    scratch = _scratch(setup, groups, cards)
    if setup.method is not Method.BADAM:
        return (whole, scratch)
    tensors = _tensors(groups)
    back = grads.copied_weight(tensors, setup.numbers.linear)
    wider = scratch if scratch is not None and scratch.bytes > back.bytes else back
    return (grads.gradients(tensors, setup.fp32), wider)


def _whole(groups: Groups, cards: int) -> Line | None:
    return _joined([grads.gradients(one.tensors, one.grads, cards=cards) for one in groups])


def _early(setup: TrainSetup, groups: Groups, cards: int) -> Line | None:
    """Gradients when the last block is done: a tied embedding has its head's already.

    Sharded, the root unit's come last of all, whole, before they are reduced.
    """
    tied = setup.shape.architecture.tied and cards == 1 and setup.adapter is None
    early = groups if tied else tuple(group.without(Role.EMBEDDING) for group in groups)
    return _whole(early, cards)


def _tied(setup: TrainSetup, groups: Groups) -> Line | None:
    embedding = any(tensor.role is Role.EMBEDDING for tensor in _tensors(groups))
    if setup.adapter is not None or not setup.shape.architecture.tied or not embedding:
        return None
    in_place = setup.framework.library is Library.TORCHTUNE
    return grads.tied_gradient(setup.shape.architecture, setup.grads, in_place=in_place)


def _tensors(groups: Groups) -> tuple[Tensor, ...]:
    return tuple(tensor for group in groups for tensor in group.tensors)


def _joined(lines: Sequence[Line]) -> Line | None:
    """The sum of lines of one kind."""
    whole = lines[0] if lines else None
    for line in lines[1:]:
        if whole is not None and line.bytes:
            whole = whole.plus(line, BESIDE)
    return whole


def updated_dtype(setup: TrainSetup) -> Dtype:
    """The type of the weights that the step updates: master, adapter, or the weights' own."""
    if setup.master is not None:
        return setup.master
    return setup.adapter.dtype if setup.adapter else setup.numbers.linear


def total(lines: Lines) -> int:
    """Bytes of `lines` together."""
    return sum(line.bytes for line in lines if line is not None)
