"""Weight-shaped tensors that adapters make in forward: kept for backward, or gone at once."""

from collections.abc import Iterator

from estimator.adapted import targeted
from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.breakdown import Basis, Line
from estimator.factors import BOFT_BLOCK, oft_blocks
from estimator.graph import FP32, HALF, Graph
from estimator.kept import PerToken
from estimator.setup import Adapter
from estimator.tensors import Role, Tensor
from estimator.words import Method

WHOLE_UPDATES = (Method.LOHA, Method.LOKR)  # the update is made as a matrix
CAYLEY_PRODUCTS = 4  # OFT: the skew matrix, its square, its cube, the rotation
CAYLEY_CASTS = 7  # OFT under autocast: two products, and each operand's cast
SOLVED = 3  # BOFT: of each block its sum, its solution and its decomposition, in fp32
SQUARES = 3  # BOFT: the identity, the permutation's cast and their product


def adapter_matrices(
    architecture: Architecture, graph: Graph, *, batch: int, whole: bool
) -> Line | None:
    """What all blocks keep of such tensors, or the block that keeps the most."""
    if graph.adapter is None:
        return None
    found = [
        (count, _kept(block, architecture.hidden, graph, batch))
        for count, block in architecture.stack
    ]
    if not whole:
        found = [(1, max((share for _, share in found), key=lambda share: share.bytes))]
    texts: list[str] = []
    terms: dict[str, int] = {}
    total = 0
    for number, (count, share) in enumerate(found, start=1):
        if not share.bytes:
            continue
        suffix = "" if len(found) == 1 else f"_{number}"
        texts.append(f"blocks{suffix} × ({share.text(suffix)})")
        terms |= {f"blocks{suffix}": count} | share.terms(suffix)
        total += count * share.bytes
    if not total:
        return None
    text = " + ".join(texts)
    unasked = _unasked(architecture, graph.adapter) if whole else 0
    if unasked:
        boft = graph.adapter.method is Method.BOFT
        square = HALF if graph.autocast else graph.compute
        width = square if boft else _width(graph.adapter, graph)
        text += " - unasked_elements × element_bytes"
        terms |= {"unasked_elements": unasked, "element_bytes": width}
        total -= unasked * width
    return _line("adapter_matrices", total, text, terms, graph.adapter)


def _unasked(architecture: Architecture, adapter: Adapter) -> int:
    """Elements of updates and rotations that are kept for a gradient of the linear's input.

    Nobody asks the first ones that are adapted for it, unless the embedding is trained.
    """
    if adapter.method not in (*WHOLE_UPDATES, Method.BOFT) or Role.EMBEDDING in adapter.saved:
        return 0
    block = architecture.blocks[architecture.layers[0].of[0]]
    mlp = tuple(t.module for t in block.mlp.tensors(1, 1) if t.role is Role.LINEAR)
    attention = (block.attention.input_modules, (block.attention.output_module,))
    for first in (*attention, mlp[:-1], mlp[-1:]):
        linears = [t for t in targeted(block, architecture.hidden, adapter) if t.module in first]
        if linears:
            break
    else:
        return 0
    if adapter.method is Method.BOFT:
        return sum(linear.columns**2 for linear in linears)
    return sum(linear.elements for linear in linears)


def _width(adapter: Adapter, graph: Graph) -> int:
    return HALF if graph.autocast else adapter.dtype.bytes_per_block


def _kept(block: Block, hidden: int, graph: Graph, batch: int) -> PerToken:
    adapter = graph.adapter
    assert adapter is not None  # noqa: S101 - adapter_matrices asks for adapters alone
    found = {name: factor for name, factor in _coefficients(adapter, graph) if factor}
    if not found:
        return PerToken({}, {})
    linears = tuple(targeted(block, hidden, adapter))
    virtual = 2 * batch * adapter.virtual_tokens  # keys and values
    sizes = {
        "weight_elements": sum(t.elements for t in linears),
        "input_squares": sum(t.columns**2 for t in linears),
        "rotations": sum(t.columns * _block_size(t, adapter) for t in linears),
        "factors": adapter.rank * sum(t.columns + t.rows for t in linears),
        "first_factors": adapter.rank * sum(t.columns for t in linears),
        "virtual_keys": virtual * getattr(block.attention, "kv_width", 0),
        "virtual_heads": virtual * getattr(block.attention, "query_width", 0),
    }
    return PerToken(found, sizes)


def _block_size(linear: Tensor, adapter: Adapter) -> int:
    if adapter.method is Method.OFT:
        return oft_blocks(linear.columns, adapter.rank)[1]
    return BOFT_BLOCK


def _coefficients(adapter: Adapter, graph: Graph) -> Iterator[tuple[str, int]]:
    """Bytes for each element."""
    width = _width(adapter, graph)
    match adapter.method:
        case Method.DORA if adapter.dropout and (graph.autocast or width > graph.compute):
            yield "weight_elements", width  # the base is multiplied anew, by a copy
        case Method.LOHA | Method.LOKR:
            yield "weight_elements", width  # the update itself
        case Method.OFT:
            yield "rotations", CAYLEY_CASTS * HALF if graph.autocast else CAYLEY_PRODUCTS * width
        case Method.BOFT:
            recast = graph.autocast and graph.compute > HALF  # the rotation too is cast
            squares = SQUARES + 1 if recast else SQUARES
            yield "input_squares", squares * (HALF if graph.autocast else graph.compute)
            yield "rotations", SOLVED * FP32
        case Method.VERA:
            yield "factors", HALF if graph.autocast else 0
        case Method.ADALORA if graph.autocast:
            yield "factors", 2 * HALF  # transposed, each cast again
        case Method.ADALORA:
            yield "first_factors", width  # scaled by the singular values
        case Method.PREFIX:
            yield "virtual_keys", graph.compute
        case Method.LLAMA_ADAPTER:
            yield "virtual_heads", graph.compute


def selected_updates(architecture: Architecture, graph: Graph) -> Line | None:
    """DoRA under selective checkpointing: its updates are matrix products, and so are kept.

    An identity goes through both factors: each product's output stays until backward.
    """
    adapter = graph.adapter
    if adapter is None or adapter.method is not Method.DORA:
        return None
    elements = sum(
        count * (linear.elements + adapter.rank * linear.columns)
        for count, block in architecture.stack
        for linear in targeted(block, architecture.hidden, adapter)
    )
    width = _width(adapter, graph)
    terms = {"product_elements": elements, "product_bytes": width}
    formula = "product_elements × product_bytes"
    return _line("adapter_matrices", elements * width, formula, terms, adapter)


def module_temporaries(
    architecture: Architecture, graph: Graph, *, tokens: int, product_kept: bool = False
) -> Line | None:
    """What one adapted linear holds while it runs, weight-shaped: the largest.

    DoRA sends an identity (inputs²) through both factors to get the update as a matrix, then
    adds it to the weight for the lengths of its rows. Of the identity its cast stays.
    `product_kept`: the update is among what is kept (`selected_updates`).
    """
    adapter = graph.adapter
    if adapter is None or adapter.method is not Method.DORA:
        return None
    width = adapter.dtype.bytes_per_block
    product = _width(adapter, graph)
    kept = product if product_kept else 0
    fed = product + (width if graph.autocast and width > HALF else 0)
    added = (4 if width > graph.compute else 3) * width  # the base's weight is cast, or is there
    running = [
        _line(
            "adapter_temporaries",
            max(
                fed * linear.columns**2 + (product - kept) * linear.elements,
                product * linear.columns**2 + (added - kept) * linear.elements,
            )
            + tokens * linear.columns * (width if width > graph.compute else 0),
            "max(fed_bytes × inputs × inputs + update_bytes × weight_elements, "
            "product_bytes × inputs × inputs + added_bytes × weight_elements)"
            " + tokens × inputs × cast_bytes",
            {
                "inputs": linear.columns,
                "weight_elements": linear.elements,
                "fed_bytes": fed,
                "product_bytes": product,
                "update_bytes": product - kept,
                "added_bytes": added - kept,
                "tokens": tokens,
                "cast_bytes": width if width > graph.compute else 0,
            },
            adapter,
        )
        for _, block in architecture.stack
        for linear in targeted(block, architecture.hidden, adapter)
    ]
    return max(running, key=lambda line: line.bytes)


def update_temporaries(architecture: Architecture, graph: Graph) -> Line | None:
    """What the backward of one update that is a matrix holds: the largest.

    LoHa: the gradient as it comes, scaled, one of both products, and what they make, in the
    adapter's type. LoKr: the gradient scaled, and times one of its factors. BOFT: the
    gradients of a rotation's two products, inputs².
    """
    adapter = graph.adapter
    if adapter is None or adapter.method not in (*WHOLE_UPDATES, Method.BOFT):
        return None
    width = adapter.dtype.bytes_per_block
    match adapter.method:
        case Method.LOHA:
            whole = 3 * width + (HALF if graph.autocast else width)
        case Method.LOKR:
            whole = 2 * width + (HALF if graph.autocast else 0)
        case _:
            whole = 2 * graph.compute
    elements = max(
        linear.columns**2 if adapter.method is Method.BOFT else linear.elements
        for _, block in architecture.stack
        for linear in targeted(block, architecture.hidden, adapter)
    )
    return _line(
        "adapter_temporaries",
        elements * whole,
        "matrix_elements × update_bytes",
        {"matrix_elements": elements, "update_bytes": whole},
        adapter,
    )


def _line(key: str, total: int, formula: str, terms: dict[str, int], adapter: Adapter) -> Line:
    return Line(
        key=key,
        bytes=total,
        formula=formula,
        terms=terms,
        source=f"peft-{adapter.method.replace('_', '-')}",
        basis=Basis.DERIVED,
    )
