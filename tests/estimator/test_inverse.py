"""The most that a card holds: it fits, and one step more does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimator import (
    Answer,
    BadRequest,
    ServeRequest,
    Unsupported,
    Verdict,
    answer,
    load_catalog,
    parse_request,
)
from estimator.inverse import LADDERS, STEP

CATALOG = load_catalog()
MODELS = (
    "meta-llama/Llama-3.1-8B",
    "Qwen/Qwen2.5-7B",
    "google/gemma-2-9b",
    "mistralai/Mistral-7B-v0.3",
)
CARDS = ("class-16gb", "rtx-3090", "a100-sxm4-80gb")
FORMATS = ("gguf:Q4_K_M", "awq4", "bf16")


def asked(**fields: object) -> Answer:
    return answer(parse_request({"task": "infer"} | fields), CATALOG)


def verdicts(found: Answer) -> set[Verdict]:
    return {card.verdict for card in found.cards if card.asked}


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.sampled_from(MODELS), st.sampled_from(CARDS), st.sampled_from(FORMATS))
def test_the_longest_context_fits_and_a_step_more_does_not(
    model: str, card: str, weights: str
) -> None:
    question = {"model": model, "weights": weights, "gpus": [{"id": card}]}
    try:
        found = asked(**question, find="context")
    except Unsupported:
        assert verdicts(asked(**question, context=STEP)) != {Verdict.FITS}
        return
    solved = found.solved
    assert solved is not None
    assert isinstance(solved.value, int)
    assert verdicts(found) == {Verdict.FITS}
    assert solved.value == found.setup.context  # type: ignore[union-attr]
    if not solved.bound:
        assert verdicts(asked(**question, context=solved.value + STEP)) != {Verdict.FITS}


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(MODELS),
    st.sampled_from(CARDS),
    st.sampled_from(FORMATS),
    st.sampled_from((1024, 8192)),
)
def test_the_most_users_fit_and_one_more_does_not(
    model: str, card: str, weights: str, context: int
) -> None:
    question = {"model": model, "weights": weights, "gpus": [{"id": card}], "context": context}
    try:
        found = asked(**question, find="users")
    except Unsupported:
        assert verdicts(asked(**question, users=1)) != {Verdict.FITS}
        return
    solved = found.solved
    assert solved is not None
    assert isinstance(solved.value, int)
    assert verdicts(found) == {Verdict.FITS}
    assert verdicts(asked(**question, users=solved.value + 1)) != {Verdict.FITS}


@pytest.mark.parametrize("engine", ["llama.cpp", "vllm", "transformers"])
def test_the_best_format_fits_and_wider_ones_do_not(engine: str) -> None:
    question = {"model": "Qwen/Qwen2.5-32B", "engine": engine, "gpus": [{"id": "a100-pcie-40gb"}]}
    found = asked(**question, find="weights")
    solved = found.solved
    assert solved is not None
    assert verdicts(found) == {Verdict.FITS}
    assert found.setup.numbers.format.id == solved.value
    assert verdicts(asked(**question | {"weights": "bf16"})) != {Verdict.FITS}


BESTS = {"exllamav2": "exl2 8 bpw", "mlx": "bf16", "autoawq": "awq4", "litgpt": "bf16"}


@pytest.mark.parametrize("engine", BESTS)
def test_each_engine_has_formats_to_choose_among(engine: str) -> None:
    card = "apple-m3-max-64gb" if engine == "mlx" else "a100-sxm4-80gb"
    found = asked(
        model="meta-llama/Llama-3.1-8B", engine=engine, gpus=[{"id": card}], find="weights"
    )
    assert found.solved is not None
    assert found.solved.value == BESTS[engine]


def test_every_kind_of_engine_has_a_ladder() -> None:
    assert {engine.kind for engine in CATALOG.engines.rows} == set(LADDERS)
    rungs = {name for ladder in LADDERS.values() for name, _ in ladder}
    assert {name for name in rungs if CATALOG.formats.get(name) is None} == set()


def test_what_a_context_has_to_hold_bounds_it_below() -> None:
    question = {"model": "meta-llama/Llama-3.1-8B", "gpus": [{"id": "class-24gb"}]}
    shared = asked(**question, users=8, shared_prefix=2048, find="context")
    assert shared.solved is not None
    assert int(shared.solved.value) >= 2048
    asks = asked(**question, prompt=6000, new_tokens=500, find="context")
    assert asks.setup.prompt == 6000  # type: ignore[union-attr]
    assert asks.solved is not None
    assert int(asks.solved.value) >= 6500
    with pytest.raises(Unsupported, match="100,096 tokens"):
        asked(**question, prompt=100_000, find="context")


def test_a_longest_request_bounds_a_context() -> None:
    found = asked(
        model="meta-llama/Llama-3.1-8B",
        engine="vllm",
        max_model_len=4096,
        gpus=[{"id": "a100-sxm4-80gb"}],
        find="context",
    )
    assert found.solved is not None
    assert found.solved.value == 4096
    assert found.solved.bound


@pytest.mark.parametrize(
    ("find", "named", "aside"),
    [
        ("context", {"context": 4096}, "ctx 4,096"),
        ("users", {"users": 3}, "3 users"),
        ("weights", {"weights": "gguf:Q4_K_M"}, "gguf:Q4_K_M"),
    ],
)
def test_what_was_said_of_it_gives_way_and_is_named(
    find: str, named: dict[str, object], aside: str
) -> None:
    found = asked(model="meta-llama/Llama-3.1-8B", gpus=[{"id": "rtx-4090"}], find=find, **named)
    assert found.solved is not None
    assert found.solved.aside == aside


def test_the_models_own_context_is_the_bound() -> None:
    found = asked(model="Qwen/Qwen2.5-0.5B", gpus=[{"id": "h200-sxm"}], find="context")
    assert found.solved is not None
    assert found.solved.bound
    assert found.solved.value == found.setup.shape.context


def test_without_a_card_it_is_asked_for() -> None:
    with pytest.raises(BadRequest, match="name a card"):
        asked(model="8B", find="users")


@pytest.mark.parametrize("find", ["context", "users", "weights"])
def test_what_does_not_fit_at_all_is_said(find: str) -> None:
    with pytest.raises(Unsupported, match="no room there even"):
        asked(model="70B", gpus=[{"id": "class-8gb"}], find=find)


def test_what_was_found_stands_in_the_document() -> None:
    document = asked(model="8B", gpus=[{"id": "rtx-3090"}], find="users").document()
    assert document["solved"]["find"] == "users"
    assert document["solved"]["value"] == document["understood"]["users"]
    assert ServeRequest(model="8B", find="context").find == "context"


@pytest.mark.parametrize("find", ["context", "users"])
def test_where_nothing_fits_as_published_the_engine_that_packs_is_offered(find: str) -> None:
    question = {"model": "meta-llama/Llama-3.1-8B", "find": find}
    with pytest.raises(Unsupported) as none:
        asked(**question, gpus=[{"id": "class-12gb"}])
    assert none.value.suggestions[0] == "llama.cpp"
    assert asked(**question, gpus=[{"id": "class-12gb"}], engine="llama.cpp").solved
    with pytest.raises(Unsupported) as neither:
        asked(**question, gpus=[{"id": "class-12gb"}], weights="bf16")
    assert "llama.cpp" not in neither.value.suggestions


@pytest.mark.parametrize("find", ["context", "users"])
def test_where_the_least_is_tight_that_is_said(find: str) -> None:
    question = {"model": "70B", "weights": "gguf:Q4_K_M", "slots": 2, "users": 2}
    cards = [{"id": "rtx-3090", "count": 2}]
    tight = asked(**question, gpus=cards, context=256).cards[0].verdict
    with pytest.raises(Unsupported) as none:
        asked(**question, gpus=cards, find=find)
    assert ("would be tight" in str(none.value)) == (tight is Verdict.TIGHT)
    assert tight is Verdict.TIGHT
