"""llama.cpp's buffers: laws that hold of any model, and settings that cannot be."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import Answer, EstimatorError, answer, load_catalog, parse_request
from estimator.engines.ggml_plan import ALIGNMENT, Graph, reach

CATALOG = load_catalog()
LLAMA, GEMMA = "meta-llama/Llama-3.1-8B", "google/gemma-3-27b-it"
EXPERTS, LATENT = "Qwen/Qwen3-30B-A3B", "deepseek-ai/DeepSeek-V2-Lite"


def answered(model: str = LLAMA, **fields: object) -> Answer:
    asked = {"task": "infer", "model": model, "weights": "gguf:Q4_K_M", "engine": "llama.cpp"}
    return answer(parse_request(asked | fields), CATALOG)


def held(key: str, model: str = LLAMA, **fields: object) -> int:
    lines = answered(model, **fields).estimate.moments[-1].lines
    return sum(line.bytes for line in lines if line.key.startswith(key))


def test_a_tensor_takes_the_gap_that_fits_best_and_the_memory_of_what_it_reads_last() -> None:
    graph = Graph()
    first = graph.add("a", 3 * ALIGNMENT)
    second = graph.add("b", ALIGNMENT)
    third = graph.inplace("c", 3 * ALIGNMENT, first)  # overwrites it: nothing is added
    graph.read(second)  # free again, and behind it the end
    graph.add("d", ALIGNMENT, third)  # into the gap
    assert reach(graph.nodes).bytes == 4 * ALIGNMENT


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_a_buffer_is_no_shorter_than_what_lies_in_it(sizes: list[int]) -> None:
    graph = Graph()
    before: tuple[int, ...] = ()
    for size in sizes:
        before = (graph.add("x", size * ALIGNMENT, *before),)
    found = reach(graph.nodes)
    pairs = zip(sizes, [0, *sizes], strict=False)
    assert found.bytes >= max(a + b for a, b in pairs) * ALIGNMENT
    assert sum(found.held.values()) <= found.bytes


@pytest.mark.parametrize("layers", range(0, 33, 3))
def test_each_layer_more_on_the_card_takes_more_of_it(layers: int) -> None:
    fewer, more = (held("weights", gpu_layers=n) for n in (layers, layers + 1))
    assert fewer < more
    assert held("kv_cache", gpu_layers=layers) <= held("kv_cache", gpu_layers=layers + 1)


def test_all_layers_and_the_head_are_the_whole_model() -> None:
    assert held("weights", gpu_layers=33) == held("weights", gpu_layers="all")
    assert any("33 layers" in w for w in answered(gpu_layers=99).warnings)


@pytest.mark.parametrize("tokens", [1, 16, 31])
def test_a_short_batch_leaves_what_is_on_the_host_to_the_cpu(tokens: int) -> None:
    assert held("compute_buffer", gpu_layers=0, ubatch=tokens) == 0
    some = held("compute_buffer", gpu_layers=10, ubatch=tokens)
    assert some == held("compute_buffer", gpu_layers=20, ubatch=tokens)
    assert some < held("compute_buffer", gpu_layers=10, ubatch=32)


def test_from_32_tokens_on_a_matrix_of_the_host_is_copied_to_the_card() -> None:
    """`ggml_backend_cuda_device_offload_op`: a batch of 32 is long enough. Q4_K, 4.5 bits."""
    assert held("compute_buffer", gpu_layers=0, ubatch=32) > 14336 * 4096 * 4.5 / 8


@pytest.mark.parametrize("tokens", [1, 512])
def test_dense_blocks_in_front_have_no_experts_to_leave_on_the_host(tokens: int) -> None:
    model = "deepseek-ai/DeepSeek-V3.2"  # its first three blocks are dense
    none = answered(model, ubatch=tokens).estimate.peak.bytes
    assert none == answered(model, ubatch=tokens, cpu_moe_layers=3).estimate.peak.bytes
    assert none > answered(model, ubatch=tokens, cpu_moe_layers=4).estimate.peak.bytes


@pytest.mark.parametrize("weights", ["gguf:Q4_K_M", "gguf:IQ3_XS", "gguf:F16"])
@pytest.mark.parametrize(
    "model",
    [EXPERTS, LATENT, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "openai/gpt-oss-20b"],
)
def test_more_experts_on_the_host_leave_no_more_weights_on_the_card(
    model: str, weights: str
) -> None:
    """Nor do more layers: a recipe goes by a layer's number, wherever the layer lies."""
    experts = [held("weights", model, weights=weights, cpu_moe_layers=n) for n in range(12)]
    layers = [held("weights", model, weights=weights, gpu_layers=n) for n in range(12)]
    assert experts == sorted(experts, reverse=True)
    assert layers == sorted(layers)


def test_the_narrow_experts_of_nemotron_are_copied_as_narrow_as_they_are() -> None:
    model = "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"
    peaks = [answered(model, cpu_moe_layers=n).estimate.peak.bytes for n in (0, 2, 4, 6)]
    assert peaks == sorted(peaks, reverse=True)


@pytest.mark.parametrize("context", [2048, 8192, 32768])
def test_a_full_cache_of_sliding_layers_makes_no_buffer_shorter(context: int) -> None:
    """They have a cache and a mask of their own all the same (`llama_kv_cache_iswa`)."""
    for model in ("google/gemma-2-9b", GEMMA, "openai/gpt-oss-20b"):
        windowed = held("compute_buffer", model, context=context)
        assert windowed <= held("compute_buffer", model, context=context, swa_full=True)


@pytest.mark.parametrize("version", ["2025-04", "2025-04-17", "ik_llama", "latest"])
def test_versions_that_tell_what_holds(version: str) -> None:
    assert not any("engine_version" in one for one in answered(engine_version=version).warnings)


@pytest.mark.parametrize("version", ["-1", "2025-13", "xxxx", "2025"])
def test_versions_that_tell_nothing_are_refused(version: str) -> None:
    with pytest.raises(EstimatorError, match=r"a month such as `2025-04`.*ik_llama"):
        answered(engine_version=version)


def test_a_build_whose_month_is_not_known_counts_as_the_newest_and_is_said_to() -> None:
    build = answered(engine_version="b4567")
    assert any("`b4567`" in one and "month" in one for one in build.warnings)
    assert build.estimate == answered().estimate


def test_fewer_slots_than_users_are_said() -> None:
    ollama = answered(engine="ollama", users=4, slots=2)
    assert any("2" in one and "slots" in one for one in ollama.warnings)
    assert ollama.estimate == answered(engine="ollama", users=4).estimate
    assert any("wait" in one for one in answered(users=4, slots=2).warnings)


def test_more_layers_than_there_are_means_all() -> None:
    assert answered(gpu_layers=9999).estimate == answered(gpu_layers="all").estimate


def test_one_type_for_the_cache_beside_two_others_is_said_to_be_left_aside() -> None:
    both = answered(kv="Q8_0", kv_k="fp16", kv_v="Q4_0")
    assert any("`kv` is left aside" in one for one in both.warnings)
    assert not any("aside" in one for one in answered(kv="Q8_0", kv_k="fp16").warnings)


@pytest.mark.parametrize("engine", ["llama.cpp", "ollama", "exllamav2", "vllm"])
@pytest.mark.parametrize("model", [LLAMA, "EleutherAI/pythia-70m", "70B"])
def test_a_told_size_that_no_file_has_is_refused(engine: str, model: str) -> None:
    weights = {"exllamav2": "exl2", "vllm": "bf16"}.get(engine, "gguf:Q4_K_M")
    fields = {"engine": engine, "weights": weights} | ({"bpw": 4.0} if weights == "exl2" else {})
    with pytest.raises(EstimatorError, match="too few"):
        answered(model, weight_bytes=1_000_000, **fields)


@settings(deadline=None, max_examples=30)
@given(size=st.integers(1, 10**10), engine=st.sampled_from(["llama.cpp", "ollama"]))
def test_no_line_is_negative_whatever_size_is_told(size: int, engine: str) -> None:
    for model in (LLAMA, "EleutherAI/pythia-70m", "bigscience/bloom-560m"):
        try:
            found = answered(model, engine=engine, weight_bytes=size)
        except EstimatorError:
            continue
        assert all(line.bytes >= 0 for one in found.estimate.moments for line in one.lines)


def test_experts_on_the_host_are_said_and_not_counted() -> None:
    some, every = held("weights", EXPERTS, cpu_moe_layers=10), held("weights", EXPERTS)
    none = held("weights", EXPERTS, experts_on_cpu=True)
    assert none < some < every
    assert any("host's memory" in w for w in answered(EXPERTS, cpu_moe_layers=10).warnings)


def test_sliding_layers_keep_their_window_unless_told_otherwise() -> None:
    window = held("kv_cache", GEMMA, context=32768)
    assert 4 * window < held("kv_cache", GEMMA, context=32768, swa_full=True)
    assert window < held("kv_cache", GEMMA, context=32768, ubatch=2048)


def test_the_cache_is_divided_among_slots_in_llama_cpp_and_multiplied_in_ollama() -> None:
    assert held("kv_cache", context=8192, slots=4) == held("kv_cache", context=8192)
    for_four = held("kv_cache", context=8192, slots=4, engine="ollama")
    assert for_four == 4 * held("kv_cache", context=8192, engine="ollama")


def test_latents_are_cached_instead_of_heads_since_2025() -> None:
    latents = held("kv_cache", LATENT, kv_layout="mla")
    assert latents == held("kv_cache", LATENT)
    assert 4 * latents < held("kv_cache", LATENT, engine_version="2025-03")


def test_without_flash_attention_the_scores_are_held() -> None:
    assert held("compute_buffer", context=32768, attention="eager") > 4 * held(
        "compute_buffer", context=32768
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cpu_moe_layers": 4}, "no experts"),
        ({"experts_on_cpu": True}, "no experts"),
        ({"kv": "Q8_0", "attention": "eager"}, "flash attention"),
        ({"kv_layout": "mla"}, "latent"),
        ({"model": "microsoft/phi-2", "kv_k": "Q4_0"}, "do not divide"),
    ],
)
def test_settings_that_cannot_be(fields: dict[str, object], words: str) -> None:
    with pytest.raises(EstimatorError, match=words):
        answered(**fields)  # type: ignore[arg-type]


@settings(deadline=None)
@given(context=st.integers(256, 65536), users=st.integers(1, 8))
def test_more_context_or_users_never_take_less(context: int, users: int) -> None:
    least = answered(context=context, users=users).estimate.peak.bytes
    assert least <= answered(context=2 * context, users=users).estimate.peak.bytes
    assert least <= answered(context=context, users=users + 1).estimate.peak.bytes


@pytest.mark.parametrize("layers", ["all", 0])
def test_with_images_the_projector_is_loaded_beside_the_model(layers: str | int) -> None:
    """Its matrices in 16 bits, the rest in 32, whatever layers are on the card."""
    tower = answered(GEMMA).setup.shape.architecture.tower
    assert tower is not None
    assert held("tower", GEMMA, gpu_layers=layers) == 0
    found = held("tower", GEMMA, gpu_layers=layers, images=1)
    assert found == 2 * tower.linears + 4 * (tower.parameters - tower.linears)


def test_users_who_wait_for_a_slot_keep_no_cache() -> None:
    waiting = answered(users=8, slots=4, context=8192)
    assert "8 users share 4 slots: the others wait." in waiting.warnings
    assert waiting.estimate.peak.bytes == answered(users=4, context=8192).estimate.peak.bytes


@pytest.mark.parametrize("engine", ["llama.cpp", "vllm", "mlx"])
def test_kernels_of_torch_are_named_of_engines_on_torch_alone(engine: str) -> None:
    card = [{"id": "apple-m4-pro-24gb" if engine == "mlx" else "v100-sxm2-32gb"}]
    told = answered(gpus=card, engine=engine, weights=None, compute="fp16").warnings
    assert not any("FlashAttention-2" in one for one in told)


def test_a_card_without_flash_attention_is_said_under_torch() -> None:
    card = [{"id": "v100-sxm2-32gb"}]
    told = answered(gpus=card, engine="transformers", weights=None, compute="fp16").warnings
    assert any("FlashAttention-2" in one for one in told)


def test_ollama_loads_the_tower_whether_or_not_images_come() -> None:
    plain = answered(GEMMA, engine="ollama")
    assert held("tower", GEMMA, engine="ollama") == held("tower", GEMMA, images=1) > 0
    assert any("tower for images as well" in one for one in plain.warnings)
    assert not any("tower" in one for one in answered(LLAMA, engine="ollama").warnings)


def test_images_that_exceed_the_context_are_refused() -> None:
    with pytest.raises(EstimatorError, match="do not fit"):
        answered(GEMMA, images=40, context=8192)
    assert answered(GEMMA, images=40).setup.context == 40 * 256  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "fields", [{"dp": 13, "users": 257, "context": 2}, {"slots": 512, "users": 1, "context": 17}]
)
def test_a_stream_has_a_page_of_cells_at_least(fields: dict[str, Any]) -> None:
    assert held("kv_cache", **fields) >= held("kv_cache", context=17)


def test_copies_have_slots_for_their_own_users() -> None:
    assert held("kv_cache", users=64, dp=4) == held("kv_cache", users=16)
