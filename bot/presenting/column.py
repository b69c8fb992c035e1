"""Amounts in one unit, in a column that adds up."""

from collections.abc import Sequence

from estimator import GIB, show_gib_number

HUNDREDTHS = 100


def in_gib(amounts_bytes: Sequence[int]) -> list[str]:
    """Each amount in GiB to a hundredth; together they show the rounded sum, by largest remainder.

    What is there but rounds to nothing is `<0.01`.
    """
    scaled = [amount * HUNDREDTHS for amount in amounts_bytes]
    shown = [part // GIB for part in scaled]
    missing = (2 * sum(scaled) + GIB) // (2 * GIB) - sum(shown)
    by_remainder = sorted(range(len(scaled)), key=lambda place: -(scaled[place] % GIB))
    for place in by_remainder[:missing]:
        shown[place] += 1
    return [
        show_gib_number(part * GIB // HUNDREDTHS) if part else show_gib_number(min(amount, 1))
        for part, amount in zip(shown, amounts_bytes, strict=True)
    ]
