"""What NCCL takes of a card for the groups in which it exchanges tensors.

No figure of PyTorch's holds it. It grows with the channels of a group, not with tensors.
"""

from estimator.breakdown import Basis, Book, Line
from estimator.units import MIB

SMALLEST_GROUP = 2  # cards
OF_TWO = 544 * MIB  # of a group of two cards, seen on A100
OF_MORE = 688 * MIB  # of more
LEAST = 342 * MIB  # of a group of two that sums up alone
MOST = 1600 * MIB  # of one that also sends from card to card


def communicators(groups: tuple[int, ...]) -> Line | None:
    """A communicator for each group of more than one card; `groups`: how many cards each has."""
    pairs = sum(size == SMALLEST_GROUP for size in groups)
    larger = sum(size > SMALLEST_GROUP for size in groups)
    if not pairs + larger:
        return None
    return Line(
        key="communicators",
        bytes=pairs * OF_TWO + larger * OF_MORE,
        formula="pairs × pair_bytes + groups × group_bytes",
        terms={"pairs": pairs, "pair_bytes": OF_TWO, "groups": larger, "group_bytes": OF_MORE},
        source="nccl-memory",
        basis=Basis.MEASURED,
        book=Book.DEVICE,
        low_bytes=(pairs + larger) * LEAST,
        high_bytes=(pairs + larger) * MOST,
    )
