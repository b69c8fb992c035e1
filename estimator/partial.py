"""Methods that train some blocks of a model: the last ones, or others at a time (BAdam, LISA).

Which tensors those are, and what the graph keeps: a frozen block keeps what gradients need to
pass through it, a trained one also the inputs of its linears. Where the blocks change, it is
counted with the lowest ones, from where gradients pass through all others; below the lowest
nothing is kept but checkpoints, which torch keeps of blocks without gradients too.
"""

from dataclasses import replace

from estimator.architecture import Architecture
from estimator.breakdown import Line
from estimator.graph import FP32, RMS_NORMS, Graph
from estimator.kept_selective import shares_under
from estimator.memory.activations import kept_activations
from estimator.part import Part
from estimator.tensors import Tensor
from estimator.words import Checkpointing

SUFFIX = "_trained"


def partial_tensors(architecture: Architecture, part: Part) -> tuple[Tensor, ...]:
    """The tensors of the blocks that are trained, of the largest kind, and of both ends."""
    trained = architecture.with_layers({_largest(architecture): part.blocks})
    if part.ends:
        return trained.tensors
    (_, block), *_ = trained.stack
    norm, bias = architecture.norm, architecture.norm_bias
    return tuple(block.tensors(architecture.hidden, part.blocks, norm=norm, norm_bias=bias))


def kept_in_part(
    architecture: Architecture,
    part: Part,
    *,
    tokens: int,
    seq: int,
    graph: Graph,
    how: Checkpointing,
) -> Line:
    """What all blocks keep: the trained ones as in full training, the others as if frozen."""
    name = _largest(architecture)
    left = {
        kind: 0 if part.last else count - (part.blocks if kind == name else 0)
        for kind, (count, _) in zip(architecture.blocks, architecture.stack, strict=True)
    }
    trained = architecture.with_layers({name: part.blocks})
    shares = shares_under(how, trained, seq=seq, graph=graph)
    line = kept_activations(trained, shares, tokens=tokens)
    if not part.ends and graph.norm in RMS_NORMS:
        line = _without_first_input(line, tokens, architecture.hidden)
    if not any(left.values()):
        return line
    frozen = architecture.with_layers(left)
    passed = replace(graph, base_trained=False, recast=False)
    shares = shares_under(how, frozen, seq=seq, graph=passed)
    others = kept_activations(frozen, shares, tokens=tokens)
    return others.plus(line, SUFFIX)


def _without_first_input(line: Line, tokens: int, hidden: int) -> Line:
    """Below the lowest trained block nothing gets a gradient: its first norm keeps no input."""
    return replace(
        line,
        bytes=line.bytes - tokens * hidden * FP32,
        formula=f"{line.formula} - tokens × hidden × norm_bytes",
        terms={**line.terms, "hidden": hidden, "norm_bytes": FP32},
    )


def _largest(architecture: Architecture) -> str:
    """The kind of block with the most parameters."""
    sizes = {
        name: sum(
            tensor.parameters
            for tensor in block.tensors(
                architecture.hidden, 1, norm=architecture.norm, norm_bias=architecture.norm_bias
            )
        )
        for name, block in architecture.blocks.items()
    }
    return max(sizes, key=lambda name: sizes[name])
