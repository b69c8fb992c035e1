"""Columns that letters take, and lines broken by them."""

from hypothesis import given
from hypothesis import strategies as st

from bot.presenting.widths import columns_of, padded, wrapped

texts = st.text(st.sampled_from("ab 重み中é"), max_size=60)


def test_letters_of_asia_take_two_columns_and_marks_none() -> None:
    assert columns_of("GiB") == 3
    assert columns_of("重み") == 4
    assert columns_of("e\u0301") == 1


def test_a_long_label_goes_on_below_its_beginning() -> None:
    said = wrapped("オプティマイザ momentum", 24, first=" 0.16  <1% ", indent=" " * 11)
    assert said == [" 0.16  <1% オプティマイ", "           ザ momentum"]


@given(texts, st.integers(12, 40))
def test_no_line_is_too_wide_and_no_letter_is_lost(text: str, most: int) -> None:
    lines = wrapped(text, most, first="> ", indent="  ")
    assert all(columns_of(line) <= most for line in lines)
    kept = "".join("".join(lines).removeprefix("> ").split())
    assert kept == "".join(text.split())


@given(texts, st.integers(1, 40))
def test_a_padded_text_has_its_width(text: str, width: int) -> None:
    for right in (False, True):
        assert columns_of(padded(text, width, right=right)) == max(width, columns_of(text))
