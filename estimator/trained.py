"""What is trained, in groups of one type: the model or the adapter, and whole modules beside it."""

from collections.abc import Iterable
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.breakdown import Line
from estimator.memory import optimizer as opt
from estimator.memory.adapters import adapter_tensors, saved_tensors
from estimator.memory.gradients import gradients
from estimator.rows import Dtype, StepExtra
from estimator.setup import Adapter, TrainSetup
from estimator.tensors import Role, Tensor


class Group(NamedTuple):
    """Trained tensors of one type: `updated` by the step, with gradients in `grads`."""

    tensors: tuple[Tensor, ...]
    updated: Dtype
    grads: Dtype


def trained_tensors(setup: TrainSetup) -> tuple[Tensor, ...]:
    """All that is trained: every weight, or an adapter and the modules saved beside it."""
    if setup.adapter is None:
        return setup.shape.architecture.tensors
    return tuple(tensor for group in groups(setup) for tensor in group.tensors)


def groups(setup: TrainSetup) -> tuple[Group, ...]:
    """The adapter and the saved modules; of one group where both have one type."""
    architecture, adapter = setup.shape.architecture, setup.adapter
    updated = setup.master or (adapter.dtype if adapter else setup.numbers.linear)
    if adapter is None:
        return (Group(architecture.tensors, updated, setup.grads),)
    own = own_tensors(architecture, adapter)
    saved = saved_tensors(architecture, adapter)
    held = saved_dtype(setup)
    if held == updated and held == setup.grads:
        return (Group((*own, *saved), updated, setup.grads),)
    grads = setup.grads if setup.request.grads else held
    beside = (Group(saved, held, grads),) if saved else ()
    return (Group(own, updated, setup.grads), *beside)


def own_tensors(architecture: Architecture, adapter: Adapter) -> tuple[Tensor, ...]:
    """What the method trains in its own type.

    PEFT trains a copy of the head that scores too, which nothing has trained yet.
    """
    score = (t for t in architecture.tensors if architecture.scores and t.role is Role.HEAD)
    return (*adapter_tensors(architecture, adapter), *score)


def saved_dtype(setup: TrainSetup) -> Dtype:
    """A saved module's copy has its original's type."""
    numbers = setup.numbers
    return numbers.head if setup.shape.architecture.tied else numbers.embedding


def group_gradients(setup: TrainSetup, cards: int, *, leave_out: tuple[Role, ...] = ()) -> Line:
    """Gradients of all groups but those of the roles left out."""
    found = [
        gradients(
            [t for t in group.tensors if t.role not in leave_out],
            group.grads,
            in_backward=setup.in_backward,
            cards=cards,
        )
        for group in groups(setup)
    ]
    return joined(found) or found[0]


def group_states(setup: TrainSetup, cards: int) -> tuple[Line, ...]:
    """The optimizer's states of all groups, each in the type of what it belongs to."""
    each = [
        opt.states(
            setup.optimizer,
            group.tensors,
            dtypes=[
                (setup.states or group.updated)
                if state.dtype == "parameter"
                else setup.state_dtypes[state.dtype]
                for state in setup.optimizer.states
            ],
            fp32=setup.fp32,
            rank=setup.projection_rank,
            cards=cards,
        )
        for group in groups(setup)
    ]
    lines = (joined(of_one_state) for of_one_state in zip(*each, strict=True))
    return tuple(line for line in lines if line is not None)


def group_step(setup: TrainSetup, cards: int) -> Line | None:
    """The step's temporaries: of all groups together, or of the largest tensor in any."""
    found = [
        opt.step_extra(setup.optimizer, group.tensors, group.updated, cards)
        for group in groups(setup)
    ]
    if setup.optimizer.step is StepExtra.TWO_OF_LARGEST:
        present = [line for line in found if line is not None]
        return max(present, key=lambda line: line.bytes, default=None)
    return joined(found)


def joined(lines: Iterable[Line | None]) -> Line | None:
    """The sum of lines of one kind, the terms of the second and third under names of their own."""
    whole: Line | None = None
    for line in lines:
        if line is not None and line.bytes:
            whole = line if whole is None else whole.plus(line, "_saved")
    return whole
