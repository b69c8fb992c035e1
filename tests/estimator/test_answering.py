"""The front door's document: all of it there, all of it JSON, and it can be asked again."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from estimator import ServeRequest, TrainRequest, answer_document, load_catalog
from tests.estimator.questions import FIXED, REQUESTS, TABLE, Document, label, serve, train

CATALOG = load_catalog()
KEYS = {
    *("understood", "assumed", "moments", "resting", "peak", "counted_bytes", "parameters"),
    *("second_opinions", "cards", "reservations", "storage", "warnings", "error"),
}


def again(answered: Document) -> Document:
    """What was understood, as a request: fields that are null were left open."""
    return {k: v for k, v in answered["understood"].items() if v is not None}


def check_round_trip(request: Document) -> None:
    first = json.loads(json.dumps(answer_document(request, CATALOG), allow_nan=False))
    second = json.loads(json.dumps(answer_document(again(first), CATALOG), allow_nan=False))
    assert second["error"] is None, second["error"]
    assert second["peak"] == first["peak"]
    assert second["moments"] == first["moments"]
    assert again(second) == again(first)


@pytest.mark.parametrize("request_", TABLE, ids=label)
def test_what_was_understood_can_be_asked_again(request_: Document) -> None:
    check_round_trip(request_)


@given(request=REQUESTS)
@FIXED
@example(request={"task": "infer", "model": "7B"})  # spans models of 4k and of 32k positions
@example(request={"task": "train", "model": "7B"})
def test_anything_understood_can_be_asked_again(request: Document) -> None:
    check_round_trip(request)


@pytest.mark.parametrize(
    ("request_", "kind"), [(train(), TrainRequest), (serve(), ServeRequest)], ids=["train", "serve"]
)
def test_the_document_has_every_field(request_: Document, kind: type) -> None:
    answered = answer_document(request_, CATALOG)
    assert set(answered) == KEYS
    assert set(answered["understood"]) == set(kind.model_fields)  # type: ignore[attr-defined]
    resting = answered["resting"]
    if kind is TrainRequest:
        assert set(resting) == {"before_step", "after_forward", "after_backward"}
        assert resting["before_step"] <= min(resting["after_forward"], resting["after_backward"])
    else:
        assert resting is None


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ([], "bad_request"),
        ({"task": "train", "model": "7B", "zz": 1}, "bad_request"),
        ({"task": "train", "model": "no such model"}, "unknown_name"),
        ({"task": "train", "model": "7B", "rank": 8}, "contradiction"),
        ({"task": "train", "model": "7B", "strategy": "device_map", "world": 4}, "unsupported"),
    ],
)
def test_an_error_is_a_whole_document(request_: object, code: str) -> None:
    answered = answer_document(request_, CATALOG)
    assert set(answered) == KEYS
    assert answered["error"]["code"] == code
    assert answered["error"]["message"]
    assert answered["peak"] is None
    assert answered["moments"] == answered["cards"] == []


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
_FIELD = st.sampled_from(sorted({*TrainRequest.model_fields, *ServeRequest.model_fields}))


@given(base=st.sampled_from((train(), serve())), rubbish=st.dictionaries(_FIELD, _JSON, max_size=3))
@FIXED
def test_rubbish_is_answered(base: Document, rubbish: Document) -> None:
    """With an estimate or in words, never with an exception."""
    answered = answer_document(base | rubbish, CATALOG)
    assert set(answered) == KEYS
    assert (answered["error"] is None) == (answered["peak"] is not None)


PLANNED: tuple[Document, ...] = (  # on many cards, and with types that an engine has its own of
    train(method="full", pp=2, world=2),
    train(method="full", tp=4),
    train(method="lora", cp=4, seq=8192),
    train(method="full", tp=2, pp=2, dp=2),
    train(model="google/gemma-3-4b-it", method="lora", images=2),
    serve(model="google/gemma-3-4b-it", images=2),
    serve(dp=4, tp=2),
    serve(pp=2, dp=3),
    serve(engine="llama.cpp", weights="gguf:Q4_K_M", tp=4),
    serve(kv_k="fp8", swa_full=True),
    serve(model="deepseek-ai/DeepSeek-V2-Lite", dp=4, world=512, pp=1),
    serve(model="openai/gpt-oss-20b", world=16, tp=4),
    serve(engine="exllamav2", tp=2, pp=2),
    serve(engine="transformers", tp=2, pp=2),
    serve(gpus=[{"id": "class-24gb", "count": 16}], tp=2),
    serve(engine="mlx", gpus=[{"id": "m3-max-64gb", "count": 1}], dp=1),
)


@pytest.mark.parametrize("request_", PLANNED, ids=label)
def test_plans_of_many_cards_can_be_asked_again(request_: Document) -> None:
    check_round_trip(request_)


@pytest.mark.parametrize(
    "asked",
    [
        serve(gpus=[{"id": "h100", "count": 65_536}, {"id": "a100 80gb", "count": 1}]),
        serve(engine="exllamav2", tp=65_536, pp=2),
        serve(engine="vllm", tp=8, dp=65_536),
        train(gpus=[{"id": "h100", "count": 65_536}, {"id": "a100 80gb", "count": 1}]),
    ],
    ids=label,
)
def test_more_cards_than_any_request_is_about_are_refused(asked: Document) -> None:
    error = answer_document(asked, CATALOG)["error"]
    assert error is not None
    assert "are more than 65,536" in error["message"]
