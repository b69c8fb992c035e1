"""ExLlamaV2 and MLX: what each makes beforehand, and what grows."""

from estimator import answer, load_catalog, parse_request

CATALOG = load_catalog()
LLAMA = "meta-llama/Llama-3.1-8B"


def lines(**fields: object) -> dict[str, int]:
    request = parse_request({"task": "infer", "model": LLAMA, "context": 8192} | fields)
    found = answer(request, CATALOG).estimate.moments[1].lines
    return {line.key: line.bytes for line in found}


def test_a_packed_cache_has_four_bits_and_a_scale_and_one_layer_in_fp16() -> None:
    plain = lines(engine="exllamav2", weights="exl2", bpw=4.0)
    packed = lines(engine="exllamav2", weights="exl2", bpw=4.0, kv="Q4_0")
    assert packed["kv_cache"] * 32 == plain["kv_cache"] * 9
    assert packed["unpacked_cache"] * 32 == plain["kv_cache"]
    assert "unpacked_cache" not in plain


def test_the_scratch_holds_the_head_unpacked() -> None:
    scratch = lines(engine="exllamav2", weights="exl2", bpw=4.0)["unpacking_scratch"]
    assert scratch == 128256 * 4096 * 2


def test_the_embedding_stays_on_the_host() -> None:
    held = lines(engine="exllamav2", weights="exl2", bpw=4.0)
    assert sum(size for key, size in held.items() if key.startswith("weights")) < 4 * 10**9


def test_mlx_s_cache_grows_in_steps_by_a_copy_of_one_layer() -> None:
    held = lines(engine="mlx", weights="bf16", context=8000)
    assert held["kv_cache"] == 32 * 8192 * 2 * 1024 * 2
    assert held["cache_growth"] == 8000 * 2 * 1024 * 2


def test_mlx_computes_logits_of_the_last_token_alone() -> None:
    held = lines(engine="mlx", weights="bf16", prompt=4096)
    assert held["logits"] == 128256 * 6
