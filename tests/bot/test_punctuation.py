"""Marks between parts of a sentence, as Chinese and Japanese write them."""

import pytest

from bot.languages import SPOKEN
from bot.presenting.punctuation import punctuated

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
