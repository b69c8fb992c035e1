"""Which engine runs which formats, caches, cards and models, and with what by default."""

import re
from typing import Any

import pytest

from estimator import answer_document, load_catalog
from estimator.inverse import LADDERS
from tests.estimator.questions import serve

CATALOG = load_catalog()
LLAMA = "meta-llama/Llama-3.1-8B"
OSS = "openai/gpt-oss-20b"
RWKV = "RWKV/rwkv-4-169m-pile"
MAMBA = "tiiuae/falcon-mamba-7b"
BERT = "google-bert/bert-base-uncased"

NEVER = {  # what each engine's own documentation has not
    "vllm": ("exl2", "exl3", "mlx4", "hqq4", "fp6", "gguf:Q4_K_M"),
    "sglang": ("exl2", "exl3", "mlx8", "hqq4", "gptq3"),
    "tensorrt_llm": ("exl2", "mlx4", "hqq4", "nf4", "gptq8"),
    "transformers": ("exl2", "exl3", "mlx4", "gguf:Q8_0"),
    "autoawq": ("bf16", "gptq4", "fp8", "nf4", "exl2"),
    "torchao": ("awq4", "gptq4", "exl2", "mlx4", "nf4"),
    "litgpt": ("awq4", "gptq4", "exl2", "mlx4", "fp8"),
    "llama.cpp": ("exl3", "mlx4", "hqq4", "nvfp4", "fp8_block", "gptq2", "fp4_dq", "int8"),
    "ollama": ("nf4", "fp8", "int8", "exl3", "mlx4", "nvfp4", "int4"),
    "exllamav2": ("fp8", "int8", "nf4", "awq4", "mlx4", "fp32"),
    "mlx": ("awq4", "hqq4", "exl2", "fp8", "gptq4"),
}
KEPT = {  # types of a cache beside bf16 and what has as many bits
    "vllm": ("fp8", "nvfp4"),
    "sglang": ("fp8", "nvfp4"),
    "transformers": ("hqq2", "hqq4", "hqq8"),
    "litgpt": (),
    "torchao": ("int8",),
    "autoawq": (),
    "llama.cpp": ("fp32", "fp16", "Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0", "IQ4_NL"),
    "ollama": ("fp16", "Q8_0", "Q4_0"),
    "exllamav2": ("fp16", "fp8", "Q8_0", "Q6_0", "Q4_0"),
    "mlx": ("mlx2", "mlx4", "mlx8"),
}
NO_CACHE = ("nf4", "fp4", "exl2", "Q6_K", "IQ1_S", "gptq3", "Q4_K", "nf4_dq")


def asked(**fields: object) -> dict[str, Any]:
    bits = {"bpw": 4.0} if str(fields.get("weights", "")).startswith("exl") else {}
    return answer_document(serve(model=LLAMA) | bits | fields, CATALOG)


def held(answered: dict[str, Any], key: str) -> int:
    lines = [one for moment in answered["moments"] for one in moment["lines"]]
    return max(int(one["bytes"]) for one in lines if one["key"] == key)


@pytest.mark.parametrize(("engine", "name"), [(e, n) for e, names in NEVER.items() for n in names])
def test_a_format_that_an_engine_has_not_is_refused(engine: str, name: str) -> None:
    error = asked(engine=engine, weights=name)["error"]
    assert error["code"] == "contradiction"
    assert name in error["message"]
    near = next(s for s in error["suggestions"] if s not in (*CATALOG.engines.ids, name))
    assert asked(engine=engine, weights=near)["error"] is None
    others = [s for s in error["suggestions"] if s in CATALOG.engines.ids]
    assert others
    assert all(asked(engine=other, weights=name)["error"] is None for other in others)


def test_every_format_is_run_by_some_engine_and_refused_by_another() -> None:
    for row in CATALOG.formats.rows:
        runs = [engine.id for engine in CATALOG.engines.rows if engine.runs_format(row.id)]
        assert row.engine in runs
        if row.id not in ("bf16", "fp16"):
            assert len(runs) < len(CATALOG.engines.rows) - 1


@pytest.mark.parametrize("engine", KEPT)
def test_a_cache_is_kept_in_the_engine_s_own_types_alone(engine: str) -> None:
    for name in KEPT[engine]:
        assert asked(engine=engine, kv=name)["error"] is None, name
    for name in NO_CACHE:
        assert asked(engine=engine, kv=name)["error"] is not None, name
    others = {kept for names in KEPT.values() for kept in names} - {"fp16", *KEPT[engine]}
    for name in others:
        found = asked(engine=engine, kv=name)
        told = any("as many bits" in warning for warning in found["warnings"])
        assert told or found["error"]["code"] == "contradiction", name


@pytest.mark.parametrize(
    ("engine", "kv", "bits"),
    [("transformers", "int8", 8.5), ("mlx", "Q4_0", 4.5), ("llama.cpp", "int8", 8.5)],
)
def test_bits_that_were_asked_for_are_the_engine_s_own(engine: str, kv: str, bits: float) -> None:
    plain, packed = asked(engine=engine), asked(engine=engine, kv=kv)
    assert held(packed, "kv_cache") * 16 == held(plain, "kv_cache") * bits


def test_a_fork_s_types_are_kept_by_the_fork() -> None:
    assert asked(engine="llama.cpp", kv="Q6_0")["error"]["code"] == "contradiction"
    assert asked(engine="llama.cpp", kv="Q6_0", engine_version="ik_llama")["error"] is None


def test_one_format_wherever_llama_cpp_is_meant() -> None:
    ways: tuple[dict[str, Any], ...] = (
        *({"engine": "llama.cpp"}, {"kv": "Q8_0"}, {"kv_k": "Q5_1"}, {"ubatch": 512}),
        *({"gpu_layers": 33}, {"engine": "ollama"}, {"kv": "IQ4_NL", "slots": 2}),
    )
    for way in ways:
        understood = asked(**way)["understood"]
        assert understood["weights"] == "gguf:Q4_K_M", way
        assert understood["engine"] in ("llama.cpp", "ollama")


@pytest.mark.parametrize(
    ("engine", "weights"),
    [("autoawq", "awq4"), ("exllamav2", "exl2"), ("mlx", "bf16"), ("vllm", "bf16")],
)
def test_what_an_engine_is_run_with(engine: str, weights: str) -> None:
    assert asked(engine=engine)["understood"]["weights"] == weights


@pytest.mark.parametrize(
    ("model", "engine", "weights"),
    [
        (OSS, None, "mxfp4_experts"),
        (OSS, "transformers", "mxfp4_experts"),
        (OSS, "llama.cpp", "gguf:MXFP4_MOE"),
        (OSS, "exllamav2", "exl2"),
        ("deepseek-ai/DeepSeek-R1", None, "fp8_block"),
        ("deepseek-ai/DeepSeek-V3", "litgpt", "bf16"),
        ("moonshotai/Kimi-K2.5", None, "int4_experts"),
        ("MiniMaxAI/MiniMax-M2", "sglang", "fp8_block"),
        (LLAMA, None, "bf16"),
        ("20B", None, "bf16"),
    ],
)
def test_weights_are_as_their_makers_publish_them(
    model: str, engine: str | None, weights: str
) -> None:
    found = asked(model=model, **({"engine": engine} if engine else {}))
    assert found["understood"]["weights"] == weights
    noted = next(one for one in found["assumed"] if one["field"] == "weights")
    assert noted["why"] != "16-bit, as models are published" or model in (LLAMA, "20B")


def test_a_published_size_is_what_the_makers_name() -> None:
    # Kimi K2.5's repository holds 595 GB; gpt-oss-20b's 13.8 GB
    for model, gigabytes in (("moonshotai/Kimi-K2.5", 595), (OSS, 13.8)):
        load = asked(model=model)["moments"][0]
        size = sum(one["bytes"] for one in load["lines"] if one["key"].startswith("weights"))
        assert size / 10**9 == pytest.approx(gigabytes, rel=0.02)


@pytest.mark.parametrize("weights", ["nf4", "int8", "hqq4"])
def test_fused_experts_stay_as_they_are_and_it_is_said(weights: str) -> None:
    said = asked(model=OSS, engine="transformers", weights=weights)["warnings"]
    assert any("19.11 B of 20.91 B parameters stay in bf16" in warning for warning in said)
    assert not any(
        "stay in" in warning
        for warning in asked(model="deepseek-ai/DeepSeek-R1", weights="fp8_block")["warnings"]
    )


@pytest.mark.parametrize(
    ("engine", "model"),
    [
        *((engine, model) for engine in ("exllamav2", "torchao") for model in (BERT, MAMBA, RWKV)),
        *((engine, model) for engine in ("autoawq", "litgpt") for model in (BERT, MAMBA, RWKV)),
        *(("vllm", RWKV), ("sglang", RWKV), ("exllamav2", "google/flan-t5-base")),
        ("exllamav2", "deepseek-ai/DeepSeek-V2-Lite"),
    ],
)
def test_a_model_that_an_engine_has_no_code_for_is_refused(engine: str, model: str) -> None:
    error = asked(engine=engine, model=model)["error"]
    assert error["code"] == "contradiction"
    assert asked(model=model)["error"] is None


def test_cards_of_another_vendor() -> None:
    apple = [{"id": "apple-m1-16gb"}]
    for engine in ("vllm", "sglang", "tensorrt_llm", "exllamav2"):
        assert asked(engine=engine, gpus=apple)["error"]["code"] == "contradiction"
    assert asked(gpus=apple)["understood"]["engine"] == "mlx"
    assert asked(engine="llama.cpp", gpus=apple)["error"] is None
    assert asked(engine="mlx", gpus=[{"id": "mi300x"}])["error"]["code"] == "contradiction"
    told = asked(engine="mlx", gpus=[{"id": "rtx-3090"}])["warnings"]
    assert any("CUDA" in warning for warning in told)


def test_what_vllm_dropped_depends_on_its_version() -> None:
    assert asked(engine="vllm", weights="nf4", engine_version="0.11.0")["error"] is None
    assert asked(engine="vllm", weights="nf4", engine_version="0.30")["error"] is not None
    open_version = asked(engine="vllm", weights="nf4")
    assert any(re.search(r"before 0\.28", warning) for warning in open_version["warnings"])


@pytest.mark.parametrize(
    ("weights", "version"),
    [("nf4", "0.25"), ("nf4_dq", "0.25"), ("gptq3", "0.20"), ("gptq4", "0.33")],
)
def test_the_version_that_is_assumed_runs_the_format(weights: str, version: str) -> None:
    found = asked(engine="vllm", weights=weights)
    assert found["understood"]["engine_version"] == version
    noted = next(one for one in found["assumed"] if one["field"] == "engine_version")
    told = "the newest known" if version == "0.33" else f"the last that runs {weights[:3]}"
    assert noted["value"] == version
    assert noted["why"].startswith(told)
    named = asked(engine="vllm", weights=weights, engine_version=version)
    assert named["moments"] == found["moments"]


def test_the_best_format_of_a_server_is_one_that_today_s_runs() -> None:
    for engine in CATALOG.engines.rows:
        for weights, _ in LADDERS[engine.kind]:
            assert engine.dropped(weights) is None


def loaded(found: dict[str, Any]) -> float:
    lines = found["moments"][0]["lines"]
    return sum(int(one["bytes"]) for one in lines if one["key"].startswith("weights")) / 1e9


@pytest.mark.parametrize(
    ("model", "weights", "gigabytes"),
    [  # published files, less the embedding, which stays in the host's memory
        (OSS, "gguf:Q4_K_M", 11.6 - 0.4),
        (OSS, "gguf:Q8_0", 12.1 - 0.6),
        (OSS, "gguf:F16", 13.8 - 1.2),
        ("openai/gpt-oss-120b", "gguf:Q8_0", 63.4 - 0.6),
    ],
)
def test_experts_that_are_published_in_mxfp4_stay_so_in_a_gguf_file(
    model: str, weights: str, gigabytes: float
) -> None:
    found = asked(model=model, weights=weights)
    assert loaded(found) == pytest.approx(gigabytes, rel=0.02)
    assert any("experts stay in MXFP4, as published" in one for one in found["warnings"])


def test_experts_of_other_models_and_files_follow_the_format() -> None:
    mixtral = "mistralai/Mixtral-8x7B-v0.1"
    for fields in (
        {"model": OSS, "weights": "gguf:MXFP4_MOE"},
        {"model": OSS, "engine": "transformers", "weights": "bf16"},
        {"model": mixtral, "weights": "gguf:Q4_K_M"},
    ):
        assert not any("MXFP4, as published" in one for one in asked(**fields)["warnings"])
    beside = asked(model=OSS, draft=mixtral, weights="gguf:Q8_0")
    alone = asked(model=mixtral, weights="gguf:Q8_0")
    line = next(one for one in beside["moments"][0]["lines"] if one["key"].startswith("draft"))
    assert line["bytes"] / 10**9 == pytest.approx(loaded(alone), rel=0.02)


@pytest.mark.parametrize("card", ["class-16gb", "class-48gb"])
def test_the_best_file_of_such_a_model_is_the_one_its_makers_would_name(card: str) -> None:
    found = asked(model=OSS, find="weights", gpus=[{"id": card}])
    assert found["understood"]["weights"] == "gguf:MXFP4_MOE"
