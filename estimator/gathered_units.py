"""Which units of sharded weights are whole at which part of a step."""

from typing import NamedTuple

from estimator.breakdown import Line
from estimator.memory.fully_sharded import gathered
from estimator.sharded_units import Units


class Gathered(NamedTuple):
    """Units that are whole, by the part of a step; none where the weights are whole anyway.

    `start`: before the first block. `copied`: while a block is copied out in forward, before
    it runs; `forward`: while it runs. `loss`: in its forward. `kept`: when forward is done.
    `again`: when the root unit is gathered for backward. `head`: in backward of loss and
    head. `first`, `middle`, `before_last`, `last`: in the blocks as they go back. `embedding`:
    behind them all.
    """

    start: Line | None = None
    copied: Line | None = None
    forward: Line | None = None
    loss: Line | None = None
    kept: Line | None = None
    again: Line | None = None
    head: Line | None = None
    first: Line | None = None
    middle: Line | None = None
    before_last: Line | None = None
    last: Line | None = None
    embedding: Line | None = None


def gathered_units(units: Units, source: str, *, buffered: bool, reshard: bool) -> Gathered:
    """`buffered`: FSDP2's way; not `reshard`: blocks stay whole from forward to backward."""
    root, block = units.root.gathered_bytes, units.widest.gathered_bytes
    extra = 1 if buffered else 0
    all_, depth = units.blocks_bytes, units.depth

    def held(
        roots: int, blocks: int, buffers: int = 0, *, gone: int | None = None, again: int = 0
    ) -> Line:
        parts = {
            "root_unit": (roots, root),
            "block_unit": (blocks, block),
            "block_buffer": (buffers if buffered else 0, block),
            "root_buffer": (again * extra, root),
        }
        if gone is not None and depth > gone:
            parts["all_block"] = (1, all_ - gone * block)
        return gathered(source, **parts)

    common = Gathered(
        start=held(1, 1, 1, again=1),
        before_last=held(1, 2) if not reshard else held(1, 2 - extra, 1),
        last=held(1, 1),
        embedding=held(1, 0),
    )
    if not reshard:
        every, forward = held(1, 0, gone=0), held(1, 0, 1, gone=0)
        return common._replace(
            copied=held(1, 0, 2, gone=0),
            forward=forward,
            loss=forward,
            kept=every,
            again=every,
            head=every,
            first=every,
            middle=held(1, 0, gone=1),
        )
    going = held(1, 2 - extra, 1)
    return common._replace(
        copied=held(1, 1, 2),
        forward=held(1, 1, 1),
        loss=held(1, 0, 1),
        kept=held(1 - extra, 0),
        again=held(1, 0, again=1),
        head=held(1, 1 - extra, 1),
        first=going,
        middle=going,
    )


def in_gathering(line: Line, *, buffered: bool) -> int:
    """What of it lies where units are gathered: the buffers, or the weights themselves."""
    if not buffered:
        return line.bytes
    names = ("block_buffer", "root_buffer")
    return sum(line.terms.get(f"{n}s", 0) * line.terms.get(f"{n}_bytes", 0) for n in names)
