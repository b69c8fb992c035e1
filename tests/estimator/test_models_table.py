"""The table of models: every row recounts, every name resolves, every bare size has its shape."""

import pytest

from estimator.catalog import Catalog, load_catalog
from estimator.model_rows import Difference, Model

MODELS = load_catalog().models.rows
TOTALS = [row for row in MODELS if row.published_total is not None]
VARIANTS = [row for row in load_catalog().models.named if row.base is not None]
LEAST_MODELS, LEAST_TOTALS, LEAST_VARIANTS = 530, 420, 50

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


def test_there_are_as_many_as_the_readme_says() -> None:
    assert len(MODELS) >= LEAST_MODELS
    assert len(TOTALS) >= LEAST_TOTALS
    assert len(VARIANTS) >= LEAST_VARIANTS


@pytest.mark.parametrize("model", TOTALS, ids=name_of)
def test_a_published_total_is_the_count_and_what_is_said_to_differ(model: Model) -> None:
    assert model.published_total == model.parameters + sum(model.differs.values())
    assert 0 not in model.differs.values()


@pytest.mark.parametrize("model", [row for row in MODELS if row.differs], ids=name_of)
def test_a_difference_is_as_large_as_its_cause_makes_it(model: Model) -> None:
    shape, window = model.architecture, model.context or 0
    table = shape.vocabulary * (shape.embedding or shape.hidden)
    whole = {
        Difference.HEAD: table,
        Difference.EMBEDDING: table,
        Difference.MASKS: window * window,
        Difference.SCALARS: shape.depth,
        Difference.SINKS: shape.first.attention.output_width // 128,
    }
    assert model.published_total is not None
    for cause, amount in model.differs.items():
        assert amount % whole.get(cause, 1) == 0, cause
        if cause in (Difference.HEAD, Difference.EMBEDDING):
            assert amount == table
        if cause is Difference.CORRECTION:  # of modules that predict several tokens as well
            assert amount <= -model.apart["router_correction"]


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_active_parameters_recount(model: Model) -> None:
    shape = model.architecture
    tower = 0 if shape.tower is None else shape.tower.parameters
    active = shape.active_parameters - tower + model.apart.get("router_correction", 0)
    mixture = shape.active_parameters != shape.parameters
    assert model.active == (active if mixture else None)


ACTIVE = {  # billions as makers print them: all, of one token
    "qwen3-30b-a3b": (30.5, 3.3),
    "qwen3-235b-a22b": (235, 22),
    "mixtral 8x7b": (46.7, 12.9),
    "gpt-oss-20b": (20.9, 4.2),  # 3.6 without the embedding
    "gpt-oss-120b": (117, 5.7),  # 5.1
    "deepseek v3": (684, 37),
    "llama 4 scout": (109, 17),
}


@pytest.mark.parametrize(("name", "billions"), ACTIVE.items())
def test_total_and_active_stay_apart(
    name: str, billions: tuple[float, float], catalog: Catalog
) -> None:
    row = catalog.models.find(name)
    assert row.active is not None
    assert row.parameters / 1e9 == pytest.approx(billions[0], rel=0.02)
    assert row.active / 1e9 == pytest.approx(billions[1], rel=0.04)


NON_EMBEDDING = {  # billions as Qwen's cards print them
    "qwen2.5-0.5b": 0.36,
    "qwen2.5-7b": 6.53,
    "qwen2.5-14b": 13.1,
    "qwen3-0.6b": 0.44,
    "qwen3-8b": 6.95,
    "qwen3-30b-a3b": 29.9,
}


@pytest.mark.parametrize(("name", "billions"), NON_EMBEDDING.items())
def test_without_the_tables_of_words(name: str, billions: float, catalog: Catalog) -> None:
    assert catalog.models.find(name).non_embedding / 1e9 == pytest.approx(billions, rel=0.02)


WINDOWS = {
    "Qwen/Qwen2.5-7B": 131_072,
    "Qwen/Qwen2.5-7B-Instruct": 32_768,
    "qwen 2.5 7b instruct": 32_768,
    "Qwen/Qwen2.5-7B-Instruct-1M": 1_010_000,
    "Qwen/Qwen2.5-Coder-7B-Instruct": 32_768,
    "Qwen/Qwen3-4B": 40_960,
    "Qwen/Qwen3-4B-Base": 32_768,
    "Qwen/Qwen3-4B-Instruct-2507": 262_144,
    "Qwen/QwQ-32B": 40_960,
    "Qwen/QwQ-32B-Preview": 32_768,
    "mistralai/Mistral-7B-Instruct-v0.2": 32_768,
    "meta-llama/Meta-Llama-3-8B": 8_192,
    "meta-llama/Llama-3.1-8B-Instruct": 131_072,
    "microsoft/Phi-3-mini-4k-instruct": 4_096,
    "microsoft/Phi-3-mini-128k-instruct": 131_072,
    "microsoft/Phi-3-medium-4k-instruct": 4_096,
    "microsoft/Phi-3-medium-128k-instruct": 131_072,
    "01-ai/Yi-6B": 4_096,
    "01-ai/Yi-6B-200K": 200_000,
    "zai-org/glm-4-9b": 8_192,
    "zai-org/glm-4-9b-chat": 131_072,
    "moonshotai/Kimi-K2-Instruct": 131_072,
    "moonshotai/Kimi-K2-Instruct-0905": 262_144,
    "deepseek-ai/DeepSeek-R1": 163_840,
}


@pytest.mark.parametrize(("name", "window"), WINDOWS.items())
def test_each_id_has_its_own_window(name: str, window: int, catalog: Catalog) -> None:
    assert catalog.models.find(name).context == window


@pytest.mark.parametrize("model", VARIANTS, ids=name_of)
def test_what_shares_a_shape_is_the_same_entry(model: Model, catalog: Catalog) -> None:
    assert catalog.models.find(model.id) is model
    row = catalog.models.find(model.entry)
    assert row.base is None
    assert model.architecture is row.architecture
    assert model.parameters == row.parameters
    own = (model.context, model.licence, model.gated)
    assert own != (row.context, row.licence, row.gated)
    assert model.entry == row.entry == row.id


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
