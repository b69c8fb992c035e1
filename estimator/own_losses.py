"""The losses of LitGPT and torchtune: which of their instants is which part of a step."""

from dataclasses import replace

from estimator.breakdown import MomentName
from estimator.loss_paths import LossPath
from estimator.memory import chunked_logits as chunked
from estimator.memory.chunked_logits import Logits
from estimator.memory.packed_linears import earlier_inputs
from estimator.memory.spread import as_read
from estimator.memory.vocabulary_parallel import vocabulary_parallel
from estimator.objectives import FP32, loss_path
from estimator.setup import TrainSetup
from estimator.words import Library, Loss


def own_loss_path(setup: TrainSetup) -> LossPath | None:
    """The loss as the library takes it; none where it is transformers', or whole logits."""
    match setup.framework.library:
        case Library.LITGPT if setup.loss is Loss.CHUNKED:
            return _litgpt(setup)
        case Library.TORCHTUNE if setup.loss is Loss.CHUNKED:
            return _torchtune(setup)
        case Library.MEGATRON if setup.loss is Loss.STOCK and setup.shape.architecture.head:
            return _megatron(setup)
        case Library.TORCHTUNE if setup.framework.compiles_loss and setup.compiled:
            return _compiled(setup)
        case Library.UNSLOTH if setup.loss is Loss.FUSED_CE:
            return _unsloth(setup)
        case _:
            return None


def _compiled(setup: TrainSetup) -> LossPath | None:
    """torchtitan's: one kernel over the logits. High: as it was before it was compiled too."""
    if setup.loss is not Loss.STOCK:
        return None
    stock = loss_path(setup)
    path = loss_path(replace(setup, loss=Loss.FUSED_CE))
    if path.backward is None or stock.backward is None:
        return path
    high = max(line.bytes for line in (stock.forward, stock.backward) if line is not None)
    found = replace(path.backward, source="torchtitan-loss")
    return replace(
        path,
        forward=path.forward and replace(path.forward, high_bytes=high),
        kept=path.kept and replace(path.kept, high_bytes=high),
        backward=replace(found, high_bytes=high),
    )


def _unsloth(setup: TrainSetup) -> LossPath:
    """Its own kernel. High: Accelerate's fp32 copy of logits, which newer ones do not return."""
    path = loss_path(setup)
    if path.forward is None or not setup.autocast:
        return path
    copy = setup.tokens * setup.shape.architecture.vocabulary * FP32
    return replace(path, forward=replace(path.forward, high_bytes=path.forward.bytes + copy))


def _megatron(setup: TrainSetup) -> LossPath:
    """On each card's part of the vocabulary, in place."""
    wide, both = (
        vocabulary_parallel(
            tokens=setup.tokens,
            vocabulary=setup.shape.architecture.vocabulary,
            head_bytes=setup.numbers.compute.bytes_per_block,
            narrow=narrow,
        )
        for narrow in (False, True)
    )
    return LossPath(both, wide, both, MomentName.LOSS, MomentName.LOSS)


def _logits(setup: TrainSetup) -> Logits:
    architecture = setup.shape.architecture
    packed = setup.framework.library is Library.LITGPT and not setup.numbers.head.plain
    return Logits(
        sequences=setup.sequences,
        tokens=setup.tokens,
        vocabulary=architecture.vocabulary,
        head_bytes=setup.numbers.compute.bytes_per_block,
        unpacked=architecture.vocabulary * architecture.hidden if packed else 0,
        scaled=setup.adapter is not None and setup.adapter.scales,
    )


def _litgpt(setup: TrainSetup) -> LossPath:
    """Adapters have the head in chunks; full training has the loss alone in chunks."""
    logits, pieces = _logits(setup), setup.adapter is not None
    alone = setup.framework.longest_first
    inputs = None
    if logits.unpacked and setup.framework.keeps_packed_inputs and not alone:
        inputs = earlier_inputs(
            setup.shape.architecture, tokens=setup.tokens, element_bytes=logits.head_bytes
        )
    return LossPath(
        as_read(chunked.litgpt_forward(logits, chunked=pieces, alone=alone)),
        as_read(chunked.litgpt_kept(logits)),
        as_read(chunked.litgpt_backward(logits, chunked=pieces)),
        MomentName.LOSS,
        MomentName.LOSS,
        after=chunked.litgpt_held(logits),
        named=None if alone else chunked.litgpt_held(logits, "earlier_logits"),
        earlier=inputs,
    )


def _torchtune(setup: TrainSetup) -> LossPath:
    """Logits are dropped before backward; a trained head's weight gets a gradient a chunk."""
    logits = _logits(setup)
    backward = chunked.torchtune_backward(logits, compiled=setup.compiled)
    if setup.head_trained:
        head = chunked.torchtune_head(logits, setup.shape.architecture.hidden)
        backward = max(backward, head, key=lambda line: line.bytes)
    return LossPath(
        as_read(chunked.torchtune_forward(logits, compiled=setup.compiled)),
        as_read(chunked.torchtune_kept(logits, compiled=setup.compiled)),
        as_read(backward),
        MomentName.LOSS,
        MomentName.LOSS,
    )
