"""Mixtures by their two sizes."""

import pytest

from bot.ask import Refused, Replied, open_desk

DESK = open_desk()


@pytest.mark.parametrize(
    ("typed", "model"),
    [
        ("671B A37B", "deepseek-ai/DeepSeek-V3"),
        ("671b-a37b", "deepseek-ai/DeepSeek-V3"),
        ("671B (37B active)", "deepseek-ai/DeepSeek-V3"),
        ("deepseek 671b a37b", "deepseek-ai/DeepSeek-V3"),
        ("235B A22B", "Qwen/Qwen3-235B-A22B"),
        ("30b-a3b", "Qwen/Qwen3-30B-A3B"),
        ("26b a4b", "google/gemma-4-26B-A4B-it"),
        ("120b a5b", "openai/gpt-oss-120b"),
        ("21b a3.6b", "openai/gpt-oss-20b"),
        ("1T A32B", "moonshotai/Kimi-K2-Instruct"),
    ],
)
def test_two_sizes_name_a_model(typed: str, model: str) -> None:
    found = DESK.ask(f"infer {typed}")
    assert isinstance(found, Replied)
    assert found.fields["model"] == model


@pytest.mark.parametrize("typed", ["70b a37b", "16b a2b", "qwen3 30b a9b"])
def test_none_or_several_of_such_sizes_are_no_model(typed: str) -> None:
    found = DESK.ask(f"infer {typed}")
    assert isinstance(found, Refused)
    assert found.refusal.lines
