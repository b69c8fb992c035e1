"""Formats that a card has no kernels for."""

import pytest

from estimator import answer_document, load_catalog
from estimator.held_as import held_as
from tests.estimator.questions import serve

CATALOG = load_catalog()
OSS = "openai/gpt-oss-20b"


@pytest.mark.parametrize(
    ("name", "engine", "capability", "kept", "said"),
    [
        ("fp8", "vllm", (8, 0), "fp8", "Marlin"),
        ("fp8", "vllm", (8, 9), "fp8", ""),
        ("fp8_block", "transformers", (8, 6), "bf16", "counted"),
        ("fp8_block", "transformers", (9, 0), "fp8_block", ""),
        ("nvfp4", "vllm", (9, 0), "nvfp4", "Marlin"),
        ("nvfp4", "vllm", (12, 0), "nvfp4", ""),
        ("mxfp4_experts", "transformers", (7, 0), "bf16", "counted"),
        ("mxfp4_experts", "transformers", (8, 0), "mxfp4_experts", "Triton"),
        ("mxfp4_experts", "vllm", (8, 0), "mxfp4_experts", "Marlin"),
        ("mxfp4_experts", "vllm", (9, 0), "mxfp4_experts_hopper", ""),
        ("mxfp4_experts", "vllm", (10, 0), "mxfp4_experts", ""),
        ("bf16", "vllm", (7, 5), "bf16", ""),
        ("fp8", "vllm", None, "fp8", ""),
        ("fp8", "sglang", (8, 0), "fp8", ""),
        ("nf4_dq", "vllm", (8, 0), "nf4", ""),
        ("nf4_dq", "sglang", None, "nf4", ""),
        ("nf4_dq", "transformers", None, "nf4_dq", ""),
    ],
)
def test_what_an_engine_makes_of_it(
    name: str, engine: str, capability: tuple[int, int] | None, kept: str, said: str
) -> None:
    found = held_as(CATALOG.formats.find(name), CATALOG.engines.find(engine), capability)
    assert found.format == kept
    assert said in (found.warning or "")
    assert bool(said) == (found.warning is not None)
    CATALOG.formats.find(found.format)


@pytest.mark.parametrize(
    ("name", "engine", "card", "needs"),
    [
        ("fp8", "vllm", "v100-32gb", "7.5"),
        ("fp8_block", "vllm", "v100-32gb", "7.5"),
        ("mxfp4", "vllm", "t4", "8.0"),
        ("awq4", "vllm", "v100-32gb", "7.5"),
        ("int8", "vllm", "v100-32gb", "7.5"),
        ("fp8", "sglang", "t4", "8.0"),
        ("nvfp4", "tensorrt_llm", "h100-sxm5-80gb", "10.0"),
    ],
)
def test_a_card_too_old_for_a_format_is_refused(
    name: str, engine: str, card: str, needs: str
) -> None:
    asked = serve(weights=name, engine=engine, gpus=[{"id": card}])
    error = answer_document(asked, CATALOG)["error"]
    assert error["code"] == "contradiction"
    assert f"capability {needs}" in error["message"]


def test_the_answer_counts_what_is_unpacked() -> None:
    old = serve(model=OSS, weights="mxfp4", engine="transformers", gpus=[{"id": "v100-32gb"}])
    answered = answer_document(old, CATALOG)
    whole = answer_document(serve(model=OSS, weights="bf16", engine="transformers"), CATALOG)
    assert answered["moments"][0]["bytes"] == whole["moments"][0]["bytes"]
    assert any("7.5" in warning for warning in answered["warnings"])


def test_gpt_oss_on_a_hopper_card_takes_what_vllm_logged() -> None:
    # llm-d's benchmark on H100, vLLM 0.11: 13.47 and 64.38 GiB of weights
    for model, gib in ((OSS, 13.47), ("openai/gpt-oss-120b", 64.38)):
        asked = serve(model=model, weights="mxfp4", engine="vllm", gpus=[{"id": "h100-sxm5-80gb"}])
        load = answer_document(asked, CATALOG)["moments"][0]
        held = sum(one["bytes"] for one in load["lines"] if one["key"].startswith("weights"))
        assert held / 2**30 == pytest.approx(gib, rel=0.01)


def test_every_nvidia_card_says_its_capability_or_leaves_it_open() -> None:
    known = [gpu for gpu in CATALOG.gpus.rows if gpu.capability is not None]
    assert len(known) > 50
    assert all(gpu.vendor == "nvidia" for gpu in known)
    assert all(gpu.bf16 == (gpu.capability >= (8, 0)) for gpu in known if gpu.capability)


@pytest.mark.parametrize(
    ("cards", "refused", "offered"),
    [
        ((), False, True),
        (("b200",), False, True),
        (("rtx-5090",), False, True),
        (("h100-sxm5-80gb",), True, False),
        (("b200", "h100-sxm5-80gb"), True, False),
        (("class-24gb",), False, False),
        (("mi300x",), False, False),
    ],
)
def test_a_cache_in_nvfp4_needs_blackwell(
    cards: tuple[str, ...], *, refused: bool, offered: bool
) -> None:
    gpus = [{"id": card} for card in cards]
    error = answer_document(serve(engine="vllm", kv="nvfp4", gpus=gpus), CATALOG)["error"]
    assert (error is not None) == refused
    if error is not None:
        assert error["code"] == "contradiction"
        assert "capability 10.0" in error["message"]
        assert error["suggestions"][0] == "vllm, kv fp8"
    other = answer_document(serve(engine="vllm", kv="Q8_0", gpus=gpus), CATALOG)["error"]
    assert other["suggestions"][0] == "vllm, kv fp8"
    assert ("vllm, kv nvfp4" in other["suggestions"]) == offered


def test_caches_are_offered_from_the_most_bits_down() -> None:
    error = answer_document(serve(engine="ollama", kv="Q5_1"), CATALOG)["error"]
    assert error["suggestions"][:2] == ["ollama, kv Q8_0", "ollama, kv Q4_0"]


@pytest.mark.parametrize("fields", [{}, {"weights": "mxfp4"}, {"engine": "vllm"}])
@pytest.mark.parametrize("card", ["v100-sxm2-32gb", "v100-sxm2-16gb"])
def test_a_card_too_old_for_published_experts_is_offered_what_fits_it(
    fields: dict[str, str], card: str
) -> None:
    gpus = [{"id": card}]
    error = answer_document(serve(model=OSS, gpus=gpus, **fields), CATALOG)["error"]
    assert error["suggestions"][0] == "llama.cpp"
    for file in ({"engine": "llama.cpp"}, {"weights": "gguf:MXFP4_MOE"}):
        found = answer_document(serve(model=OSS, gpus=gpus, **file), CATALOG)
        assert found["understood"]["weights"] == "gguf:MXFP4_MOE"
        assert {one["verdict"] for one in found["cards"] if one["id"] == card} == {"fits"}


@pytest.mark.parametrize("weights", ["fp8", "awq4", "int8", "int4"])
def test_what_is_offered_to_an_old_card_runs_on_it(weights: str) -> None:
    gpus = [{"id": "v100-32gb"}]
    error = answer_document(serve(weights=weights, engine="vllm", gpus=gpus), CATALOG)["error"]
    assert "llama.cpp" not in error["suggestions"]
    for name in error["suggestions"][1:]:  # the first is a file of llama.cpp's
        found = answer_document(serve(weights=name, engine="vllm", gpus=gpus), CATALOG)
        assert found["error"] is None


def test_a_model_published_in_fp8_is_offered_llama_cpp_on_an_old_card() -> None:
    asked = serve(model="deepseek-ai/DeepSeek-V3", gpus=[{"id": "v100-32gb", "count": 8}])
    error = answer_document(asked, CATALOG)["error"]
    assert error["suggestions"][0] == "llama.cpp"
