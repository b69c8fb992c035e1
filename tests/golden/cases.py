"""The questions whose whole answers are kept."""

from collections.abc import Mapping
from typing import Any

GOLDEN: Mapping[str, Mapping[str, Any]] = {
    "7b-adam-lora": {"task": "train", "model": "7B", "method": "lora", "optimizer": "adam"},
    "7b-adam-full": {"task": "train", "model": "7B", "method": "full", "optimizer": "adam"},
    "7b-own-rule": {
        "task": "train",
        "model": "7B",
        "method": "full",
        "optimizer": "adamw_8bit",
        "rule_bytes_per_parameter": 6.5,
        "rule_activation_bytes": 20_000_000_000,
    },
    "llama-3.1-70b-qlora-a100": {
        "task": "train",
        "model": "meta-llama/Llama-3.1-70B",
        "method": "qlora",
        "gpus": [{"id": "a100 80gb", "count": 1}],
    },
    "mixtral-qlora": {"task": "train", "model": "mistralai/Mixtral-8x7B-v0.1", "method": "qlora"},
    "gemma-2-2b-full-fp32": {
        "task": "train",
        "model": "google/gemma-2-2b",
        "method": "full",
        "weights": "fp32",
        "checkpointing": "none",
        "batch": 2,
        "seq": 1024,
    },
    "qwen-2.5-7b-zero3-4xa100": {
        "task": "train",
        "model": "Qwen/Qwen2.5-7B",
        "method": "full",
        "strategy": "zero3",
        "gpus": [{"id": "a100 80gb", "count": 4}],
    },
    "gpt2-dora-liger": {
        "task": "train",
        "model": "openai-community/gpt2",
        "method": "dora",
        "rank": 8,
        "lora_dropout": 0.05,
        "loss": "liger",
        "checkpointing": "none",
        "batch": 8,
        "seq": 1024,
        "optimizer": "adafactor",
    },
    "8b-q4-k-m-32k-4-users": {
        "task": "infer",
        "model": "8B",
        "weights": "gguf:Q4_K_M",
        "context": 32_768,
        "users": 4,
    },
    "70b-bf16-vllm-2xh100": {
        "task": "infer",
        "model": "70B",
        "weights": "bf16",
        "engine": "vllm",
        "strategy": "tp",
        "tp": 2,
        "gpus": [{"id": "h100", "count": 2}],
    },
    "gemma-2-27b-kv-q8-24gb": {
        "task": "infer",
        "model": "google/gemma-2-27b",
        "weights": "gguf:Q4_K_M",
        "kv": "Q8_0",
        "gpus": [{"id": "24gb", "count": 1}],
    },
    "error-bad-request": {"task": "train", "model": "7B", "batch": 0},
    "error-unknown-model": {"task": "train", "model": "lama 3.1 8b", "method": "lora"},
    "error-contradiction": {"task": "train", "model": "7B", "method": "full", "rank": 16},
    "error-unsupported": {"task": "train", "model": "7B", "method": "full", "strategy": "pp", "world": 4},
}
