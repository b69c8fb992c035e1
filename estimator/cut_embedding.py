"""The gradient of an embedding that cards divide by the vocabulary, as PyTorch makes it."""

from estimator.breakdown import Basis, Line
from estimator.setup import TrainSetup
from estimator.tensors import Role, Tensor
from estimator.words import Library

TABLE = "embed_tokens"


def with_other_rows(
    setup: TrainSetup, gradients: Line | None, trained: tuple[Tensor, ...], *, cards: int
) -> Line | None:
    """`gradients`, and those of the rows of the table that other cards have.

    Every card sees every token, so DTensor's backward makes the gradient of the whole table on
    each, and keeps it until the step is done. Left out where gradients are sharded over `cards`:
    then it goes when they are.
    """
    own = _own_rows(setup, trained, cards)
    if gradients is None or not own:
        return gradients
    others = (setup.plan.tp - 1) * own
    return gradients.more("other_rows", others, setup.grads.bytes_per_block)


def picked_rows(setup: TrainSetup, trained: tuple[Tensor, ...], *, cards: int) -> Line | None:
    """A card's own rows of that gradient, which the step picks out of it: a copy."""
    own = _own_rows(setup, trained, cards)
    if not own:
        return None
    width = setup.grads.bytes_per_block
    return Line(
        key="embedding_gradient",
        bytes=own * width,
        formula="own_rows × gradient_bytes",
        terms={"own_rows": own, "gradient_bytes": width},
        source="torch-tensor-parallel",
        basis=Basis.COUNTED,
    )


def _own_rows(setup: TrainSetup, trained: tuple[Tensor, ...], cards: int) -> int:
    """Parameters of the rows that a card has; 0 where its gradient is no more than those."""
    own = setup.framework.library is Library.MEGATRON  # which looks its own rows up alone
    if setup.plan.tp == 1 or cards > 1 or own:
        return 0
    tables = (one for one in trained if one.role is Role.EMBEDDING and one.module == TABLE)
    return sum(table.parameters for table in tables)
