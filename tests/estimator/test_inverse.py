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
from estimator.inverse import STEP

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
    with pytest.raises(Unsupported, match="Not even"):
        asked(model="70B", gpus=[{"id": "class-8gb"}], find=find)


def test_what_was_found_stands_in_the_document() -> None:
    document = asked(model="8B", gpus=[{"id": "rtx-3090"}], find="users").document()
    assert document["solved"]["find"] == "users"
    assert document["solved"]["value"] == document["understood"]["users"]
    assert ServeRequest(model="8B", find="context").find == "context"
