"""What attention gathers where cards divide each sequence."""

from estimator.breakdown import Basis, Line


def gathered_keys(*, tokens: int, width: int, element_bytes: int, ranks: int) -> Line | None:
    """Keys and values of the whole sequence, `width` elements a token, while one block attends.

    `tokens`: a card's own, of `ranks` cards. Left out: the few kilobytes of log-sum-exps.
    """
    if ranks == 1:
        return None
    return Line(
        key="gathered_keys",
        bytes=ranks * tokens * width * element_bytes,
        formula="ranks × tokens × width × element_bytes",
        terms={"ranks": ranks, "tokens": tokens, "width": width, "element_bytes": element_bytes},
        source="torch-context-parallel",
        basis=Basis.DERIVED,
    )
