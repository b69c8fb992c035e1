"""How ggml lays a graph's tensors into one buffer before the first token is computed.

llama.cpp builds the widest graph that it may run, and `ggml-alloc` walks it once: a tensor
takes the free gap that fits it best, an operation that can overwrites its input, and what
nobody reads any more is free again. The buffer is as long as the walk ever reached, gaps
among it, and stays so long. So the walk is done here as it is done there.
"""

from collections.abc import Sequence
from typing import NamedTuple

ALIGNMENT = 128  # bytes, of CUDA's buffers
ENDLESS = 1 << 62


class Node(NamedTuple):
    """A tensor of `size` bytes, of a kind, that is computed from nodes `reads`.

    `over`: those of them whose memory it may take, if it is their last reader. `kept`: it is
    an output, and never freed. A node of no bytes only reads (a copy into the cache).
    """

    size: int
    kind: str
    reads: tuple[int, ...]
    over: tuple[int, ...]
    kept: bool


class Reach(NamedTuple):
    """How long the buffer became, and what lay in it then: bytes of each kind, and gaps."""

    bytes: int
    held: dict[str, int]


class Graph:
    """Nodes in the order they are computed. A view has no node: it is read as its source."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def add(
        self,
        kind: str,
        size: int,
        *reads: int,
        over: tuple[int, ...] = (),
        kept: bool = False,
    ) -> int:
        """One more tensor, rounded up to the alignment; its number."""
        self.nodes.append(Node(-(-size // ALIGNMENT) * ALIGNMENT, kind, reads, over, kept))
        return len(self.nodes) - 1

    def read(self, *nodes: int) -> None:
        """Somebody outside the buffer reads `nodes`: they are copied into the cache."""
        self.nodes.append(Node(0, "", nodes, (), False))

    def inplace(self, kind: str, size: int, first: int, *others: int) -> int:
        """A tensor that takes the memory of `first` where it is the last to read it."""
        return self.add(kind, size, first, *others, over=(first,))


def reach(nodes: Sequence[Node]) -> Reach:
    """Lay the nodes out, as `ggml_gallocr_reserve` does."""
    left = [0] * len(nodes)
    for node in nodes:
        for source in node.reads:
            left[source] += 1
    starts = [-1] * len(nodes)  # where a node lies; -1 if it lies nowhere
    free = [(0, ENDLESS)]  # gaps by their start; the last has no end
    high = 0
    owner: dict[int, None] = {}  # nodes that lie somewhere
    at_peak: list[int] = []
    for number, node in enumerate(nodes):
        if node.size:
            taken = _overwritten(nodes, node, left, starts)
            if taken >= 0:
                starts[number], starts[taken] = starts[taken], -1
                del owner[taken]
            else:
                starts[number] = _take(free, node.size)
            owner[number] = None
            if starts[number] + node.size > high:
                high = starts[number] + node.size
                at_peak = list(owner)
        for source in node.reads:
            left[source] -= 1
            if not left[source] and starts[source] >= 0 and not nodes[source].kept:
                _free(free, starts[source], nodes[source].size)
                starts[source] = -1
                del owner[source]
    held: dict[str, int] = {}
    for number in at_peak:
        held[nodes[number].kind] = held.get(nodes[number].kind, 0) + nodes[number].size
    return Reach(high, held)


def _overwritten(nodes: Sequence[Node], node: Node, left: list[int], starts: list[int]) -> int:
    """The node whose memory `node` takes over, or -1."""
    for source in node.over:
        other = nodes[source]
        if left[source] == 1 and starts[source] >= 0 and not other.kept and other.size == node.size:
            return source
    return -1


def _take(free: list[tuple[int, int]], size: int) -> int:
    """Where `size` bytes go: into the smallest gap that holds them, the endless one last."""
    best = len(free) - 1
    best_size = ENDLESS
    for number in range(len(free) - 1):
        if size <= free[number][1] <= best_size:
            best, best_size = number, free[number][1]
    start, room = free[best]
    if room == size:
        del free[best]
    else:
        free[best] = (start + size, room - size)
    return start


def _free(free: list[tuple[int, int]], start: int, size: int) -> None:
    """Give a range back, joined with the gaps around it."""
    end = start + size
    at = 0
    while at < len(free) and free[at][0] < start:
        at += 1
    if at < len(free) and free[at][0] == end:
        end += free[at][1]
        del free[at]
    if at and sum(free[at - 1]) == start:
        start = free[at - 1][0]
        del free[at - 1]
        at -= 1
    free.insert(at, (start, end - start))
