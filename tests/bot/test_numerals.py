"""Numbers in sentences, as each language writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.languages import SPOKEN
from bot.locale import ENGLISH
from bot.presenting.numerals import written

OTHERS = [code for code in SPOKEN if code != ENGLISH]
SENTENCE = "15.7 GiB (16.9 GB), 29,360 tokens, 131,072 and 0.45%"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("de", "15,7 GiB (16,9 GB), 29.360 tokens, 131.072 and 0,45\u00a0%"),
        ("ru", "15,7 GiB (16,9 GB), 29\u00a0360 tokens, 131\u00a0072 and 0,45\u00a0%"),
        ("es-ES", "15,7 GiB (16,9 GB), 29.360 tokens, 131.072 and 0,45\u00a0%"),
        ("pt-BR", "15,7 GiB (16,9 GB), 29.360 tokens, 131.072 and 0,45%"),
        ("zh-CN", SENTENCE),
        ("ja", SENTENCE),
    ],
)
def test_numbers_with_units_and_large_ones_are_written_anew(code: str, said: str) -> None:
    assert written(SENTENCE, code) == said


@pytest.mark.parametrize(
    "text",
    [
        "Qwen2.5-7B",
        "meta-llama/Llama-3.1-8B",
        "torch 2.8 and vLLM 0.33",
        "PCIe 4.0 x16",
        "`seq 4,096 at 0.9 GiB`",
        "```\n15.7 GiB\n```",
        "[id](<https://example.org/1.5%20GB>)",
        "1-2,048",
        "1.024 Tokens",  # as the sentence itself writes it
        "0.5B (full)",
    ],
)
def test_names_code_and_links_stay(text: str) -> None:
    assert written(text, "de") == text


def test_spanish_groups_from_five_digits_on() -> None:
    assert written("2,048 tokens, 1,052.15 GiB", "es-ES") == "2048 tokens, 1052,15 GiB"


def test_a_sign_and_a_power_hinder_nothing() -> None:
    assert written("-0.7% of 65,536²", "de") == "-0,7\u00a0% of 65.536²"


def test_both_ends_of_a_range_are_written() -> None:
    assert written("15.7 → 9.1 GiB, 1.5–2.0 GiB", "de") == "15,7 → 9,1 GiB, 1,5–2,0 GiB"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2,048, not 4,096", "2.048, not 4.096"),
        ("32 × 65,536²", "32 × 65.536²"),
        ("**-0.7%**, -0.7% (-1.5 GiB)", "**-0,7\u00a0%**, -0,7\u00a0% (-1,5 GiB)"),
        ("7.25 B", "7,25 B"),
    ],
)
def test_what_stands_beside_a_number_does_not_keep_it(text: str, said: str) -> None:
    assert written(text, "de") == said


def test_a_number_alone_is_written_where_it_stands_in_a_column() -> None:
    assert written("15.73", "de", bare=True) == "15,73"
    assert written("15.73", "de") == "15.73"
    assert written("86%", "de", bare=True) == "86%"


@given(st.decimals(0, 10**9, places=2), st.sampled_from(OTHERS))
def test_no_digit_is_lost_or_changed(number: object, code: str) -> None:
    text = f"{number:,} GiB"
    said = written(text, code)
    assert [one for one in said if one.isdigit()] == [one for one in text if one.isdigit()]


@given(st.text(), st.sampled_from(OTHERS))
def test_any_text_can_be_written(text: str, code: str) -> None:
    said = written(text, code)
    assert [one for one in said if one.isalpha()] == [one for one in text if one.isalpha()]
