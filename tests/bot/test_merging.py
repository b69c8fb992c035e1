"""Merging an adapter is no training."""

import pytest

from bot.ask import Refused, Replied, open_desk

DESK = open_desk()


@pytest.mark.parametrize(
    ("line", "engine"),
    [
        ("merge lora into 70B", "transformers"),
        ("merging a qlora adapter rank 64 7B", "transformers"),
        ("merge_and_unload 8B lora", "transformers"),
        ("fuse lora into 7B mlx", "mlx"),
        ("how much memory does save_pretrained_merged 14B take", "transformers"),
    ],
)
def test_merging_loads_the_model(line: str, engine: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert (found.fields["task"], found.fields["engine"]) == ("infer", engine)
    assert any("trains nothing" in note for note in found.notes)


@pytest.mark.parametrize(
    ("line", "task"),
    [("serve 8B with a merged lora", "infer"), ("train 7B lora and merge it after", "train")],
)
def test_what_is_merged_before_or_after_changes_nothing(line: str, task: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert found.fields["task"] == task
    assert "context" not in found.fields


def test_merging_models_has_no_estimate() -> None:
    found = DESK.ask("merge two 7B models")
    assert isinstance(found, Refused)
    assert found.code == "unsupported"
