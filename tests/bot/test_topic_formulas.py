"""The formula of a topic, worked out by hand from a model's published shape, is its example."""

import pytest

from bot.ask import open_desk
from bot.presenting.difference import by_part
from estimator import Answer

GUIDE = open_desk().guide
NEAR = 0.02  # what rounding up to blocks and pages may add
TOKENS = 32_768
LLAMA_3_8B = 8_030_261_248  # parameters, as published
LAYERS, WIDTH, FEED_FORWARD, KV_WIDTH = 32, 4096, 14_336, 1024  # of Llama 3.1 8B


def answers(topic: str) -> tuple[Answer, ...]:
    found = GUIDE.topic(topic)
    assert found is not None
    return found.answers


def part(answer: Answer, name: str) -> float:
    return float(by_part(answer).get(name, 0))


def near(size: float) -> object:
    return pytest.approx(size, rel=NEAR)


def test_a_cache_is_two_times_layers_heads_tokens_and_bytes() -> None:
    llama_2, llama_3, qwen = answers("gqa")
    assert part(llama_2, "cache") == near(2 * 32 * 32 * 128 * TOKENS * 2)
    assert part(llama_3, "cache") == near(2 * LAYERS * KV_WIDTH * TOKENS * 2)
    assert part(qwen, "cache") == near(2 * 28 * 4 * 128 * TOKENS * 2)


def test_latents_are_576_numbers_a_token_and_layer() -> None:
    latent, grouped = answers("mla")
    assert part(latent, "cache") == near(61 * (512 + 64) * TOKENS * 2)
    assert part(grouped, "cache") == near(2 * 126 * 8 * 128 * TOKENS * 2)


def test_a_window_ends_what_a_cache_holds() -> None:
    whole, window, _ = answers("sliding_window")
    assert part(whole, "cache") == near(2 * 32 * 8 * 128 * TOKENS * 2)
    assert part(window, "cache") == pytest.approx(2 * 32 * 8 * 128 * 4096 * 2, rel=0.05)


def test_a_quantised_cache_is_its_bits() -> None:
    plain, eight, four = (part(one, "cache") for one in answers("cache_types"))
    assert eight == near(plain * 8.5 / 16)
    assert four == near(plain * 4.5 / 16)


def test_context_and_users_multiply_it() -> None:
    short, middle, full = (part(one, "cache") for one in answers("context_length"))
    assert (middle, full) == (near(4 * short), near(16 * short))
    one, many, _ = (part(one, "cache") for one in answers("continuous_batching"))
    assert many == near(64 * one)


def test_adapters_are_rank_times_inputs_and_outputs() -> None:
    _, lora = answers("lora")
    ends = 2 * (2 * WIDTH) + 2 * (WIDTH + KV_WIDTH) + 3 * (WIDTH + FEED_FORWARD)
    assert lora.estimate.parameters.trainable == 16 * ends * LAYERS


def test_training_by_hand_comes_near_the_peak() -> None:
    small, large, _ = answers("by_hand")
    counts = small.estimate.parameters.trainable
    summed = 14 * counts + part(small, "activations") + 12 * 2048 * 128_256
    assert small.estimate.peak.bytes == pytest.approx(summed, rel=0.05)
    assert large.estimate.peak.bytes == pytest.approx(16 * LLAMA_3_8B, rel=0.05)


def test_logits_are_twelve_bytes_a_token_and_word() -> None:
    for answer, words in zip(answers("vocabulary"), (32_000, 152_064), strict=True):
        assert part(answer, "logits") == pytest.approx(12 * 4096 * words, rel=0.05)


def test_a_checkpoint_is_fourteen_bytes_a_parameter() -> None:
    full, lora, _ = answers("disk")
    sizes = [
        sum(line.bytes for line in one.storage if line.key.startswith("checkpoint"))
        for one in (full, lora)
    ]
    assert sizes == [14 * LLAMA_3_8B, 12 * lora.estimate.parameters.trainable]


def test_a_share_of_fsdp_is_an_eighth() -> None:
    _, fsdp, _ = answers("fsdp")
    assert part(fsdp, "weights") == near(2 * LLAMA_3_8B / 8)
    assert part(fsdp, "optimizer") == near(12 * LLAMA_3_8B / 8)


def test_slices_and_stages_divide_weights() -> None:
    whole, four, eight = (part(one, "weights") for one in answers("tensor_parallel"))
    assert (four, eight) == (near(whole / 4), near(whole / 8))
    _, stages, _ = (part(one, "weights") for one in answers("pipeline_parallel"))
    assert whole / 4 < stages < whole / 4 * 1.05


def test_packed_weights_are_their_bits() -> None:
    _, double, single = answers("qlora")
    linears = LAYERS * (2 * WIDTH * WIDTH + 2 * WIDTH * KV_WIDTH + 3 * WIDTH * FEED_FORWARD)
    lines = {line.key: line.bytes for line in double.estimate.peak.lines}
    assert lines["weights_nf4_dq"] == near(linears * 4.127 / 8)
    assert lines["weights_fp32"] == near((LLAMA_3_8B - linears) * 4)
    lines = {line.key: line.bytes for line in single.estimate.peak.lines}
    assert lines["weights_nf4"] == near(linears * 4.5 / 8)


def test_the_bytes_of_a_parameter_are_those_that_are_said() -> None:
    mixed, pure, single = (one.estimate.peak.bytes for one in answers("master_weights"))
    for peak, each in ((mixed, 16), (pure, 8), (single, 16)):
        assert peak == pytest.approx(each * LLAMA_3_8B, rel=0.05)
    _, prepared, _ = answers("dpo")
    assert part(prepared, "reference_weights") == 0
    assert part(answers("dpo")[2], "reference_weights") == 2 * LLAMA_3_8B
