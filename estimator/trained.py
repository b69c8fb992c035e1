"""What is trained, in groups of one type: the model or the adapter, and whole modules beside it."""

from estimator.architecture import Architecture
from estimator.held import TOWER
from estimator.memory.adapters import adapter_tensors, saved_tensors
from estimator.partial import partial_tensors
from estimator.rows import Dtype
from estimator.setup import Adapter, TrainSetup
from estimator.tensors import Role, Tensor
from estimator.updating import Group, updated_dtype


def trained_tensors(setup: TrainSetup) -> tuple[Tensor, ...]:
    """All that is trained: every weight, some blocks, or an adapter and modules beside it.

    A tower for images is not.
    """
    architecture = setup.shape.architecture
    if setup.part is not None:
        part = partial_tensors(architecture, setup.part)
        return tuple(t for t in part if t.role not in TOWER)
    if setup.adapter is None:
        return tuple(t for t in architecture.tensors if t.role not in TOWER)
    return all_of(groups(setup))


def all_of(parts: tuple[Group, ...]) -> tuple[Tensor, ...]:
    """The tensors of every group."""
    return tuple(tensor for group in parts for tensor in group.tensors)


def groups(setup: TrainSetup) -> tuple[Group, ...]:
    """The adapter and the saved modules; of one group where both have one type."""
    architecture, adapter = setup.shape.architecture, setup.adapter
    updated = updated_dtype(setup)
    if adapter is None:
        return _by_copies(setup, Group(trained_tensors(setup), updated, setup.grads))
    own = own_tensors(architecture, adapter)
    saved = saved_tensors(architecture, adapter)
    held = saved_dtype(setup)
    if held.id == updated.id == setup.grads.id:
        return (Group((*own, *saved), updated, setup.grads),)
    grads = setup.grads if setup.request.grads else held
    beside = (Group(saved, held, grads),) if saved else ()
    return (Group(own, updated, setup.grads), *beside)


def _by_copies(setup: TrainSetup, whole: Group) -> tuple[Group, ...]:
    """Experts that cards divide among them apart: fewer cards hold the same ones."""
    if setup.plan.ep == 1:
        return (whole,)
    experts = tuple(one for one in whole.tensors if one.experts > 1 or one.role is Role.EXPERT)
    others = tuple(one for one in whole.tensors if one not in experts)
    found = (
        whole._replace(tensors=others),
        whole._replace(tensors=experts, copies=setup.plan.expert_copies),
    )
    return tuple(group for group in found if group.tensors)


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
