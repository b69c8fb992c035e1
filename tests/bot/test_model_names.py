"""Models by the names that people type: nicknames, tags, sizes; and what is no name at all."""

import re

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

CATALOG = load_catalog()
READER = Reader(load_locale(), CATALOG)

QUESTIONS = {
    "can i qlora llama3 8b on a 3090": "meta-llama/Meta-Llama-3-8B",
    "lora on mistral nemo, 24GB enough?": "mistralai/Mistral-Nemo-Base-2407",
    "run mixtral 8x22 q4_k_m": "mistralai/Mixtral-8x22B-v0.1",
    "how much vram to infer vicuna 13b fp16": "meta-llama/Llama-2-13b-hf",
    "serve phi 3.5 mini in vllm": "microsoft/Phi-3.5-mini-instruct",
    "qlora gemma2 9b bs 2": "google/gemma-2-9b",
    "infer gemma 3n e4b q8_0": "google/gemma-3n-E4B-it",
    "qwen coder 32b q4_k_m on 24gb": "Qwen/Qwen2.5-Coder-32B",
    "vllm qwen 2.5 72b awq tp 2": "Qwen/Qwen2.5-72B",
    "infer r1 distill 32b q4_k_m": "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
    "infer dsv3 fp8 8xh200": "deepseek-ai/DeepSeek-V3",
    "run r1 q4_k_m": "deepseek-ai/DeepSeek-R1",
    "infer kimi k2 q2_k": "moonshotai/Kimi-K2-Instruct",
    "infer command r+ q4_k_m 3x24gb": "CohereLabs/c4ai-command-r-plus",
    "infer glm 4.5 air q4_k_m": "zai-org/GLM-4.5-Air",
    "infer qwen3 235b q4_k_m": "Qwen/Qwen3-235B-A22B",
    "train nemo 12b qlora": "mistralai/Mistral-Nemo-Base-2407",
    "infer devstral q5_k_m": "mistralai/Devstral-Small-2507",
    "infer codestral q6_k 18k ctx": "mistralai/Codestral-22B-v0.1",
    "lora starcoder2 15b": "bigcode/starcoder2-15b",
    "full finetune falcon 40b zero3 8xa100-80gb": "tiiuae/falcon-40b",
    "infer mpt 7b": "mosaicml/mpt-7b",
    "infer bloom int8": "bigscience/bloom",
    "infer opt 66b fp16": "facebook/opt-66b",
    "train gpt2 xl full": "openai-community/gpt2-xl",
    "infer gpt-j fp16": "EleutherAI/gpt-j-6b",
    "train gptj 6b lora": "EleutherAI/gpt-j-6b",
    "train neox 20b full zero3": "EleutherAI/gpt-neox-20b",
    "train pythia 1.4b full": "EleutherAI/pythia-1.4b",
    "train bert large full": "google-bert/bert-large-uncased",
    "train flan t5 xl lora": "google/flan-t5-xl",
    "infer mamba 2.8b": "state-spaces/mamba-2.8b-hf",
    "infer rwkv 7b": "RWKV/rwkv-4-7b-pile",
    "infer jamba": "ai21labs/Jamba-v0.1",
    "infer dbrx int4": "databricks/dbrx-base",
    "infer grok 1 int8": "xai-org/grok-1",
    "infer olmo2 13b": "allenai/OLMo-2-1124-13B",
    "train smollm3 full": "HuggingFaceTB/SmolLM3-3B",
    "infer minicpm3": "openbmb/MiniCPM3-4B",
    "infer yi 34b q4_k_m": "01-ai/Yi-34B",
    "infer internlm 20b awq": "internlm/internlm2_5-20b-chat",
    "train baichuan 13b qlora": "baichuan-inc/Baichuan-13B-Base",
    "infer chatglm3 int4": "THUDM/chatglm3-6b",
    "infer llama 4 scout int4": "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "infer maverick q4_k_m": "meta-llama/Llama-4-Maverick-17B-128E-Instruct",
    "infer nemotron 70b q4_k_m": "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
    "infer nemotron super 49b fp8": "nvidia/Llama-3_3-Nemotron-Super-49B-v1",
    "infer granite 3.3 8b": "ibm-granite/granite-3.3-8b-instruct",
    "infer solar 10.7b q5_k_m": "upstage/SOLAR-10.7B-v1.0",
    "infer aya 8b": "CohereLabs/aya-23-8B",
    "train tulu 3 8b lora": "allenai/Llama-3.1-Tulu-3-8B",
    "infer hermes 3 8b q4_k_m": "NousResearch/Hermes-3-Llama-3.1-8B",
    "infer dolphin mixtral q4_k_m": "mistralai/Mixtral-8x7B-v0.1",
    "infer deepseek coder 33b q4_k_m": "deepseek-ai/deepseek-coder-33b-base",
    "infer ds coder v2 lite q8_0": "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct",
    "infer wizardlm 13b q4_0": "meta-llama/Llama-2-13b-hf",
    "infer openchat q4_k_m": "openchat/openchat-3.5-0106",
    "infer orca 2 13b": "meta-llama/Llama-2-13b-hf",
    "infer llama 8b q4_k_m": "meta-llama/Llama-3.1-8B",
    "train llama 1b full": "meta-llama/Llama-3.2-1B",
    "train llama 3b lora": "meta-llama/Llama-3.2-3B",
    "infer oss 120b": "openai/gpt-oss-120b",
    "infer L3 70B 4bpw exl2": "meta-llama/Meta-Llama-3-70B",
    "infer code llama 13b": "codellama/CodeLlama-13b-hf",
    "ollama run llama3.2": "meta-llama/Llama-3.2-3B",
    "ollama run qwen2.5:32b-instruct-q4_K_M": "Qwen/Qwen2.5-32B-Instruct",
    "ollama run mistral:latest": "mistralai/Mistral-7B-v0.3",
    "ollama run deepseek-r1:14b": "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B",
    "ollama run deepseek-r1:671b": "deepseek-ai/DeepSeek-R1",
    "ollama run gemma3:27b-it-qat": "google/gemma-3-27b-it",
    "ollama run mistral-nemo:12b-instruct-2407-q5_K_M": "mistralai/Mistral-Nemo-Base-2407",
    "ollama run codellama:34b-python-q4_0": "codellama/CodeLlama-34b-hf",
    "ollama run qwen3:30b-a3b": "Qwen/Qwen3-30B-A3B",
    "ollama run llama3:8b-instruct-fp16": "meta-llama/Meta-Llama-3-8B",
    "ollama run smollm2:135m": "HuggingFaceTB/SmolLM2-135M",
    "ollama run hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q8_0": "meta-llama/Llama-3.2-3B",
    "r1 qwen 7b q8_0 infer": "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B",
    "infer r1 llama 8b": "deepseek-ai/DeepSeek-R1-Distill-Llama-8B",
    "infer gemma 9b q4_k_m": "google/gemma-2-9b",
    "infer llama 405b fp8": "meta-llama/Llama-3.1-405B",
    "infer deepseek 67b q4_k_m": "deepseek-ai/deepseek-llm-67b-base",
    "infer qwen 1.5b": "Qwen/Qwen2.5-1.5B",
    "infer qwen 8b fp8": "Qwen/Qwen3-8B",
    "train deepseak v3 lora": "deepseek-ai/DeepSeek-V3",
}


@pytest.mark.parametrize(("line", "model"), QUESTIONS.items())
def test_a_question_names_its_model(line: str, model: str) -> None:
    assert READER.read(line).fields["model"] == model


# Formats that Ollama's tags say; a bare one leaves it open.
TAGS = {
    "qwen2.5:32b-instruct-q4_K_M": "gguf:Q4_K_M",
    "mistral-nemo:12b-instruct-2407-q5_K_M": "gguf:Q5_K_M",
    "codellama:34b-python-q4_0": "gguf:Q4_0",
    "llama3:8b-instruct-fp16": "fp16",
    "llama2:70b-chat-q4_0": "gguf:Q4_0",
    "qwen3:8b-q8_0": "gguf:Q8_0",
    "llama3.1:70b": None,
    "deepseek-r1:14b": None,
}


@pytest.mark.parametrize(("tag", "weights"), TAGS.items())
def test_a_tag_says_its_format(tag: str, weights: str | None) -> None:
    assert READER.read(f"ollama run {tag}").fields.get("weights") == weights


NEWEST = {
    "infer llama 8b": "meta-llama/Llama-3.1-8B",
    "train 1.5b qwen full": "Qwen/Qwen2.5-1.5B",
    "infer internlm 20b": "internlm/internlm2_5-20b-chat",
}


@pytest.mark.parametrize(("line", "model"), NEWEST.items())
def test_of_versions_of_one_shape_the_newest_is_taken_and_said(line: str, model: str) -> None:
    reading = READER.read(line)
    assert reading.fields["model"] == model
    assert any("several versions of one shape" in note and model in note for note in reading.notes)


# What several models answer to, each of another shape → the ones that are asked back first.
ASKED = {
    "llama 70b": ["meta-llama/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.1-70B"],
    "gemma 27b": ["google/gemma-3-27b-it", "google/gemma-2-27b"],
    "qwen 14b": ["Qwen/Qwen3-14B", "Qwen/Qwen2.5-14B"],
    "phi 14b": ["microsoft/phi-4"],
    "deepseek 671b": ["deepseek-ai/DeepSeek-V3.2-Exp"],
}


@pytest.mark.parametrize(("name", "first"), ASKED.items())
def test_versions_of_several_shapes_are_asked_back(name: str, first: list[str]) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer {name}")
    assert caught.value.code == "ambiguous"
    assert list(caught.value.names[: len(first)]) == first


MENDED = {
    "deepseak r1 32b": "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
    "deepsek v3": "deepseek-ai/DeepSeek-V3",
    "codelama 34b": "codellama/CodeLlama-34b-hf",
    "tinylama": "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    "nemotrn 70b": "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF",
    "mistrl 7b": "mistralai/Mistral-7B-v0.3",
    "quen 2.5 7b": "Qwen/Qwen2.5-7B",
    "phy 4": "microsoft/phi-4",
    "lama 3 8b": "meta-llama/Meta-Llama-3-8B",
    "lama3.1 8b": "meta-llama/Llama-3.1-8B",
    "mixtrl": "mistralai/Mixtral-8x7B-v0.1",
    "qwn 2.5 7b": "Qwen/Qwen2.5-7B",
    "gema2 9b": "google/gemma-2-9b",
    "llma 3.1 70b": "meta-llama/Llama-3.1-70B",
    "falcn 40b": "tiiuae/falcon-40b",
    "smolm2 135m": "HuggingFaceTB/SmolLM2-135M",
    "granit 3.3 8b": "ibm-granite/granite-3.3-8b-instruct",
    "chatgml3": "THUDM/chatglm3-6b",
}


@pytest.mark.parametrize(("name", "model"), MENDED.items())
def test_a_letter_too_many_or_too_few_is_mended_and_said(name: str, model: str) -> None:
    reading = READER.read(f"infer {name}")
    assert reading.fields["model"] == model
    typed = re.split(r"[\s\d]", name)[0]
    assert any(f"Read `{typed}` as" in note for note in reading.notes)


# Another letter makes another name, and is never mended → what is offered.
OFFERED = {
    "mistrol 7b": "mistralai/Mistral-7B-v0.3",
    "gwen3 8b": "Qwen/Qwen3-8B",
    "pythya 1.4b": "EleutherAI/pythia-1.4b",
    "bloomm": "bigscience/bloom",
    "llava 13b": "huggyllama/llama-13b",
}


@pytest.mark.parametrize(("name", "first"), OFFERED.items())
def test_another_letter_is_asked_back(name: str, first: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"infer {name}")
    assert caught.value.field == "model"
    assert caught.value.names[0] == first
    assert "model" not in caught.value.understood


CLOSED = ("gpt-4", "gpt-4o", "chatgpt", "claude 3.5", "gemini", "grok 4", "mistral medium")
NO_TEXT = ("stable diffusion xl", "sdxl", "flux dev", "whisper large", "wan 2.2", "GR00T")


@pytest.mark.parametrize("name", CLOSED + NO_TEXT)
def test_what_cannot_be_loaded_or_writes_no_text_is_said_to_be_so(name: str) -> None:
    sentence = "not published" if name in CLOSED else "no language model"
    for line in (f"infer {name}", f"how much vram do i need to run {name} on my own card"):
        with pytest.raises(NotUnderstoodError, match=sentence) as caught:
            READER.read(line)
        assert caught.value.code == "not_language"
        assert f"`{name}" in caught.value.message


@pytest.mark.parametrize(
    "name", ["grok 2", "mistral 3", "jamba 1.5", "mixtral 2", "qwen 9", "zephyr 3"]
)
def test_another_version_of_a_name_is_another_model(name: str) -> None:
    for line in (f"infer {name}", f"how much vram would i need to run {name} with q8"):
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(line)
        assert caught.value.code == "unknown_name"
        assert "model" not in caught.value.understood


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("infer mixtral 4 users", "users"),
        ("infer mixtral 2 3090s", "gpus"),
        ("infer mixtral 8 bit", "weights"),
        ("train tinyllama 4 gpus", "world"),
        ("train 7B lora r1", "rank"),
    ],
)
def test_a_number_with_a_word_is_no_version(line: str, field: str) -> None:
    assert field in READER.read(line).fields


# The row that a name is of: the same for all that share its shape.
SAME_ENTRY = (
    ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b-instruct-1m"),
    ("Qwen/Qwen3-4B", "Qwen/Qwen3-4B-Base"),
    ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct"),
    ("Qwen/QwQ-32B", "qwq-32b-preview"),
)


@pytest.mark.parametrize("names", SAME_ENTRY, ids=lambda names: names[0])
def test_ids_of_one_shape_are_one_entry(names: tuple[str, ...]) -> None:
    assert {CATALOG.models.find(name).entry for name in names} == {names[0]}


def test_the_whole_window_is_that_of_the_id() -> None:
    windows = {
        name: READER.read(f"infer {name} full context").fields["context"]
        for name in ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct-1M")
    }
    assert list(windows.values()) == [131_072, 32_768, 1_010_000]
