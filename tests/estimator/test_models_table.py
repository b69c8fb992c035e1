"""The table of models: every row recounts, every name resolves, every bare size has its shape."""

import pytest

from estimator.catalog import Catalog, load_catalog
from estimator.rows import Model

MODELS = load_catalog().models.rows

COUNTED = (
    "EleutherAI/pythia-1.4b",
    "HuggingFaceTB/SmolLM2-135M",
    "Qwen/Qwen2.5-0.5B",
    "Qwen/Qwen2.5-7B",
    "Qwen/Qwen3-8B",
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
    "facebook/opt-1.3b",
    "google/gemma-2-2b",
    "meta-llama/Llama-2-7b-hf",
    "meta-llama/Llama-3.1-70B",
    "meta-llama/Llama-3.1-8B",
    "meta-llama/Llama-3.2-1B",
    "microsoft/Phi-3-mini-4k-instruct",
    "mistralai/Mistral-7B-v0.3",
    "mistralai/Mixtral-8x7B-v0.1",
    "openai-community/gpt2",
)

BARE_SIZES = {
    "7B": "mistralai/Mistral-7B-v0.3",
    "8B": "meta-llama/Llama-3.1-8B",
    "13B": "meta-llama/Llama-2-13b-hf",
    "14B": "Qwen/Qwen2.5-14B",
    "32B": "Qwen/Qwen2.5-32B",
    "34B": "codellama/CodeLlama-34b-hf",
    "70B": "meta-llama/Llama-3.1-70B",
    "8x7B": "mistralai/Mixtral-8x7B-v0.1",
}

TYPED_NAMES = {
    "llama 3.1 8b": "meta-llama/Llama-3.1-8B",
    "llama3.1:8b": "meta-llama/Llama-3.1-8B",
    "meta-llama/Llama-3.1-8B-Instruct": "meta-llama/Llama-3.1-8B",
    "llama 2 7b": "meta-llama/Llama-2-7b-hf",
    "qwen 2.5 7b": "Qwen/Qwen2.5-7B",
    "mistral 7b": "mistralai/Mistral-7B-v0.3",
    "Mixtral 8x7B": "mistralai/Mixtral-8x7B-v0.1",
    "gemma 2 2b": "google/gemma-2-2b",
    "tinyllama": "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def name_of(model: Model) -> str:
    return model.id


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_parameters_recount(model: Model) -> None:
    assert model.architecture.parameters + sum(model.apart.values()) == model.parameters


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_every_name_resolves_to_its_row(model: Model, catalog: Catalog) -> None:
    for name in (model.id, *model.aliases):
        assert catalog.models.find(name) is model


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_names_do_not_differ_only_in_case_and_separators(model: Model, catalog: Catalog) -> None:
    keys = [key for key, row in catalog.models.by_key.items() if row is model]
    assert len(keys) == 1 + len(model.aliases)


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_context_and_sources(model: Model, catalog: Catalog) -> None:
    assert model.context is None or model.context > 0
    assert model.sources
    for source in model.sources:
        catalog.sources.find(source)


@pytest.mark.parametrize("name", COUNTED)
def test_counted_models_are_present(name: str, catalog: Catalog) -> None:
    assert name in catalog.models.ids


@pytest.mark.parametrize(("name", "row"), TYPED_NAMES.items())
def test_names_as_people_type_them(name: str, row: str, catalog: Catalog) -> None:
    assert catalog.models.find(name).id == row


@pytest.mark.parametrize(("typed", "shape"), BARE_SIZES.items())
def test_bare_sizes_stand_for_their_shape(typed: str, shape: str, catalog: Catalog) -> None:
    assert {size.typed: size.shape for size in catalog.sizes}[typed] == shape


def test_sizes_ascend(catalog: Catalog) -> None:
    typed = [size.parameters for size in catalog.sizes]
    assert typed == sorted(set(typed))


def test_sizes_name_models(catalog: Catalog) -> None:
    for size in catalog.sizes:
        for name in (size.shape, *size.span):
            assert name in catalog.models.ids
