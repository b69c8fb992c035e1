"""The memory terms, against sums done by hand."""

from typing import Any

import pytest

from estimator import answer_document, load_catalog
from tests.estimator.questions import Document

CATALOG = load_catalog()
LLAMA = "meta-llama/Llama-3.1-8B"  # 32 layers, 4096 wide, 8 kv heads of 128, 128,256 words
GIB = 2**30


def line(request: Document, moment: str, key: str) -> int:
    """Bytes of one line of one moment."""
    answered = answer_document(request, CATALOG)
    assert answered["error"] is None, answered["error"]
    lines: dict[str, int] = {
        found["key"]: found["bytes"]
        for part in answered["moments"]
        if part["name"] == moment
        for found in part["lines"]
    }
    return lines[key]


def serve(**fields: object) -> Document:
    return {"task": "infer", "model": LLAMA, **fields}


def train(model: str = LLAMA, **fields: object) -> Document:
    return {"task": "train", "model": model, "method": "full", **fields}


@pytest.mark.parametrize(
    ("fields", "amount"),
    [
        # a token: 32 layers × 8 heads × 128 × (key + value) × 2 bytes = 131,072; × 8192 = 1 GiB
        ({"context": 8192}, GIB),
        ({"context": 8192, "users": 4}, 4 * GIB),
        ({"context": 8192, "kv": "fp8"}, GIB // 2),
        # pages of 16 tokens: 17 tokens take 32
        ({"context": 17, "kv": "bf16"}, 32 * 131_072),
        # Q8_0: a head of 128 is 4 blocks of 32 elements in 34 bytes = 136; 32 × 8 × 2 × 136
        ({"context": 256, "kv": "Q8_0", "weights": "gguf:Q8_0"}, 256 * 69_632),
        # split over two cards
        ({"context": 8192, "gpus": [{"id": "h100", "count": 2}]}, GIB // 2),
    ],
    ids=str,
)
def test_kv_cache(fields: Document, amount: int) -> None:
    assert line(serve(**fields), "decode", "kv_cache") == amount


def test_a_window_is_all_that_is_kept() -> None:
    # Gemma 2 2B: 26 layers, every other one sees 4,096 tokens; 4 kv heads of 256, 2 × 2 bytes.
    # A window may begin amid a page of 16 tokens, so there is one page more.
    ask = serve(model="google/gemma-2-2b", context=8192)
    assert line(ask, "decode", "kv_cache") == 13 * (4096 + 16 + 8192) * 4 * 256 * 4


@pytest.mark.parametrize(
    ("fields", "key", "amount"),
    [
        # GPT-2 has 124,439,808 parameters
        ({}, "weights", 2 * 124_439_808),
        ({"weights": "fp32"}, "weights", 4 * 124_439_808),
        ({}, "gradients", 2 * 124_439_808),
        ({"grads": "fp32"}, "gradients", 4 * 124_439_808),
        ({}, "master_weights", 4 * 124_439_808),
        ({}, "optimizer_momentum", 4 * 124_439_808),
        ({}, "optimizer_variance", 4 * 124_439_808),
        ({"master": "none"}, "optimizer_momentum", 2 * 124_439_808),
        ({"optimizer": "adamw_foreach"}, "optimizer_temporaries", 4 * 124_439_808),
        # the largest tensor is the embedding, 50,257 × 768, and two of it are held
        ({"optimizer": "adamw_loop"}, "optimizer_temporaries", 2 * 4 * 50_257 * 768),
        # over 8 cards: 124,439,808 × 4 ÷ 8
        ({"strategy": "zero1", "world": 8}, "optimizer_momentum", 62_219_904),
        ({"strategy": "zero2", "world": 8}, "gradients", 31_109_952),
    ],
    ids=str,
)
def test_a_step_of_gpt2(fields: Document, key: str, amount: int) -> None:
    assert line(train("openai-community/gpt2", **fields), "optimizer_step", key) == amount


def test_eight_bit_states() -> None:
    # GPT-2, blocks of 256 bytes with a 4-byte scale, tensors below 4,096 elements in fp32:
    # small: 12 layers × (2 norms × 2 × 768 + 2,304 + 768 + 3,072 + 768) + 2 × 768 = 121,344
    # blocks: (124,439,808 - 121,344) ÷ 256 = 485,619 whole and one half: 50,257 × 768 ÷ 256 is
    # 150,771, 1,024 × 768 ÷ 256 is 3,072, a layer's 7,077,888 ÷ 256 is 27,648; × 12 = 331,776
    small, blocks = 121_344, 150_771 + 3_072 + 331_776
    ask = train("openai-community/gpt2", optimizer="adamw_8bit")
    assert line(ask, "optimizer_step", "optimizer_momentum") == blocks * 260 + small * 4


def test_adafactor_keeps_a_row_and_a_column() -> None:
    # GPT-2: of each n × m matrix n + m, of each vector its length, in fp32
    # embeddings: 50,257 + 768 and 1,024 + 768; a layer: 768 + 2,304, 768 + 768, 768 + 3,072
    # twice; vectors as above
    matrices = 51_025 + 1_792 + 12 * (3_072 + 1_536 + 3_840 + 3_840)
    ask = train("openai-community/gpt2", optimizer="adafactor")
    assert line(ask, "optimizer_step", "optimizer_variance") == 4 * (matrices + 121_344)


def test_qlora_packs_linears_and_widens_the_rest() -> None:
    # Llama-3.1-8B: blocks' linears 6,979,321,856 at 8,452 bytes for 16,384; each divides evenly.
    # The rest, 2 × 128,256 × 4096 + 65 norms × 4096 = 1,050,939,392, becomes fp32
    ask: dict[str, Any] = train(method="qlora")
    assert line(ask, "load", "weights_nf4_dq") == 6_979_321_856 // 16_384 * 8_452
    assert line(ask, "load", "weights_fp32") == 4 * 1_050_939_392


def test_checkpoints_are_the_stream_in_front_of_each_block() -> None:
    # 2 × 2048 tokens × 32 blocks × 4096 × 2 bytes = 1 GiB
    assert line(train(batch=2), "forward", "checkpoints") == GIB
    # k-bit preparation makes the stream fp32
    assert line(train(batch=2, method="qlora"), "forward", "checkpoints") == 2 * GIB
    every_second = train(batch=2, checkpointing="every_2")
    assert line(every_second, "forward", "checkpoints") == GIB // 2


def test_blocks_that_are_not_checkpointed_keep_what_they_keep_without_checkpointing() -> None:
    # Llama-3.1-8B: 16 of its 32 blocks
    whole = line(train(batch=2, checkpointing="none"), "forward", "activations")
    half = line(train(batch=2, checkpointing="every_2"), "forward", "activations")
    assert half * 2 == whole


def test_logits_are_held_three_times_over() -> None:
    # log-softmax, the gradient that comes in and the one that goes out: 12 bytes a logit
    ask = train(batch=2, seq=1000)
    assert line(ask, "loss", "logits") == 2 * 1000 * 128_256 * 12


def test_dora_trains_a_length_a_row() -> None:
    # Llama-2-7B: LoRA's 39,976,960, and of each layer 4 × 4096 + 2 × 11008 + 4096 rows
    ask = {"task": "train", "model": "meta-llama/Llama-2-7b-hf", "method": "dora"}
    answered = answer_document(ask, CATALOG)
    assert answered["parameters"]["trainable"] == 39_976_960 + 32 * 42_496
    assert line(ask, "load", "adapters") == 4 * (39_976_960 + 32 * 42_496)


def test_selective_checkpointing_keeps_the_updates_that_dora_multiplies_out() -> None:
    # Llama-2-7B, q_proj: in each layer (4096 + 16) × 4096 in bf16; an identity goes through both
    ask: Document = {"model": "meta-llama/Llama-2-7b-hf", "method": "dora", "targets": ["q_proj"]}
    selective = train(**ask, checkpointing="selective")
    assert line(selective, "forward", "adapter_matrices") == 32 * 4112 * 4096 * 2
    moments = answer_document(train(**ask, checkpointing="full"), CATALOG)["moments"]
    assert "adapter_matrices" not in {one["key"] for moment in moments for one in moment["lines"]}
