"""Numbers that would be read as something else, and formats that nobody trains on."""

import pytest

from bot.ask import Replied, open_desk

DESK = open_desk()
EXPERTS = "qwen3-235b q4_k_m"


@pytest.mark.parametrize(
    ("line", "fields", "noted"),
    [
        ("Qwen3.5-122B-A10B q4_k_m 80GB, only 10B active", {"weights": "gguf:Q4_K_M"}, "10B"),
        ("deepseek-r1 q4_k_m 37b active, minimum vram", {"task": "infer"}, "37b active"),
        ("infer mixtral 8x7b, active parameters 13b", {"task": "infer"}, "13b"),
        ("RTX 3090 | 412MiB / 24576MiB | infer 8B q4_k_m", {"in_use_bytes": 412 * 2**20}, ""),
        ("infer 14B q4_k_m with 8 thousand tokens of context", {"context": 8192}, ""),
        (f"{EXPERTS} 3090, experts stay in RAM", {"experts_on_cpu": True}, ""),
        (f"{EXPERTS} 3090, moe layers offloaded to system memory", {"experts_on_cpu": True}, ""),
        ("llama 3.1 8b 32k kv cache", {"context": 32768}, ""),
        ("lora 7b with sequences of 4096", {"seq": 4096}, ""),
        ("bge-m3 embeddings ctx 8192 fp16 vllm", {"context": 8192}, ""),
    ],
)
def test_each_is_read_as_what_it_is(line: str, fields: dict[str, object], noted: str) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert fields.items() <= dict(found.fields).items()
    assert any(noted in note for note in found.notes) or not noted


@pytest.mark.parametrize("method", ["lora", "dora", "full"])
def test_packed_weights_that_nobody_trains_are_unpacked(method: str) -> None:
    said, plain = (DESK.ask(f"train gpt-oss-20b {method}{end}") for end in (" mxfp4", ""))
    assert isinstance(said, Replied)
    assert isinstance(plain, Replied)
    assert said.answer.request == plain.answer.request
    assert "mxfp4" in said.notes[0]


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("smollm2 1.7b full finetune m2 macbook 16gb mlx", {"task": "train", "method": "full"}),
        ("llama3-8b lora r=16 α=32 bs=8", {"alpha": 32}),
        ("lama3 70b iq2xs single 3090 8k contex", {"context": 8192, "weights": "gguf:IQ2_XS"}),
        ("mixtral 8x22b q3ks on 3x3090", {"weights": "gguf:Q3_K_S"}),
        ("7900xtx 70b iq3xxs 4k ok?", {"weights": "gguf:IQ3_XXS"}),
        ("ds r1 distil 14b q6 on 12gb w/ 8k", {"task": "infer", "weights": "gguf:Q6_K"}),
        ("zero2 7b 4xa6000 bs4 seq 2k gradckpt lora", {"checkpointing": "full"}),
    ],
)
def test_short_ways_to_write_it(line: str, fields: dict[str, object]) -> None:
    found = DESK.ask(line)
    assert isinstance(found, Replied)
    assert fields.items() <= dict(found.fields).items()
