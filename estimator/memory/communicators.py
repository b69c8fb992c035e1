"""What NCCL takes of a card for the groups in which it exchanges tensors.

No figure of PyTorch's holds it. It grows with the channels of a group, not with tensors, nor
beyond two machines with their number.
"""

from estimator.breakdown import Basis, Book, Line
from estimator.units import MIB

SEEN = 688 * MIB  # of a group of three cards and more, on A100; of two it was 544
LEAST = 342 * MIB  # of two cards that sum up alone, as aiconfigurator has it
MOST = 1600 * MIB  # of one group, in issue 864


def communicators(groups: tuple[int, ...]) -> Line | None:
    """A communicator for each group of more than one card; `groups`: how many cards each has.

    One figure for all of them: so more cards never take less.
    """
    count = sum(size > 1 for size in groups)
    if not count:
        return None
    return Line(
        key="communicators",
        bytes=count * SEEN,
        formula="groups × group_bytes",
        terms={"groups": count, "group_bytes": SEEN},
        source="nccl-memory",
        basis=Basis.MEASURED,
        book=Book.DEVICE,
        low_bytes=count * LEAST,
        high_bytes=count * MOST,
    )
