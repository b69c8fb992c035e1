"""A draft model's name is taken out of a line before the model that it guesses for is read."""

import pytest

from bot.locale import load_locale
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())
SMALL = "meta-llama/Llama-3.2-1B"


@pytest.mark.parametrize(
    ("line", "model", "draft"),
    [
        ("infer llama 3.1 70b draft llama 3.2 1b, 2x h100", "meta-llama/Llama-3.1-70B", SMALL),
        ("serve llama 3.1 70b with a llama 3.2 1b draft on 2 h100", "meta-llama/Llama-3.1-70B",
         SMALL),
        ("serve 70B with 1B draft", "70B", "1B"),
        ("infer 70B q4_k_m -md llama-3.2-1b", "70B", SMALL),
        ("infer 70B vllm, speculative model: 1B", "70B", "1B"),
        ("infer llama 3.1 70b draft model llama 1b ctx 8k", "meta-llama/Llama-3.1-70B", SMALL),
        ("infer 70B with llama 3.2 1b as draft model", "70B", SMALL),
    ],
)  # fmt: skip
def test_both_models_are_read(line: str, model: str, draft: str) -> None:
    fields = READER.read(line).fields
    assert (fields["model"], fields["draft"]) == (model, draft)


def test_a_draft_without_a_model_is_left_aside() -> None:
    reading = READER.read("infer 70B draft")
    assert "draft" not in reading.fields
    assert any("draft" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("gpu util 0.9", {"utilization": 0.9}),
        ("util 90%", {"utilization": 0.9}),
        ("--gpu-memory-utilization 0.85", {"utilization": 0.85}),
        ("mem fraction static 0.8", {"utilization": 0.8}),
        ("max_num_batched_tokens 4096", {"max_batched_tokens": 4096}),
        ("chunked prefill size 8k", {"max_batched_tokens": 8192}),
        ("--max-num-seqs 64", {"max_num_seqs": 64}),
        ("enforce eager", {"enforce_eager": True}),
        ("8 loras rank 16", {"lora_adapters": 8, "rank": 16}),
        ("loras 4", {"lora_adapters": 4}),
        ("max-model-len 32k", {"context": 32_768}),
        ("16 users shared prefix 2k", {"users": 16, "shared_prefix": 2048}),
    ],
)
def test_how_a_server_is_started_is_read(words: str, fields: dict[str, object]) -> None:
    reading = READER.read(f"infer 8B vllm {words}")
    usual = {"task": "infer", "model": "8B", "engine": "vllm"}
    assert dict(reading.fields) == usual | fields
    assert dict(READER.read(reading.line).fields) == usual | fields
