"""What one block keeps under selective checkpointing: products' outputs, not what follows.

The policy is that of PyTorch's own example: outputs of matrix products and of attention are
kept, all else is computed again. Every product counts, an adapter's two as well; torchtitan
keeps the first of them and every second one from there.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.graph import FP32, HALF, Graph
from estimator.kept import PerToken, Shares, kept_shares
from estimator.tensors import Role, Tensor
from estimator.words import AttentionKernel, Checkpointing

PRODUCTS = (Role.LINEAR, Role.EXPERT, Role.ROUTER)


class Product(NamedTuple):
    """A matrix product's output: elements a token, bytes of each, and whether it waits anyway."""

    elements: int
    width: int
    waits: bool  # plain training keeps it as it is


def selected_by_block(block: Block, hidden: int, *, seq: int, graph: Graph) -> PerToken:
    """Bytes a token: the block's input, each product's output, attention's and its log-sum-exp."""
    products = list(_products(block, hidden, graph))
    eager = graph.attention is AttentionKernel.EAGER
    heads = block.attention.query_heads
    return PerToken(
        {
            "hidden": graph.stream,
            "attended": graph.attending,
            "row_sums": graph.attending if eager else FP32,
            "outputs": 1,
        },
        {
            "hidden": hidden,
            "attended": block.attention.output_width,
            "row_sums": heads * seq if eager else heads,
            "outputs": sum(one.elements * one.width for one in products),
        },
    )


def shares_under(
    how: Checkpointing, architecture: Architecture, *, seq: int, graph: Graph
) -> Shares:
    """What a block of each kind leaves for backward: all that it reads, or selected outputs."""
    if how is not Checkpointing.SELECTIVE:
        return kept_shares(architecture, seq=seq, graph=graph)
    hidden = architecture.hidden
    return tuple(
        selected_by_block(block, hidden, seq=seq, graph=graph) for _, block in architecture.stack
    )


def shared_with_plain(block: Block, hidden: int, *, graph: Graph) -> int:
    """Bytes a token that are kept either way, so that recomputing does not bring them again."""
    attention = block.attention
    attended = attention.output_width * graph.attending + attention.query_heads * FP32
    return attended + sum(
        one.elements * one.width for one in _products(block, hidden, graph) if one.waits
    )


def _products(block: Block, hidden: int, graph: Graph) -> Iterator[Product]:
    """Those that are kept, in the order they run."""
    found = _all_products(block, hidden, graph)
    return islice(found, 0, None, 2) if graph.every_second_product else found


def _all_products(block: Block, hidden: int, graph: Graph) -> Iterator[Product]:
    adapter = graph.adapter
    for tensor in block.one(hidden):
        if tensor.role not in PRODUCTS:
            continue
        elements = tensor.active_experts * tensor.rows
        adapted = adapter is not None and tensor.module in adapter.targets
        yield Product(elements, graph.compute, waits=_waits(block, tensor) and not adapted)
        if adapter is not None and adapted:
            width = HALF if graph.autocast else adapter.dtype.bytes_per_block
            yield Product(adapter.rank, width, waits=True)
            yield Product(tensor.rows, width, waits=False)


def _waits(block: Block, tensor: Tensor) -> bool:
    """Values, and what an MLP's products put out but for the last; of experts, the last too."""
    if tensor.role is Role.EXPERT:
        return True
    if tensor.module in block.modules:
        return tensor.module == "v_proj"
    last = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)[-1:]
    return tensor.role is Role.LINEAR and tensor.module not in last
