"""What is said of cards that an estimate knows less of."""

import pytest

from estimator import answer, load_catalog, parse_request
from tests.estimator.questions import Document

CATALOG = load_catalog()


def warnings_of(card: str, **more: object) -> list[str]:
    request: Document = {"task": "infer", "model": "8B", "gpus": [{"id": card}], **more}
    return list(answer(parse_request(request), CATALOG).document()["warnings"])


@pytest.mark.parametrize(
    ("card", "software"),
    [("tpu-v6e", "XLA"), ("tpu-v4", "XLA"), ("gaudi-3", "SynapseAI"), ("910b", "CANN")],
)
def test_what_is_no_gpu_is_answered_and_said_to_be_none(card: str, software: str) -> None:
    said = " ".join(warnings_of(card, engine="transformers"))
    assert f"runs by {software}" in said
    assert "FlashAttention" not in said


@pytest.mark.parametrize(
    ("card", "seen"), [("rtx-2080", "7.5 GiB"), ("rx-7600", "7.9 GiB"), ("tpu-v5e", "15.4 GiB")]
)
def test_a_total_that_was_not_seen_is_said_to_be_assumed(card: str, seen: str) -> None:
    assert f"assumed to get {seen}" in " ".join(warnings_of(card, engine="transformers"))


@pytest.mark.parametrize("card", ["rtx-3090", "a10g", "mi300x", "m4 max 128gb", "24gb"])
def test_of_a_gpu_whose_total_was_seen_neither_is_said(card: str) -> None:
    said = " ".join(warnings_of(card))
    assert "assumed to get" not in said
    assert "lays memory out" not in said
