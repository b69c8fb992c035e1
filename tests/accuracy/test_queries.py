"""Questions as people write them: the scorer, and how many of their fields are right."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.ask import open_desk
from estimator import load_catalog
from tests.accuracy.__main__ import main
from tests.accuracy.queries import Field, Mark, score, scores_of, scores_of_file, share_right
from tests.accuracy.query_meanings import same
from tests.accuracy.truth import read_rows

FILE = Path(__file__).with_name("queries.jsonl")
KEYS = ("model", "models", "params_b", "quant", "gpus", "vram_gb")
TYPED = ("q-en", "q-messy")
LEAST = 97  # percent
CATALOG = load_catalog()

SAME = [
    ("model", "meta-llama/Meta-Llama-3-8B", "meta-llama/Meta-Llama-3-8B-Instruct"),
    ("model", "mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-v0.3"),
    ("model", "neuralmagic/Mistral-Nemo-Instruct-2407-FP8", "mistralai/Mistral-Nemo-Base-2407"),
    ("params_b", 7, "7B"),
    ("params_b", 7, "meta-llama/Llama-2-7b-hf"),
    ("quant", "q4_k_m", "gguf:Q4_K_M"),
    ("quant", "4bit", "nf4"),
    ("quant", "q4", "gguf:Q4_K_S"),
    ("quant", "awq", "awq4"),
    ("quant", "gptq-int4", "gptq4"),
    ("gpus", [{"type": "A100", "count": 8}], [{"id": "a100-sxm4-80gb", "count": 8}]),
    ("gpus", [{"type": "RTX 3090", "count": 2}], [{"id": "rtx-3090", "count": 2}]),
    ("gpu_count", 3, [{"id": "class-24gb", "count": 3}]),
    ("vram_gb", 24, [{"id": "class-24gb", "count": 1}]),
    ("seq_len", 2000, 2048),
    ("zero", 3, "zero3"),
    ("optimizer", "adam", "adamw"),
    ("checkpointing", False, "none"),
    ("methods", ["lora", "full"], ["full", "lora"]),
]
OTHER = [
    ("model", "Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-Coder-7B"),
    ("model", "Qwen/Qwen2.5-7B", "Qwen/Qwen3-8B"),
    ("model", "meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.2-3B"),
    ("params_b", 7, "13B"),
    ("params_b", 7, "Qwen/Qwen3-8B"),
    ("quant", "q4_k_m", "gguf:Q5_K_M"),
    ("quant", "4bit", "gguf:Q8_0"),
    ("gpus", [{"type": "A100 80GB", "count": 8}], [{"id": "a100-sxm4-40gb", "count": 8}]),
    ("gpus", [{"type": "A100", "count": 8}], [{"id": "h100-sxm5-80gb", "count": 8}]),
    ("gpus", [{"type": "RTX 3090", "count": 2}], [{"id": "rtx-3090", "count": 1}]),
    ("gpus", [{"type": "RTX 3090", "count": 1}], [{"id": "rtx-3090-ti", "count": 1}]),
    ("vram_gb", 24, [{"id": "class-16gb", "count": 1}]),
    ("seq_len", 4096, 2048),
    ("zero", 3, "zero2"),
    ("checkpointing", False, "full"),
    ("methods", ["lora", "full"], ["lora"]),
]


def fields() -> Sequence[Field]:
    return scores_of_file(FILE)


@pytest.mark.parametrize(("key", "expected", "found"), SAME)
def test_the_same_in_other_words_is_right(key: str, expected: object, found: object) -> None:
    assert same(key, expected, found, CATALOG)


@pytest.mark.parametrize(("key", "expected", "found"), OTHER)
def test_another_thing_is_wrong(key: str, expected: object, found: object) -> None:
    assert not same(key, expected, found, CATALOG)


def test_models_formats_and_cards_are_read_as_they_are_typed() -> None:
    assert share_right(fields(), KEYS, TYPED) >= LEAST


def test_no_model_is_ever_another() -> None:
    assert [
        one for one in fields() if one.key in ("model", "models") and one.mark is Mark.WRONG
    ] == []


def test_a_value_counts_in_the_kind_of_reply_that_is_due_alone() -> None:
    row = {"id": "q-x-1", "text": "train 7B lora", "expect": {"method": "lora"}}
    desk = open_desk()
    marks = [field.mark for field in score(row | {"outcome": "answer"}, desk)]
    assert marks == [Mark.RIGHT, Mark.RIGHT]
    marks = [field.mark for field in score(row | {"outcome": "error"}, desk)]
    assert marks == [Mark.WRONG, Mark.UNANSWERED]


def test_a_row_that_follows_up_is_asked_below_the_answer_before_it() -> None:
    before = {"id": "q-x-009", "text": "serve 70B with vllm", "outcome": "answer", "expect": {}}
    row = {
        "id": "q-x-010",
        "text": "and the same for 405B",
        "outcome": "answer",
        "expect": {"params_b": 405, "engine": "vllm"},
        "note": {"follow_up": True},
    }
    own = [field for field in scores_of([before, row]) if field.id == row["id"]]
    assert [field.mark for field in own] == [Mark.RIGHT] * 3
    alone = scores_of([row])
    assert [field.found for field in alone] == ["ask", None, None]


def test_every_field_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["queries", str(FILE), "--worst", "3"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    expected = sum(1 + len(row["expect"]) for row in read_rows(FILE))
    assert last.startswith(f"overall n={expected} right=")
    assert " wrong=" in last
    assert " unanswered=" in last
