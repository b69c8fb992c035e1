"""Which model a line means; a wrong one is never returned."""

import pytest

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError, Said
from bot.reading.models import take_hub_ids
from bot.reading.read import Reader
from bot.reading.vocabulary import vocabulary_of
from estimator import load_catalog

CATALOG = load_catalog()
LOCALE = load_locale()
READER = Reader(LOCALE, CATALOG)
VOCABULARY = vocabulary_of(LOCALE, CATALOG)

NAMED = {
    "llama 3.1 8b": "meta-llama/Llama-3.1-8B",
    "LLAMA-3.1-8B-INSTRUCT": "meta-llama/Llama-3.1-8B",
    "llama3.1:8b": "meta-llama/Llama-3.1-8B",
    "meta-llama/Llama-3.1-8B-Instruct": "meta-llama/Llama-3.1-8B",
    "https://huggingface.co/meta-llama/Llama-3.1-8B": "meta-llama/Llama-3.1-8B",
    "unsloth/llama-3-8b-bnb-4bit": "meta-llama/Meta-Llama-3-8B",
    "llama 7B": "huggyllama/llama-7b",
    "qwen2.5 7b": "Qwen/Qwen2.5-7B",
    "Qwen2.5-7B-Instruct-AWQ": "Qwen/Qwen2.5-7B-Instruct",
    "qwen3 30b-a3b": "Qwen/Qwen3-30B-A3B",
    "Mistral-7B-Instruct-v0.3": "mistralai/Mistral-7B-v0.3",
    "mixtral 8x7b": "mistralai/Mixtral-8x7B-v0.1",
    "TinyLlama 1.1B": "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    "phi 3": "microsoft/Phi-3-mini-4k-instruct",
    "gpt2-xl": "openai-community/gpt2-xl",
    "7B": "7B",
    "8x7b": "8x7B",
    "350M": "350M",
    "30B-A3B": "Qwen/Qwen3-30B-A3B",
    "qwen3 30ba3b": "Qwen/Qwen3-30B-A3B",
    "qwen 30b a3b": "Qwen/Qwen3-30B-A3B",
    "235b-a22b": "Qwen/Qwen3-235B-A22B",
    "qwen2.5 vl 7b": "Qwen/Qwen2.5-VL-7B-Instruct",
    "qwen3 vl 235b": "Qwen/Qwen3-VL-235B-A22B-Instruct",
    "DeepSeek-Coder-V2": "deepseek-ai/DeepSeek-Coder-V2-Instruct",
    "deepseek v3": "deepseek-ai/DeepSeek-V3",
    "DeepSeek-V3-0324": "deepseek-ai/DeepSeek-V3-0324",
    "deepseek r1": "deepseek-ai/DeepSeek-R1",
    "mistral-small3.1": "mistralai/Mistral-Small-3.1-24B-Instruct-2503",
    "gemma 3 27b": "google/gemma-3-27b-it",
    "phi-3-small": "microsoft/Phi-3-small-8k-instruct",
    "qwen3.5-9b": "Qwen/Qwen3.5-9B",
    "nemotron-3-nano:30b": "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "gpt oss 120 b": "openai/gpt-oss-120b",
    "mamba 2.8b": "state-spaces/mamba-2.8b-hf",
    "t5 3b": "google-t5/t5-3b",
}
OTHERS = (
    "qwen9-vl-7b",
    "qwen 7B VL",
    "deepseek v9",
    "DeepSeek-V9-0324",
    "llama-9-70b",
    "llama 9 70b",
    "meta-llama/Llama-9-900B-Ultra",
    "llama-3.1-8b-foo",
    "llama-3.1-8b-longer",
    "chinese-llama-2-7b",
    "Mistral-7B-v0.9",
    "mistral-small9.1",
    "gemma 9 27b",
    "yi-large+",
    "yi-large",
    "Qwen9.5-122B-A10B",
    "llama",
    "someone/model-7b-x",
    "100B-A17B",
    "qwen3 99b-a9b",
    "nllb 3b",
    "gpt foo 120 b",
)


@pytest.mark.parametrize(("name", "model"), NAMED.items())
def test_names(name: str, model: str) -> None:
    assert READER.read(f"infer {name}").fields["model"] == model
    assert READER.read(f"how much vram to infer {name} on this card?").fields["model"] == model


@pytest.mark.parametrize("name", OTHERS)
def test_a_name_that_goes_on_is_unknown_even_in_a_sentence(name: str) -> None:
    for line in (f"infer {name}", f"how much vram would i need to infer {name} with q8"):
        with pytest.raises(NotUnderstoodError) as caught:
            READER.read(line)
        assert caught.value.code in ("unknown_name", "ambiguous")
        assert "model" not in caught.value.understood
        assert caught.value.lines


def test_a_size_that_the_series_has_not_is_unknown() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("infer llama 3.1 7B q4")
    assert caught.value.code == "unknown_name"
    assert "llama 3.1 7b" in caught.value.message.casefold()
    assert "infer meta-llama/Llama-3.1-8B Q4_K_M" in caught.value.lines


@pytest.mark.parametrize("line", ["7B 13B", "qwen2.5-7b llama-3.1-8b", "qwen2.5-7b llama 9"])
def test_two_models_cannot_both_be_meant(line: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train {line}")
    assert caught.value.field == "model"


@pytest.mark.parametrize("size", ["0B", "1M", "9999T", "0.00000001B", "999x7b"])
def test_sizes_that_no_model_has(size: str) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(f"train {size} lora")
    assert caught.value.understood == {"task": "train", "method": "lora"}


@pytest.mark.parametrize(
    ("text", "rest", "strange"),
    [
        ("Qwen/Qwen2.5-7B", ",", []),
        ("foo/bar-7b", ", ,", ["foo/bar-7b"]),
        ("qlora/4-bit", "qlora / 4-bit", []),
        ("train/7B", "train / 7B", []),
        ("see https://x.invalid/a-1/b", "see", []),
    ],
)
def test_hub_ids_are_taken_out(text: str, rest: str, strange: list[str]) -> None:
    left, found = take_hub_ids(text, CATALOG, VOCABULARY, LOCALE, Said())
    assert left.split() == rest.split()
    assert [fact.value for fact in found] == strange


def test_an_address_is_no_model() -> None:
    said = Said()
    take_hub_ids("model=http://169.254.169.254/latest", CATALOG, VOCABULARY, LOCALE, said)
    assert [fault.code for fault in said.faults] == ["not_a_model_id"]


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("llama 70B", ["meta-llama/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.1-70B"]),
        ("run phi 14b", ["microsoft/phi-4"]),
        ("4bit qwen 72b", ["Qwen/Qwen2.5-72B"]),
        ("qwen 32b", ["Qwen/Qwen3-32B", "Qwen/Qwen2.5-32B"]),
        ("qwen 100b", ["Qwen/Qwen1.5-110B"]),
        ("gemma 9 27b", ["google/gemma-3-27b-it", "google/gemma-2-27b"]),
    ],
)
def test_half_a_name_with_a_size_lists_the_newest_of_that_size(line: str, first: list[str]) -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read(line)
    assert list(caught.value.names[: len(first)]) == first
    assert all(
        offered.startswith(f"infer {name}")
        for offered, name in zip(caught.value.lines, first, strict=False)
    )


@pytest.mark.parametrize(
    ("line", "maker"),
    [
        ("train llama 70b lora", "meta-llama/"),
        ("train qwen 14b fp8", "Qwen/"),
        ("infer llama 70b q4", "meta-llama/"),
        ("qwen 32b lora", "Qwen/"),
        ("infer qwen 72b", "Qwen/"),
    ],
)
def test_a_family_of_several_versions_is_asked_back_its_maker_s_first(
    line: str, maker: str
) -> None:
    with pytest.raises(NotUnderstoodError, match="several versions") as caught:
        READER.read(line)
    assert caught.value.code == "ambiguous"
    assert all(name.startswith(maker) for name in caught.value.names[:2])
    assert not [offered for offered in caught.value.lines if "/" not in offered]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("train nllb 3b", "nllb 3b"),
        ("does nllb 3b fit on my 3090", "nllb 3b"),
        ("infer flan nllb 3b", "nllb 3b"),
        ("infer gpt foo 120 b", "gpt foo 120b"),
        ("infer 100B-A17B", "100B-A17B"),
    ],
)
def test_an_unknown_name_leaves_no_size(line: str, name: str) -> None:
    with pytest.raises(NotUnderstoodError, match=f"no model called `{name}`") as caught:
        READER.read(line)
    size = name.rsplit(maxsplit=1)[-1].upper()
    assert not [offered for offered in caught.value.lines if size in offered]


def test_gemma_3_of_another_size_offers_no_far_one() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("infer gemma 3 70b")
    assert not [line for line in caught.value.lines if "gemma-3-270m" in line]


def test_a_model_that_is_not_there_leaves_no_rank() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("will gemma r1 fit on 8x H200")
    assert "`gemma r1`" in caught.value.message
    assert "rank" not in caught.value.understood
    assert all(offered.startswith("infer google/") for offered in caught.value.lines)


def test_an_impossible_size_beside_a_name_is_a_mismatch() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train llama-3.1-8b 1234567x7B lora")
    assert caught.value.code == "contradiction"
    assert "1234567x7B" in caught.value.message


def test_names_that_are_shown_are_cut_and_clean() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("infer llama-" + "`9\u202e" * 90)
    assert "\u202e" not in caught.value.message
    assert len(caught.value.message) < 600


@pytest.mark.parametrize(
    ("line", "family", "offered"),
    [
        ("train mistrol 7b lora", "mistral", "train mistralai/Mistral-7B-v0.1 lora"),
        ("infer gwen3 8b", "qwen", "infer Qwen/Qwen3-8B"),
        ("train llava 7b lora", "llama", "train 7B lora"),  # another model: offered, never taken
    ],
)
def test_a_slip_in_a_family_offers_its_models(line: str, family: str, offered: str) -> None:
    with pytest.raises(NotUnderstoodError, match=f"Did you mean `{family}`") as caught:
        READER.read(line)
    assert caught.value.code == "unknown_word"
    assert offered in caught.value.lines
    for again in caught.value.lines:
        READER.read(again)


def test_a_slip_in_another_word_is_no_family() -> None:
    with pytest.raises(NotUnderstoodError) as caught:
        READER.read("train 7B xyzzy")
    assert caught.value.field is None


def test_a_family_of_one_model_is_not_taken_for_any_size() -> None:
    with pytest.raises(NotUnderstoodError):
        READER.read("train openchat 13B lora")


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("qwen2.5 70b", "Qwen/Qwen2.5-72B"),
        ("llama 3.1 7b", "meta-llama/Llama-3.1-8B"),
        ("gemma 3 13b", "google/gemma-3-12b-it"),
        ("llama 3 13b", "meta-llama/Meta-Llama-3-8B"),
        ("qwen2.5-coder 13b", "Qwen/Qwen2.5-Coder-14B"),
        ("deepseek r1 13b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"),
        ("gpt-oss 70b", "openai/gpt-oss-120b"),
    ],
)
def test_of_a_series_without_such_a_size_the_nearest_is_offered(typed: str, first: str) -> None:
    with pytest.raises(NotUnderstoodError) as error:
        READER.read(f"infer {typed}")
    assert error.value.lines[0] == f"infer {first}"
