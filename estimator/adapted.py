"""What the adapters on one block keep for its backward, in bytes a token.

Each method keeps some of: its linears' inputs, cast or dropped out; their outputs, which a
factor scales; what lies between its factors, `rank` wide. Source: PEFT 0.21.2's layers.
"""

from collections.abc import Iterator, Mapping

from estimator.blocks import Block
from estimator.graph import FP32, HALF, RMS_NORMS, Graph, Part
from estimator.mixers import Attention, LatentAttention
from estimator.mlps import Activation, PlainMlp
from estimator.setup import Adapter
from estimator.tensors import Role, Tensor
from estimator.words import Method

TRAINS_ITS_INPUT_SIDE = (  # a trained factor or weight multiplies the input, which is kept
    *(Method.LORA, Method.RSLORA, Method.DORA, Method.QLORA, Method.ADALORA),
    *(Method.LOHA, Method.LOKR, Method.OFT, Method.BOFT),
)
BETWEEN_FACTORS = (
    *(Method.LORA, Method.RSLORA, Method.DORA, Method.QLORA, Method.LORA_FA),
    *(Method.ADALORA, Method.VERA),
)


# PEFT's layers for packed weights leave the cast of their input to autocast
ON_PACKED = (Method.LORA, Method.RSLORA, Method.DORA, Method.QLORA, Method.ADALORA)


def adapters(block: Block, hidden: int, graph: Graph) -> Part:
    """What the adapters of a block keep: coefficients of `adapter_sizes`."""
    adapter = graph.adapter
    if adapter is None:
        return
    width = _width(adapter, graph)
    if adapter.method in TRAINS_ITS_INPUT_SIDE:
        if _copies_inputs(adapter, graph):
            yield "adapter_inputs", width
            yield from _attended(block, adapter, graph, width)
        elif not graph.inputs_kept:
            yield from _shared_inputs(block, adapter, graph.compute, graph.given)
    if adapter.method in BETWEEN_FACTORS:
        yield "rank", width * sum(1 for _ in targeted(block, hidden, adapter))
    if adapter.dropout:
        yield "adapter_inputs", 1  # the mask
    yield from _scaled(block, adapter, width, graph)
    yield from _besides_linears(block, adapter, graph)


def _width(adapter: Adapter, graph: Graph) -> int:
    return HALF if graph.autocast else adapter.dtype.bytes_per_block


def _copies_inputs(adapter: Adapter, graph: Graph) -> bool:
    """Whether each target keeps an input of its own: cast, or dropped out."""
    if adapter.method is Method.BOFT:
        return graph.autocast and graph.compute > HALF
    if adapter.dropout or _width(adapter, graph) > graph.compute:
        return True
    uncast = adapter.method is Method.LOHA or (graph.packed and adapter.method in ON_PACKED)
    return graph.autocast and not (uncast and graph.compute == HALF)


def _attended(block: Block, adapter: Adapter, graph: Graph, width: int) -> Part:
    """Attention's own 16-bit output, which an adapter on a packed linear reads as it is."""
    uncast = graph.packed and graph.autocast and not adapter.dropout
    mixer = block.attention
    if (
        not isinstance(mixer, Attention | LatentAttention)
        or mixer.output_module not in adapter.targets
    ):
        return
    if uncast and adapter.method in ON_PACKED and graph.attending < graph.compute:
        yield ("query" if isinstance(mixer, Attention) else "value"), -width


def _scaled(block: Block, adapter: Adapter, width: int, graph: Graph) -> Part:
    """Outputs that a trained factor scales, and are kept for its gradient."""
    match adapter.method:
        case Method.DORA:  # the low-rank product's, and the base's, computed anew with dropout
            yield "adapter_outputs", width + (width if adapter.dropout else graph.compute)
        case Method.ADALORA:  # packed, it is cast to the base's type first
            yield "adapter_outputs", min(width, graph.compute) if graph.packed else width
        case Method.VERA:
            yield "adapter_outputs", width
        case Method.BOFT:
            yield "adapter_outputs", HALF if graph.autocast else graph.compute
        case Method.IA3:
            yield "adapter_outputs", graph.compute
            if adapter.dtype.bytes_per_block > graph.compute:
                yield "adapter_inputs", adapter.dtype.bytes_per_block
            elif not graph.inputs_kept:
                yield from _shared_inputs(block, adapter, graph.compute, graph.given, ia3=True)


def _besides_linears(block: Block, adapter: Adapter, graph: Graph) -> Part:
    """Methods that sit beside the linears: on norms, or on attention."""
    match adapter.method:
        case Method.LN_TUNING if graph.norm in RMS_NORMS:
            yield "hidden", graph.scaled_bytes * adapter.norms_of(block)
        case Method.LLAMA_ADAPTER:
            yield "query", graph.compute  # queries, rotated once more
            casts = graph.compute if graph.compute < FP32 else 0
            yield "virtual_scores", FP32 + casts + graph.compute


def _shared_inputs(
    block: Block, adapter: Adapter, width: int, given: str, *, ia3: bool = False
) -> Part:
    """One copy for each distinct input that a target reads, in the graph's own type.

    `given`: the size of what first linears read, by name.
    """
    mlp = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)
    if not ia3 and set(block.attention.input_modules) & set(adapter.targets):
        yield given, width
    if not ia3 and mlp and set(mlp[:-1]) & set(adapter.targets):
        yield given, width
    if mlp and mlp[-1] in adapter.targets and not keeps_output(block):
        yield "inner", width


def targeted(block: Block, hidden: int, adapter: Adapter) -> Iterator[Tensor]:
    """Every linear of the block that is adapted."""
    for tensor in block.one(hidden):
        if tensor.role is Role.LINEAR and tensor.module in adapter.targets:
            yield tensor


def feeds_forward(block: Block, module: str) -> bool:
    """Whether IA3 scales the module's input: the last linear of the MLP."""
    mlp = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)
    return bool(mlp) and module == mlp[-1]


def adapter_sizes(block: Block, hidden: int, graph: Graph) -> Mapping[str, int]:
    """The sizes that `adapters` speaks of: inputs and outputs of all targets, summed."""
    adapter = graph.adapter
    if adapter is None:
        return {}
    linears = tuple(targeted(block, hidden, adapter))
    inputs = outputs = linears
    if adapter.method is Method.IA3:
        inputs = tuple(t for t in linears if feeds_forward(block, t.module))
        outputs = tuple(t for t in linears if not feeds_forward(block, t.module))
    return {
        "adapter_inputs": sum(tensor.columns for tensor in inputs),
        "adapter_outputs": sum(tensor.rows for tensor in outputs),
        "rank": adapter.rank,
        "virtual_scores": block.attention.query_heads * adapter.virtual_tokens,
    }


def reads_output(attention: Attention, graph: Graph) -> bool:
    """Whether attention's output is kept by the projection behind it, uncast."""
    adapter = graph.adapter
    if adapter is None or adapter.method not in TRAINS_ITS_INPUT_SIDE:
        return graph.base_trained
    return attention.output_module in adapter.targets and not _copies_inputs(adapter, graph)


def keeps_output(block: Block) -> bool:
    """Whether the activation keeps its output, which the linear behind it reads (ReLU)."""
    mlp = block.mlp
    return isinstance(mlp, PlainMlp) and mlp.activation is Activation.RELU and not mlp.dropout
