"""What the adapters on one block keep for its backward, in bytes a token."""

from collections.abc import Iterable

from estimator.blocks import Block
from estimator.graph import FP32, HALF, Graph, Part
from estimator.mixers import Attention
from estimator.mlps import Activation, PlainMlp
from estimator.setup import Adapter
from estimator.tensors import Role


def adapters(block: Block, hidden: int, graph: Graph) -> Part:
    """Each adapter keeps its own input, cast to its type; in 16 bits it shares the base's."""
    adapter = graph.adapter
    if adapter is None:
        return
    targeted = sum(1 for _ in _targeted(block, hidden, adapter))
    width = HALF if graph.autocast else adapter.dtype.bytes_per_block
    if width > graph.compute or graph.autocast or adapter.dropout:
        yield "adapter_inputs", width  # a cast or a dropped-out copy, each its own
    elif not graph.inputs_kept:
        yield from _shared_inputs(block, adapter, width)
    yield "rank", width * targeted
    if adapter.dropout:
        yield "adapter_inputs", 1  # the mask
    if adapter.magnitudes:
        yield "adapter_outputs", 2 * HALF if graph.autocast else FP32 + HALF


def _shared_inputs(block: Block, adapter: Adapter, width: int) -> Part:
    """16-bit adapters: one copy for each distinct input that a target reads."""
    readers = set(block.attention.input_modules)
    if readers & set(adapter.targets):
        yield "hidden", width
    mlp = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)
    if mlp and set(mlp[:-1]) & set(adapter.targets):
        yield "hidden", width
    if mlp and mlp[-1] in adapter.targets and not keeps_output(block):
        yield "inner", width


def _targeted(block: Block, hidden: int, adapter: Adapter) -> Iterable[tuple[int, int]]:
    """(inputs, outputs) of every targeted linear of the block."""
    for tensor in block.parts(hidden, 1):
        if tensor.role is Role.LINEAR and tensor.module in adapter.targets:
            yield tensor.columns, tensor.rows


def adapter_inputs(block: Block, hidden: int, graph: Graph) -> int:
    """Inputs of every targeted linear, summed."""
    if graph.adapter is None:
        return 0
    return sum(inputs for inputs, _ in _targeted(block, hidden, graph.adapter))


def adapter_outputs(block: Block, hidden: int, graph: Graph) -> int:
    """Outputs of every targeted linear, summed."""
    if graph.adapter is None:
        return 0
    return sum(outputs for _, outputs in _targeted(block, hidden, graph.adapter))


def reads_output(attention: Attention, graph: Graph) -> bool:
    """Whether attention's output is kept by the projection behind it, uncast."""
    adapter = graph.adapter
    adapted = adapter is not None and attention.output_module in adapter.targets
    shared = adapter is not None and not graph.autocast and not adapter.dropout
    return graph.base_trained or (adapted and shared)


def keeps_output(block: Block) -> bool:
    """Whether the activation keeps its output, which the linear behind it reads (ReLU)."""
    mlp = block.mlp
    return isinstance(mlp, PlainMlp) and mlp.activation is Activation.RELU and not mlp.dropout
