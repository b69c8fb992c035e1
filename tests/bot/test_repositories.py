"""Copies on the Hub: the base and the format that their names say, and nothing by guess."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from bot.reading.repositories import contained_in, copy_of, formats_of, tuned_from
from estimator import load_catalog

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)

# repository → base, format
COPIES = {
    "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit": ("meta-llama/Llama-3.1-8B", "nf4"),
    "unsloth/Qwen3-14B-unsloth-bnb-4bit": ("Qwen/Qwen3-14B", "nf4"),
    "unsloth/gemma-3-27b-it-bnb-4bit": ("google/gemma-3-27b-it", "nf4"),
    "unsloth/tinyllama-bnb-4bit": ("TinyLlama/TinyLlama-1.1B-Chat-v1.0", "nf4"),
    "unsloth/gpt-oss-20b": ("openai/gpt-oss-20b", None),
    "unsloth/DeepSeek-R1-Distill-Llama-8B": ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", None),
    "NousResearch/Meta-Llama-3-8B": ("meta-llama/Meta-Llama-3-8B", None),
    "NousResearch/Meta-Llama-3.1-8B-Instruct": ("meta-llama/Llama-3.1-8B", None),
    "TheBloke/Llama-2-13B-chat-GPTQ": ("meta-llama/Llama-2-13b-hf", "gptq4"),
    "TheBloke/Mistral-7B-Instruct-v0.2-AWQ": ("mistralai/Mistral-7B-Instruct-v0.2", "awq4"),
    "TheBloke/deepseek-coder-33B-instruct-GPTQ": ("deepseek-ai/deepseek-coder-33b-base", "gptq4"),
    "TheBloke/zephyr-7B-beta-AWQ": ("HuggingFaceH4/zephyr-7b-beta", "awq4"),
    "Qwen/Qwen2.5-32B-Instruct-GPTQ-Int4": ("Qwen/Qwen2.5-32B-Instruct", "gptq4"),
    "Qwen/Qwen2.5-32B-Instruct-GPTQ-Int8": ("Qwen/Qwen2.5-32B-Instruct", "gptq8"),
    "Qwen/Qwen2.5-32B-Instruct-AWQ": ("Qwen/Qwen2.5-32B-Instruct", "awq4"),
    "Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int8": ("Qwen/Qwen2.5-Coder-32B", "gptq8"),
    "Qwen/Qwen2.5-VL-7B-Instruct-AWQ": ("Qwen/Qwen2.5-VL-7B-Instruct", "awq4"),
    "Qwen/QwQ-32B-AWQ": ("Qwen/QwQ-32B", "awq4"),
    "Qwen/Qwen3-8B-FP8": ("Qwen/Qwen3-8B", "fp8"),
    "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8": ("Qwen/Qwen3-30B-A3B-Instruct-2507", "fp8"),
    "RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8": ("meta-llama/Llama-3.1-70B", "fp8"),
    "RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic": ("meta-llama/Llama-3.1-70B", "fp8"),
    "neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w8a8": ("meta-llama/Llama-3.1-8B", "int8"),
    "neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w4a16": ("meta-llama/Llama-3.1-8B", "int4"),
    "neuralmagic/Mistral-7B-Instruct-v0.3-GPTQ-4bit": ("mistralai/Mistral-7B-v0.3", "gptq4"),
    "nvidia/Llama-3.3-70B-Instruct-NVFP4": ("meta-llama/Llama-3.3-70B-Instruct", "nvfp4"),
    "nvidia/DeepSeek-R1-FP4": ("deepseek-ai/DeepSeek-R1", "nvfp4"),
    "amd/Llama-3.3-70B-Instruct-MXFP4-Preview": ("meta-llama/Llama-3.3-70B-Instruct", "mxfp4"),
    "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4": ("meta-llama/Llama-3.1-8B", "awq4"),
    "hugging-quants/Meta-Llama-3.1-70B-Instruct-GPTQ-INT4": ("meta-llama/Llama-3.1-70B", "gptq4"),
    "casperhansen/llama-3.3-70b-instruct-awq": ("meta-llama/Llama-3.3-70B-Instruct", "awq4"),
    "mlx-community/Meta-Llama-3-8B-Instruct-4bit": ("meta-llama/Meta-Llama-3-8B", "mlx4"),
    "mlx-community/Qwen3-30B-A3B-8bit": ("Qwen/Qwen3-30B-A3B", "mlx8"),
    "mlx-community/Llama-3.2-3B-Instruct-4bit-DWQ": ("meta-llama/Llama-3.2-3B", "mlx4"),
    "turboderp/Mixtral-8x7B-exl2:4.0bpw": ("mistralai/Mixtral-8x7B-v0.1", "exl2"),
    "turboderp/Llama-3.1-8B-Instruct-exl2 5.0bpw": ("meta-llama/Llama-3.1-8B", "exl2"),
    "LoneStriker/Mixtral-8x7B-v0.1-4.0bpw-h6-exl2": ("mistralai/Mixtral-8x7B-v0.1", "exl2"),
    "mobius/Llama-2-7b-chat-hf-4bit-hqq": ("meta-llama/Llama-2-7b-hf", "hqq4"),
    "bartowski/Qwen2.5-7B-Instruct-GGUF": ("Qwen/Qwen2.5-7B-Instruct", "gguf:Q4_K_M"),
    "bartowski/Qwen2.5-7B-Instruct-GGUF:Q5_K_M": ("Qwen/Qwen2.5-7B-Instruct", "gguf:Q5_K_M"),
    "bartowski/Qwen2.5-7B-Instruct-GGUF Q5_K_M": ("Qwen/Qwen2.5-7B-Instruct", "gguf:Q5_K_M"),
    "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q8_0": ("meta-llama/Llama-3.2-3B", "gguf:Q8_0"),
    "unsloth/Qwen3-30B-A3B-GGUF:UD-Q4_K_XL": ("Qwen/Qwen3-30B-A3B", "gguf:UD-Q4_K_XL"),
    "unsloth/DeepSeek-R1-GGUF:UD-IQ1_S": ("deepseek-ai/DeepSeek-R1", "gguf:UD-IQ1_S"),
    "mradermacher/Llama-3.1-8B-Instruct-i1-GGUF:Q6_K": ("meta-llama/Llama-3.1-8B", "gguf:Q6_K"),
    "someone/Llama-3.1-8B-Instruct-Q6_K-GGUF": ("meta-llama/Llama-3.1-8B", "gguf:Q6_K"),
    "lmstudio-community/Qwen2.5-14B-Instruct-GGUF": ("Qwen/Qwen2.5-14B-Instruct", "gguf:Q4_K_M"),
    "ggml-org/gemma-3-4b-it-GGUF": ("google/gemma-3-4b-it", "gguf:Q4_K_M"),
    "solidrust/Hermes-3-Llama-3.1-8B-AWQ": ("NousResearch/Hermes-3-Llama-3.1-8B", "awq4"),
    "unsloth/Qwen2.5-7B-Instruct-1M": ("Qwen/Qwen2.5-7B-Instruct-1M", None),
    "https://huggingface.co/meta-llama/Llama-3.3-70B-Instruct/tree/main": (
        "meta-llama/Llama-3.3-70B-Instruct",
        None,
    ),
    "https://huggingface.co/unsloth/Qwen3-14B-bnb-4bit/blob/main/config.json": (
        "Qwen/Qwen3-14B",
        "nf4",
    ),
    "https://ollama.com/library/qwen2.5:32b": ("Qwen/Qwen2.5-32B", None),
}


@pytest.mark.parametrize(("name", "meant"), COPIES.items())
def test_a_copy_is_its_base_in_a_format(name: str, meant: tuple[str, str | None]) -> None:
    reading = READER.read(f"infer {name}")
    assert (reading.fields["model"], reading.fields.get("weights")) == meant
    assert not any("not in my table" in note for note in reading.notes)


def test_bits_a_weight_are_read_off_a_name() -> None:
    reading = READER.read("infer LoneStriker/Mixtral-8x7B-v0.1-4.0bpw-h6-exl2")
    assert reading.fields["bpw"] == 4.0


def test_a_link_to_ollama_s_library_is_run_there() -> None:
    assert READER.read("infer https://ollama.com/library/llama3.1:8b").fields["engine"] == "ollama"


def test_a_packed_copy_is_trained_by_qlora() -> None:
    fields = READER.read("train unsloth/Llama-3.2-3B-Instruct-bnb-4bit").fields
    assert fields["method"] == "qlora"


# repository → the base that its name says it was trained from
TUNED = {
    "huihui-ai/Qwen2.5-7B-Instruct-abliterated-v2": "Qwen/Qwen2.5-7B-Instruct",
    "mlabonne/Meta-Llama-3.1-8B-Instruct-abliterated-GGUF": "meta-llama/Llama-3.1-8B",
    "cognitivecomputations/dolphin-2.9-llama3-8b": "meta-llama/Meta-Llama-3-8B",
    "dphn/dolphin-2.9.1-yi-1.5-34b": "01-ai/Yi-1.5-34B",
    "someone/Mistral-7B-Instruct-v0.3-DPO": "mistralai/Mistral-7B-v0.3",
}


@pytest.mark.parametrize(("name", "base"), TUNED.items())
def test_a_fine_tune_that_says_so_has_its_base_s_shape_and_a_note(name: str, base: str) -> None:
    found = tuned_from(name, CATALOG.models)
    assert found is not None
    assert found.row.id == base
    assert copy_of(name, CATALOG.models) is None
    reading = READER.read(f"infer {name}")
    assert reading.fields["model"] == base
    assert any("not in my table" in note and base in note for note in reading.notes)


# Others' models, though a name of the table stands in theirs → what is offered first.
OTHERS = {
    "liuhaotian/llava-v1.6-vicuna-7b": "meta-llama/Llama-2-7b-hf",
    "NousResearch/Yarn-Llama-2-7b-128k": "meta-llama/Llama-2-7b-hf",
    "someone/my-llama-3.1-8b-finetune": "meta-llama/Llama-3.1-8B",
    "foo/Llama-3.1-8B-Instruct-lora": "meta-llama/Llama-3.1-8B",
    "foo/Frankenllama-3-70b-4x": None,
    "ISTA-DASLab/Meta-Llama-3.1-70B-AQLM-PV-2Bit-1x16": "meta-llama/Llama-3.1-70B",
    "Qwen/Qwen2.5-Omni-7B": None,
    "OpenGVLab/InternVL3-8B": None,
    "princeton-nlp/Sheared-LLaMA-1.3B": None,
    "foo/nemo-99b": None,
}


@pytest.mark.parametrize(("name", "first"), OTHERS.items())
def test_another_s_model_is_never_taken_for_one_of_the_table(name: str, first: str | None) -> None:
    assert copy_of(name, CATALOG.models) is None
    assert tuned_from(name, CATALOG.models) is None
    assert contained_in(name, CATALOG.models)[:1] == (() if first is None else (first,))
    for line in (f"infer {name}", f"how much vram would i need to run {name} with 8k context"):
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(line)
        assert caught.value.code == "unknown_name"
        assert "model" not in caught.value.understood
        assert first is None or caught.value.names[0] == first


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("foo/Bar-7B-AWQ", "awq4"),
        ("foo/Bar-7B-GGUF:Q4_K_M", "Q4_K_M"),
        ("foo/Bar-7B-GPTQ-Int8", "gptq8"),
        ("foo/Bar-7B-i1-GGUF", "gguf"),
        ("foo/Bar-7B", ""),
    ],
)
def test_the_format_of_an_unknown_model_is_read(name: str, words: str) -> None:
    assert formats_of(name) == words


@pytest.mark.parametrize("name", ["foo/nemo", "foo/arctic", "foo/zephyr", "someone/mistral"])
def test_a_nickname_alone_is_no_copy(name: str) -> None:
    assert copy_of(name, CATALOG.models) is None
