"""Steps captured as CUDA graphs: how many, and what each takes."""

from estimator.breakdown import Basis, Book, Line
from estimator.units import KIB, MIB

LARGEST = KIB // 2  # tokens of the largest graph
FIRST = 3  # of 1, 2 and 4 tokens; from 8 on in steps
DENSE, DENSE_STEP = KIB // 4, 8  # tokens up to which sizes lie so far apart
GRAPH = 10 * MIB  # 0.74 to 1.1 GiB for 102 of them, of seven models on an H100
LEAST, MOST = 5 * MIB, 19 * MIB  # 0.51 to 1.85 GiB, of all models


def graph_sizes(most_tokens: int, step: int) -> int:
    """How many sizes of a step are captured: to `most_tokens`, `step` apart at the end."""
    most = min(LARGEST, most_tokens)
    dense = len(range(DENSE_STEP, min(DENSE, most + 1), DENSE_STEP))
    return FIRST + dense + len(range(DENSE, most + 1, step))


def cuda_graphs(sequences: int, step: int) -> Line:
    """Graphs of pieces for prompts, and whole ones while decoding `sequences` at most.

    What one takes is measured, over all sizes: pools of memory that graphs share, and their
    nodes. It grows with a model's kernels; the range spans the models that were measured.
    """
    pieces, whole = graph_sizes(2 * sequences, step), graph_sizes(sequences, step)
    return Line(
        key="cuda_graphs",
        bytes=(pieces + whole) * GRAPH,
        formula="(pieces + whole) × graph_bytes",
        terms={"pieces": pieces, "whole": whole, "graph_bytes": GRAPH},
        source="llm-d-planner-0.19",
        basis=Basis.MEASURED,
        book=Book.DEVICE,
        low_bytes=(pieces + whole) * LEAST,
        high_bytes=(pieces + whole) * MOST,
    )
