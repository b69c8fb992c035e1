"""llama.cpp's buffers: laws that hold of any model, and settings that cannot be."""

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
