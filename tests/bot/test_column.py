"""A column of amounts shows what it adds up to."""

from hypothesis import given
from hypothesis import strategies as st

from bot.presenting.column import in_gib
from estimator import GIB, show_gib_number


def shown(number: str) -> float:
    return 0 if number.startswith("<") else float(number.replace(",", ""))


@given(st.lists(st.integers(0, 2000 * GIB), min_size=1, max_size=20))
def test_the_numbers_add_up_to_the_sum(amounts: list[int]) -> None:
    numbers = in_gib(amounts)
    total = shown(show_gib_number(sum(amounts)))
    assert abs(sum(map(shown, numbers)) - total) < 0.005
    for number, amount in zip(numbers, amounts, strict=True):
        assert abs(shown(number) - amount / GIB) < 0.011
        assert number.startswith("<") <= (amount > 0)


def test_what_is_there_is_not_nothing() -> None:
    assert in_gib([GIB, 1, 0]) == ["1.00", "<0.01", "0.00"]
