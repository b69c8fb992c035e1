"""What is trained of a model at a time, where that is not all of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """What is trained of a model at a time: some of its `blocks`, with or without its `ends`.

    The ends are embeddings, final norm and head. `last`: always the last blocks, below which
    no gradient is needed; else any of them.
    """

    blocks: int
    ends: bool
    last: bool = False
