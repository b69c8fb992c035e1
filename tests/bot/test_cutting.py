"""Cutting: within the limit, whole where it fits, with no code span left open."""

from hypothesis import given
from hypothesis import strategies as st

from bot.surface.limits import cut, fit, pages

texts = st.text(st.sampled_from("ab `…"), max_size=60)
parts = st.lists(st.text(st.sampled_from("ab "), min_size=1, max_size=20), max_size=20)
mosts = st.integers(5, 50)


@given(texts, mosts)
def test_a_cut_text_is_short_enough(text: str, most: int) -> None:
    shown = cut(text, most)
    assert len(shown) <= most
    assert (shown == text) == (len(text) <= most)


@given(texts.filter(lambda text: text.count("`") % 2 == 0), mosts)
def test_a_cut_text_leaves_no_code_span_open(text: str, most: int) -> None:
    assert cut(text, most).count("`") % 2 == 0


@given(parts, mosts)
def test_what_fits_is_shown_in_order(found: list[str], most: int) -> None:
    shown = fit(found, most)
    assert len(shown) <= most
    whole = "\n".join(found)
    assert shown == whole or shown.endswith("…")


@given(parts, mosts)
def test_pages_hold_everything(found: list[str], most: int) -> None:
    shown = list(pages(found, most))
    assert all(0 < len(page) <= most for page in shown)
    if all(len(part) <= most for part in found):
        assert "\n".join(shown) == "\n".join(found)


def test_fit_keeps_all_that_goes_in() -> None:
    assert fit(["abc", "def"], 7) == "abc\ndef"
    assert fit(["abc", "def"], 6) == "abc\n…"
    assert fit([], 6) == ""
