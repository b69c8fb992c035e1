"""What a method puts beside a frozen model, and what that holds while the step runs."""

from estimator.breakdown import Line
from estimator.graph import Graph
from estimator.memory import activations as acts
from estimator.memory.adapter_matrices import (
    adapter_matrices,
    module_temporaries,
    update_temporaries,
)
from estimator.memory.adapters import (
    adapter_buffers,
    adapter_tensors,
    adapter_weights,
    saved_tensors,
    saved_weights,
)
from estimator.memory.gradients import gradients
from estimator.setup import TrainSetup
from estimator.trained import own_tensors, saved_dtype
from estimator.words import Checkpointing, Method

Lines = tuple[Line | None, ...]


def adapter_parts(setup: TrainSetup, cards: int, *, rows: bool) -> Lines:
    """What lies on the card beside a frozen model: both are sharded as weights are.

    `rows`: each tensor is cut along its first dimension, and the first card has the most.
    """
    adapter, architecture = setup.adapter, setup.shape.architecture
    if adapter is None:
        return ()
    own, saved = own_tensors(architecture, adapter), saved_tensors(architecture, adapter)
    if rows:
        own, saved = (tuple(t.first_part(cards) for t in some) for some in (own, saved))
        cards = 1
    return (
        adapter_weights(sum(tensor.parameters for tensor in own), adapter).divided(cards),
        adapter_buffers(architecture, adapter),
        saved_weights(saved, saved_dtype(setup).bytes_per_block).divided(cards),
    )


def matrices(setup: TrainSetup, graph: Graph, *, whole: bool) -> Line | None:
    """Weight-shaped tensors that adapters keep: of all blocks, or of one."""
    return adapter_matrices(setup.shape.architecture, graph, batch=setup.batch, whole=whole)


def running(setup: TrainSetup, graph: Graph) -> Line | None:
    """What one adapted linear holds while it goes forward."""
    selective = setup.checkpointing is Checkpointing.SELECTIVE
    return module_temporaries(
        setup.shape.architecture, graph, tokens=setup.tokens, product_kept=selective
    )


def updating(setup: TrainSetup, graph: Graph) -> Line | None:
    """What one adapted linear holds while it goes backward."""
    return update_temporaries(setup.shape.architecture, graph)


def regularised(setup: TrainSetup, cards: int, *, again: bool) -> Line | None:
    """AdaLoRA's orthogonal regularisation is part of the loss, and goes backward first.

    So all gradients are there before the logits'. Under autocast without checkpointing it
    frees as much at that moment: two casts of each factor.
    """
    adapter = setup.adapter
    if adapter is None or adapter.method is not Method.ADALORA:
        return None
    if setup.autocast and not again:
        return None
    own = own_tensors(setup.shape.architecture, adapter)
    return gradients(own, setup.grads, cards=cards)


def in_front(setup: TrainSetup, graph: Graph) -> Lines:
    """What prompts keep in front of checkpointed blocks.

    PEFT makes embedded tokens need a gradient; p-tuning's encoder keeps its casts.
    """
    adapter = setup.adapter
    if adapter is None or not adapter.lengthens:
        return ()
    embedded = acts.embedded_tokens(
        setup.shape.architecture, tokens=setup.batch * setup.seq, graph=graph
    )
    trained = tuple(adapter_tensors(setup.shape.architecture, adapter))
    return (embedded, acts.weight_casts(trained) if setup.autocast else None)
