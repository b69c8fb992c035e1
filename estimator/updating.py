"""How the weights are updated: what that keeps between steps, and which gradients are there when.

Three ways. All gradients first, then the step. Each used up as it comes: by the optimizer
(in backward, LOMO), or by an fp32 buffer that it is added to (Megatron). Or one block's at a
time, which become fp32 for the step on its copy (BAdam).
"""

from collections.abc import Sequence
from typing import NamedTuple

from estimator.breakdown import Line
from estimator.memory import gradients as grads
from estimator.memory import optimizer as opt
from estimator.memory.optimizer_step import Types, step_scratch
from estimator.memory.sharding import Shares
from estimator.rows import Dtype
from estimator.setup import TrainSetup
from estimator.tensors import Role, Tensor
from estimator.words import Loss, Method, Offload

Lines = tuple[Line | None, ...]
OF_VOCABULARY = (Role.EMBEDDING, Role.HEAD)


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


def updates(setup: TrainSetup, trained: tuple[Tensor, ...], share: Shares) -> Updates:
    """What updating `trained` takes, on the fullest card."""
    offloaded = setup.offload in (Offload.OPTIMIZER, Offload.BOTH)
    main = grads.main_gradients(
        trained, setup.main_grads, beside=not setup.passing, cards=share.gradients
    )
    kept = () if offloaded else _kept_between(setup, trained, share.states)
    resting = (*kept, main)
    if setup.passing:
        return _passing(setup, trained, share, resting, steps=not offloaded)
    whole = grads.gradients(trained, setup.grads, cards=share.gradients)
    scratch = None if offloaded else _scratch(setup, trained, share.states)
    return Updates(
        resting=resting,
        at_head=(),
        after_head=(),
        at_last_block=(_early(setup, trained, share.gradients),),
        at_embedding=(whole, _tied(setup, trained)),
        left=whole,
        in_step=(_step_gradients(setup, trained, whole), scratch),
    )


def _passing(
    setup: TrainSetup, trained: tuple[Tensor, ...], share: Shares, resting: Lines, *, steps: bool
) -> Updates:
    """Gradients that do not stay: the largest one, and its update where that is in backward."""
    head = [tensor for tensor in trained if tensor.role is Role.HEAD]
    embedding = [tensor for tensor in trained if tensor.role is Role.EMBEDDING]
    blocks = [tensor for tensor in trained if tensor.role not in OF_VOCABULARY]
    tied = _tied(setup, trained)
    waiting = grads.waiting_gradient(setup.shape.architecture, setup.grads) if tied else None
    at_embedding: Lines = (_one(setup, embedding or blocks), tied)
    updated = _with_update(setup, embedding or blocks)
    stepping = steps and not setup.in_backward
    return Updates(
        resting=resting,
        at_head=(_head_in_backward(setup), _one(setup, head), waiting),
        after_head=(*_with_update(setup, head), _norm(setup), waiting),
        at_last_block=(*_with_update(setup, blocks, next_is_there=True), waiting),
        at_embedding=max(at_embedding, updated, key=total),
        left=None,
        in_step=(_scratch(setup, trained, share.states) if stepping else None,),
    )


def _one(setup: TrainSetup, tensors: Sequence[Tensor]) -> Line | None:
    """The largest gradient; beside a buffer, which is the gradients, it has a name of its own."""
    key = "gradients" if setup.main_grads is None else "passing_gradient"
    return grads.passing_gradient(tensors, setup.grads, key=key)


def _with_update(
    setup: TrainSetup, tensors: Sequence[Tensor], *, next_is_there: bool = False
) -> Lines:
    """The largest tensor's gradient while its weight is updated, if that is in backward.

    LOMO's is dropped as soon as it is copied to fp32; by then the next one is there.
    """
    gradient = _one(setup, tensors)
    if not setup.in_backward or not tensors:
        return (gradient,)
    largest = max(tensors, key=lambda tensor: tensor.elements)._replace(copies=1)
    scratch = _scratch(setup, [largest], 1)
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


def _kept_between(setup: TrainSetup, trained: Sequence[Tensor], cards: int) -> Lines:
    """Master weights and the optimizer's states."""
    updated = updated_dtype(setup)
    states = opt.states(
        setup.optimizer,
        trained,
        updated=updated,
        followed=setup.states or updated,
        dtypes=setup.optimizer_dtypes,
        rank=setup.projection_rank,
        wide=(Role.EMBEDDING,) if setup.embedding_states is not None else (),
        cards=cards,
    )
    return (opt.master_weights(trained, setup.master, cards), *states)


def _scratch(setup: TrainSetup, trained: Sequence[Tensor], cards: int) -> Line | None:
    types = Types(updated_dtype(setup), setup.optimizer_dtypes)
    return step_scratch(setup.optimizer, trained, types, rank=setup.projection_rank, cards=cards)


def _step_gradients(setup: TrainSetup, trained: Sequence[Tensor], whole: Line) -> Line:
    """BAdam's are turned to fp32 one by one before its step; all others' stay as they are."""
    if setup.method is not Method.BADAM:
        return whole
    return grads.copied_gradients(trained, setup.fp32, setup.numbers.linear)


def _early(setup: TrainSetup, trained: Sequence[Tensor], cards: int) -> Line:
    """Gradients when the last block is done: a tied embedding has its head's already.

    Sharded, the root unit's come last of all, whole, before they are reduced.
    """
    tied = setup.shape.architecture.tied and cards == 1
    early = [t for t in trained if tied or t.role is not Role.EMBEDDING]
    return grads.gradients(early, setup.grads, cards=cards)


def _tied(setup: TrainSetup, trained: Sequence[Tensor]) -> Line | None:
    embedding = any(tensor.role is Role.EMBEDDING for tensor in trained)
    if setup.adapter is not None or not setup.shape.architecture.tied or not embedding:
        return None
    return grads.tied_gradient(setup.shape.architecture, setup.grads)


def updated_dtype(setup: TrainSetup) -> Dtype:
    """The type of the weights that the step updates: master, adapter, or the weights' own."""
    if setup.master is not None:
        return setup.master
    return setup.adapter.dtype if setup.adapter else setup.numbers.linear


def total(lines: Lines) -> int:
    """Bytes of `lines` together."""
    return sum(line.bytes for line in lines if line is not None)
