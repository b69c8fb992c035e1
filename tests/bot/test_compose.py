"""Facts put together: what contradicts itself, what is settled by the task, what was understood."""

from typing import Any

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())

SETTLED: dict[str, dict[str, Any]] = {
    "7B lora ctx 8k": {"task": "train", "method": "lora", "seq": 8192},
    "7B vllm ctx 8k": {"task": "infer", "engine": "vllm", "context": 8192},
    "infer 7B bs 4 seq 2048": {"task": "infer", "users": 4, "context": 2048},
    "train 7B 8k": {"task": "train", "seq": 8192},
    "infer 7B 8k": {"task": "infer", "context": 8192},
    "7B r=16": {"task": "train", "method": "lora", "rank": 16},
    "7B r=16 4bit": {"task": "train", "method": "qlora", "rank": 16},
    "7B rank 64 galore_adamw": {"task": "train", "rank": 64, "optimizer": "galore_adamw"},
    "7B targets q_proj": {"task": "train", "method": "lora", "targets": ["q_proj"]},
    "train 7B lora_r: 32 lora_alpha: 16": {
        "task": "train", "method": "lora", "rank": 32, "alpha": 16.0
    },
    "train 7B adapter: qlora lora_r: 8": {"task": "train", "method": "qlora", "rank": 8},
    "train 7B lora targets attention": {
        "task": "train", "method": "lora", "targets": "attention"
    },
    "7B attention only": {"task": "train", "method": "lora", "targets": "attention"},
    "train 7B qlora lora targets attention": {
        "task": "train", "method": "qlora", "targets": "attention"
    },
    "train 7B seq 4096 ctx 4096": {"task": "train", "seq": 4096},
    "infer 7B ctx 8k 8k": {"task": "infer", "context": 8192},
    "infer 7B max ctx 8k": {"task": "infer", "context": 8192},
    "infer 7B users 4 bs 4": {"task": "infer", "users": 4},
    "train 7B dp 8 gpus": {"task": "train", "strategy": "ddp", "world": 8},
    "7B adapter": {"task": "train", "method": "lora"},
    "7B full parameter apollo": {"task": "train", "method": "apollo"},
    "run 7B": {"task": "infer"},
    "run a 7B lora": {"task": "train", "method": "lora"},
    "pretrain 7B": {"task": "train", "objective": "pretrain"},
    "serve 7B with the full 128k window": {"task": "infer", "context": 131072},
    "infer 7B ngl all": {"task": "infer", "gpu_layers": "all"},
    "infer 7B ngl 0": {"task": "infer", "gpu_layers": 0},
    "train 7B lora dropout 0": {"task": "train", "method": "lora", "lora_dropout": 0.0},
    "train 7B 16 bytes per parameter, activations 20GB": {
        "task": "train",
        "rule_bytes_per_parameter": 16.0,
        "rule_activation_bytes": 20_000_000_000,
    },
}  # fmt: skip
REFUSED = {
    "train 7B full lora": ("contradiction", "method", "train 7B full"),
    "train 7B flash eager": ("contradiction", "attention", "train 7B flash"),
    "train 7B z2 z3": ("contradiction", "strategy", "train 7B zero3"),
    "train 7B bs 4 bs 8": ("contradiction", "batch", "train 7B bs 8"),
    "train 7B packing no packing": ("contradiction", "packing", "train 7B"),
    "train 7B lora all linear q_proj": ("contradiction", "targets", "train 7B lora"),
    "train 7B vllm": ("contradiction", "engine", "train 7B"),
    "infer 7B lora": ("contradiction", "method", "infer 7B"),
    "infer 7B grad ckpt": ("contradiction", "checkpointing", "infer 7B"),
    "train 7B 8k 4k": ("contradiction", "seq", "train 7B"),
    "train 7B seq 4096 ctx 16k": ("contradiction", "seq", "train 7B seq 16384"),
    "train 7B seq length 4096 1M context": ("contradiction", "seq", "train 7B seq 1000000"),
    "train 7B seq 4096 8k": ("contradiction", "seq", "train 7B seq 8192"),
    "infer 7B ctx 16k 8k": ("contradiction", "context", "infer 7B ctx 8192"),
    "infer 7B users 4 bs 8": ("contradiction", "users", "infer 7B users 8"),
    "train 7B bs 2 4": ("loose_number", None, "train 7B bs 2"),
    "train 7B bs 0": ("bad_number", "batch", "train 7B"),
    "train 7B bs 1.5": ("bad_number", "batch", "train 7B"),
    "train 7B bs 99999999": ("bad_request", "batch", "train 7B"),
    "train infer 7B": ("contradiction", "task", "infer 7B"),
    "train 7B lora 24GB activations 20GB": ("ambiguous", None, "train 7B lora, 20GB"),
}


@pytest.mark.parametrize(("line", "expected"), SETTLED.items())
def test_what_goes_together(line: str, expected: dict[str, Any]) -> None:
    assert dict(READER.read(line).fields) == {"model": "7B"} | expected


@pytest.mark.parametrize(("line", "expected"), REFUSED.items())
def test_what_does_not(line: str, expected: tuple[str, str | None, str]) -> None:
    code, field, offered = expected
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert field not in caught.value.understood
    assert offered in caught.value.lines


def test_the_full_context_is_the_model_s_own() -> None:
    assert READER.read("serve llama-3.1-8b full context").fields["context"] == 131072
    assert READER.read("train llama-3.1-8b lora max ctx").fields["seq"] == 131072
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("serve 7B full context")
    assert "ctx 32k" in caught.value.message


@pytest.mark.parametrize(
    "words", ["ctx full", "ctx max", "context max", "ctx=max", "context length maximum"]
)
def test_the_whole_window_behind_its_key(words: str) -> None:
    fields = READER.read(f"infer llama-3.1-8b {words} users 4").fields
    assert (fields["context"], fields["users"]) == (131_072, 4)
    assert READER.read("infer llama-3.1-8b ctx max 8k").fields["context"] == 8192


def test_a_key_without_its_value_is_said_in_a_sentence() -> None:
    line = "how much vram does 8B q4_k_m need with its kv cache and context"
    (note,) = READER.read(line).notes
    assert "`kv cache`" in note
    assert "`context`" in note


def test_the_full_context_and_another_length_cannot_both_hold() -> None:
    assert READER.read("serve llama-3.1-8b full ctx 128k").fields["context"] == 131072
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("serve llama-3.1-8b full ctx 2048 tokens")
    lines = {"infer meta-llama/Llama-3.1-8B ctx 131072", "infer meta-llama/Llama-3.1-8B ctx 2048"}
    assert lines <= set(caught.value.lines)


def test_everything_that_was_read_is_understood() -> None:
    line = (
        "train 7B qlora paged adamw 8bit grad ckpt flash liger zero3 cpu offload r=16 bs 4 "
        "seq 2k accum 8 packing 2x3090 flurbl9"
    )
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.understood == {
        "task": "train",
        "model": "7B",
        "method": "qlora",
        "optimizer": "paged_adamw_8bit",
        "checkpointing": "full",
        "attention": "flash",
        "loss": "liger",
        "strategy": "zero3",
        "offload": "both",
        "rank": 16,
        "batch": 4,
        "seq": 2048,
        "accumulation": 8,
        "packing": True,
        "gpus": [{"id": "rtx-3090", "count": 2}],
    }


def test_several_contradictions_leave_the_rest_understood() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B lora flash eager fp8 int4 bs 4 adam sgd 17GB vllm")
    assert caught.value.understood["batch"] == 4
    assert caught.value.understood["method"] == "lora"
    assert caught.value.lines


@pytest.mark.parametrize("window", ["ctx 1k", "ctx=1K", "context 1024", "window 1024"])
def test_full_before_a_window_with_its_length_is_the_method(window: str) -> None:
    for model in ("7B", "llama-3.1-8b"):
        fields = READER.read(f"train {model} full {window} packing").fields
        assert (fields["method"], fields["seq"]) == ("full", 1024)
    lora = READER.read("train llama-3.1-8b lora full ctx 128k").fields
    assert (lora["method"], lora["seq"]) == ("lora", 131_072)
