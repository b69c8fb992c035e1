"""Words for number formats, in training and in serving."""

from typing import Any

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

READER = Reader(load_locale(), load_catalog())
NAMES = ("method", "weights", "compute", "master", "autocast", "grads", "states", "adapter", "kv")

SAID: dict[str, dict[str, Any]] = {
    "train 7B bf16": {"weights": "bf16"},
    "train 7B full fp32": {"method": "full", "weights": "fp32"},
    "train 7B pure bf16": {"weights": "bf16", "master": "none"},
    "train 7B pure fp16": {"weights": "fp16", "master": "none"},
    "train 7B bf16 no master": {"weights": "bf16", "master": "none"},
    "train 7B bf16 mixed precision": {"weights": "bf16", "master": "fp32"},
    "train 7B fp32 mixed": {"weights": "fp32", "autocast": True},
    "train 7B bf16 fp32 master": {"weights": "bf16", "master": "fp32"},
    "train 7B 4bit": {"method": "qlora"},
    "train 7B lora 4-bit": {"method": "qlora"},
    "train 7B lora load_in_4bit=true": {"method": "qlora"},
    "train 7B qlora bf16": {"method": "qlora", "compute": "bf16"},
    "train 7B qlora bnb_4bit_compute_dtype=fp16": {"method": "qlora", "compute": "fp16"},
    "train 7B nf4 double quant": {"method": "qlora", "weights": "nf4_dq"},
    "train 7B dora 4bit": {"method": "dora", "weights": "nf4"},
    "train 7B 8bit lora": {"method": "lora", "weights": "int8"},
    "train 7B lora adapters in bf16": {"method": "lora", "adapter": "bf16"},
    "train 7B grads fp32 states bf16": {"grads": "fp32", "states": "bf16"},
    "infer 7B 4bit": {"weights": "int4"},
    "infer 7B 4bit ollama": {"weights": "gguf:Q4_K_M"},
    "infer 7B 8bit": {"weights": "int8"},
    "infer 7B gguf": {"weights": "gguf:Q4_K_M"},
    "infer 7B q5_k_m gguf": {"weights": "gguf:Q5_K_M"},
    "infer 7B gguf bf16": {"weights": "gguf:BF16"},
    "infer 7B awq fp16": {"weights": "awq4", "compute": "fp16"},
    "infer 7B gptq 8bit": {"weights": "gptq8"},
    "infer 7B 4.65bpw": {"weights": "exl2"},
    "infer 7B fp8 kv": {"kv": "fp8"},
    "infer 7B fp8 kv cache fp8": {"weights": "fp8", "kv": "fp8"},
    "infer 7B fp8 kv q8": {"weights": "fp8", "kv": "Q8_0"},
    "infer 7B fp8, kv q8": {"weights": "fp8", "kv": "Q8_0"},
    "infer 7B q4_k_m kv fp8": {"weights": "gguf:Q4_K_M", "kv": "fp8"},
    "infer 7B 4bit awq": {"weights": "awq4"},
    "infer 7B 8bit q8_0": {"weights": "gguf:Q8_0"},
    "infer 7B gptq, 8bit": {"weights": "gptq8"},
    "infer 7B 8bit bf16": {"weights": "int8", "compute": "bf16"},
    "infer 7B exl2 4.65bpw": {"weights": "exl2"},
    "train 7B fp32 gradients fp32 master": {"grads": "fp32", "master": "fp32"},
    "train 7B gradients fp32 master fp32": {"grads": "fp32", "master": "fp32"},
    "train 7B lora 4bit adamw_8bit": {"method": "qlora"},
    "infer 7B q4_k_m, q8 cache": {"weights": "gguf:Q4_K_M", "kv": "Q8_0"},
    "infer 7B f16 gguf": {"weights": "gguf:F16"},
    "infer 7B bf16 gguf": {"weights": "gguf:BF16"},
    "infer 7B full precision gguf": {"weights": "gguf:F32"},
    "infer 7B half precision gguf ollama": {"weights": "gguf:F16"},
    "infer 7B 8bit gguf": {"weights": "gguf:Q8_0"},
    "infer 7B gguf 8 bit": {"weights": "gguf:Q8_0"},
    "infer 7B 4 bit gguf": {"weights": "gguf:Q4_K_M"},
    "infer 7B int8 gguf": {"weights": "gguf:Q8_0"},
    "infer 7B q5_k_m gguf 5bit": {"weights": "gguf:Q5_K_M"},
    "infer 7B exl2 4bit": {"weights": "exl2"},
    "infer 7B 2.5 bit exl2": {"weights": "exl2"},
    "infer 7B 3 bit gptq": {"weights": "gptq3"},
    "infer 7B gptq 2bit": {"weights": "gptq2"},
    "infer 7B exl3 3.0bpw": {"weights": "exl3"},
    "infer 7B 3.5 bit exl3": {"weights": "exl3"},
    "infer 7B mlx 4bit": {"weights": "mlx4"},
    "infer 7B 6 bit mlx": {"weights": "mlx6"},
    "infer 7B mlx3": {"weights": "mlx3"},
    "infer 7B mlx bf16": {"weights": "bf16"},
    "infer 7B fp8 block": {"weights": "fp8_block"},
    "infer 7B bnb 4bit": {"weights": "nf4"},
    "infer 7B 4-bit bitsandbytes vllm": {"weights": "nf4"},
    "infer 7B bnb vllm": {"weights": "nf4"},
    "infer 7B bitsandbytes nf4 vllm": {"weights": "nf4"},
    "infer 7B bnb 8bit": {"weights": "int8"},
    "7B bnb 8bit vllm": {"weights": "int8"},
    "infer 7B 8 bit bitsandbytes": {"weights": "int8"},
    "infer 7B load_in_4bit=true": {"weights": "nf4"},
    "train 7B lora bnb 4bit": {"method": "qlora"},
    "infer 7B kv q4": {"kv": "Q4_0"},
    "infer 7B kv q4_k": {"kv": "Q4_K"},
    "infer 7B kv q4_k_m": {"kv": "Q4_K"},
    "infer 7B kv q5_1": {"kv": "Q5_1"},
    "infer 7B kv q6": {"kv": "Q6_0"},
    "infer 7B kv 8bit": {"kv": "Q8_0"},
    "infer 7B Q4_K_L": {"weights": "gguf:Q4_K_L"},
    "infer 7B UD-Q4_K_XL": {"weights": "gguf:UD-Q4_K_XL"},
    "infer 7B ud q4_k_xl": {"weights": "gguf:UD-Q4_K_XL"},
}
BITS = {
    "7B 3bit": ("ambiguous", "infer 7B exl2 bpw 3", "infer 7B Q3_K_M"),
    "infer 7B 2.5 bit": ("ambiguous", "infer 7B exl2 bpw 2.5", "infer 7B Q2_K"),
    "infer 7B 5 bit": ("ambiguous", "infer 7B exl2 bpw 5", "infer 7B Q5_K_M"),
    "infer 7B 6bit ollama": ("ambiguous", "infer 7B ollama Q6_K", "infer 7B ollama Q6_K"),
    "infer 7B gguf 5 bit": ("ambiguous", "infer 7B Q5_K_M", "infer 7B Q5_K_M"),
    "train 7B lora 3bit": ("unknown_name", "train 7B lora 4bit", "train 7B lora 8bit"),
}
CONTRADICTIONS = (
    "train 7B bf16 fp16",
    "train 7B fp32 master, pure bf16",
    "infer 7B q4_k_m awq",
    "infer 7B q4_k_m fp16",
    "infer 7B fp8 int4",
    "infer 7B 8bit q4_k_m",
    "infer 7B 4bit q8_0",
    "infer 7B 8bit awq",
    "infer 7B 8 bit 4 bit",
    "train 7B 8 bit 4 bit",
    "train 7B nf4 dq 8bit",
    "infer 7B bpw 4.65 bf16",
    "infer 7B bpw 4.65 q4_k_m",
    "infer 7B fp8 gguf",
    "infer 7B awq gguf",
    "infer 7B gguf fp16 4bit",
    "infer 7B q5_k_m 6bit",
    "infer 7B awq 5bit",
    "infer 7B mlx4 8bit",
)


@pytest.mark.parametrize(("line", "expected"), SAID.items())
def test_what_is_held_in_what(line: str, expected: dict[str, Any]) -> None:
    fields = READER.read(line).fields
    assert {name: fields[name] for name in NAMES if name in fields} == expected


@pytest.mark.parametrize("line", CONTRADICTIONS)
def test_two_formats_cannot_both_hold(line: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.code == "contradiction"
    assert len(caught.value.lines) > 1


@pytest.mark.parametrize("line", ["infer 7B bf16 kv fp8", "train 7B fp8 bf16 grads fp32"])
def test_a_plain_format_before_a_key_with_another_behind_is_anybody_s(line: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert caught.value.code == "ambiguous"
    assert "both sides" in caught.value.message


@pytest.mark.parametrize(("line", "expected"), BITS.items())
def test_bits_of_no_usual_format_are_asked_back(line: str, expected: tuple[str, str, str]) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    code, *offered = expected
    assert caught.value.code == code
    assert set(offered) <= set(caught.value.lines)
    plain = [READER.read(line).fields.get("weights") for line in caught.value.lines]
    assert code != "ambiguous" or None not in plain  # a line without a format has 16 bits


@pytest.mark.parametrize(
    ("line", "bits"),
    [("exl2 4bit", 4.0), ("2.5 bit exl2", 2.5), ("exl3 3.0bpw", 3.0), ("exl3 4 bit", 4.0)],
)
def test_exl2_takes_any_bits(line: str, bits: float) -> None:
    assert READER.read(f"infer 7B {line}").fields["bpw"] == bits


def test_every_type_of_a_cache_is_read_as_it_is_written() -> None:
    """Whatever an engine may keep its cache in, also that of a fork."""
    for engine in load_catalog().engines.rows:
        forks = [kind for kinds in engine.fork_caches.values() for kind in kinds]
        for kind in (*engine.caches, *forks):
            assert READER.read(f"infer 7B {engine.id} kv {kind}").fields["kv"] == kind
