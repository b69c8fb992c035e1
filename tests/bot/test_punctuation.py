"""Marks between parts of a sentence, as each language writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.languages import SPOKEN
from bot.locale import load_locale
from bot.presenting.presentation import CardRow, Refusal, Tone
from bot.presenting.punctuation import punctuated
from bot.presenting.spoken import spoken

WRITTEN_SO = ("zh-CN", "ja")


@pytest.mark.parametrize(
    ("joined", "said"),
    [
        ("7.25 B 参数, 另有 41.94 M 参与训练。", "7.25 B 参数，另有 41.94 M 参与训练。"),
        (
            "4.4 GiB 对 13.5 GiB (用 nf4_dq)。 反方向的",
            "4.4 GiB 对 13.5 GiB（用 nf4_dq）。反方向的",
        ),
        ("够: RTX A6000; 紧张: L40S, L40", "够：RTX A6000；紧张：L40S，L40"),
        ("8× RTX 4090 也不行; 1× 288 GB; 2× 80 GB", "8× RTX 4090 也不行；1× 288 GB；2× 80 GB"),
        ("得降配置. RTX 3060 能跑 8B", "得降配置。RTX 3060 能跑 8B"),
        ("16× 24 GB (2 台机器) 用 FSDP", "16× 24 GB（2 台机器）用 FSDP"),
        ("除 碎片（假设） 外", "除碎片（假设）外"),
    ],
)
def test_chinese_has_wide_marks_without_spaces(joined: str, said: str) -> None:
    assert punctuated(joined, "zh-CN") == said


@pytest.mark.parametrize(
    ("joined", "said"),
    [
        ("7.25 B パラメータ, 全部学習。", "7.25 B パラメータ、全部学習。"),
        ("設定を下げれば可能です. RTX 3060", "設定を下げれば可能です。RTX 3060"),
        ("重み fp8, KV キャッシュ (積算)", "重み fp8、KV キャッシュ (積算)"),
        ("遅くなる。 ホストメモリ", "遅くなる。ホストメモリ"),
        ("2× RTX 3090 の構成 に載ります", "2× RTX 3090 の構成に載ります"),
        ("主な差は 重み: 主な差は logits", "主な差は重み: 主な差は logits"),
    ],
)
def test_japanese_has_its_own_comma_and_stop(joined: str, said: str) -> None:
    assert punctuated(joined, "ja") == said


@pytest.mark.parametrize("code", WRITTEN_SO)
@pytest.mark.parametrize(
    "text",
    ["RTX 3090, RTX 4090; L4 (one GPU)", "`参数, 另有 (用)`", "```\n权重, 重み\n```"],
)
def test_latin_text_and_code_stay(code: str, text: str) -> None:
    assert punctuated(text, code) == text


@pytest.mark.parametrize("code", [one for one in SPOKEN if one not in WRITTEN_SO])
def test_other_languages_stay(code: str) -> None:
    assert punctuated("参数, 另有 (用). 重み", code) == "参数, 另有 (用). 重み"


def test_french_has_a_space_before_a_colon_and_a_semicolon() -> None:
    assert punctuated("oui: RTX 3090; non: T4", "fr") == "oui\u00a0: RTX 3090\u00a0; non\u00a0: T4"


@pytest.mark.parametrize(
    "text",
    ["Pic\u00a0: 3 GiB", "`a: b; c`", "```\na: b\n```", "[id](<https://example.org/a>)", "12:30"],
)
def test_french_that_is_set_already_code_and_links_stay(text: str) -> None:
    assert punctuated(text, "fr") == text


def test_a_french_label_is_set_for_the_colon_behind_it() -> None:
    french = load_locale("fr")
    refusal = Refusal("Compris", "7B", "Erreur", "", "À taper", ())
    assert spoken(refusal, french).understood_heading == "Compris\u00a0"
    assert spoken(refusal, french).type_heading == "À taper\u00a0"


def test_a_tone_stays_what_it_is() -> None:
    row = CardRow("24 GB", "oui", Tone.GOOD, "L4", "", asked=False, mixed=False)
    assert spoken(row, load_locale("fr")).tone is Tone.GOOD


@given(st.text())
def test_french_gets_nothing_but_spaces(text: str) -> None:
    said = punctuated(text, "fr")
    assert [one for one in said if not one.isspace()] == [one for one in text if not one.isspace()]
