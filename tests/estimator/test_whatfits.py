"""Tables of what fits: each cell says what a question of its own says."""

from typing import Any

import pytest

from estimator import (
    Answer,
    By,
    Cell,
    Column,
    EstimatorError,
    Row,
    UnknownName,
    Verdict,
    WhatFits,
    answer,
    load_catalog,
    parse_request,
    what_fits,
)
from estimator.inverse import NoRoom

CATALOG = load_catalog()
RTX_4090 = [{"id": "rtx-4090", "count": 1}]
TWO_3090 = [{"id": "rtx-3090", "count": 2}]
QUESTIONS: dict[str, tuple[By, dict[str, Any]]] = {
    "train on a 4090": (By.SIZES, {"task": "train", "gpus": RTX_4090}),
    "train on two 3090": (By.SIZES, {"task": "train", "gpus": TWO_3090}),
    "train on 24 GB": (By.SIZES, {"task": "train", "gpus": [{"id": "class-24gb"}], "batch": 4}),
    "qlora on 12 GB": (
        By.SIZES,
        {"task": "train", "gpus": [{"id": "class-12gb"}], "method": "qlora"},
    ),
    "run on a 4090": (By.SIZES, {"task": "infer", "gpus": RTX_4090}),
    "run on vllm": (By.SIZES, {"task": "infer", "gpus": TWO_3090, "engine": "vllm"}),
    "train 8B": (By.METHODS, {"task": "train", "model": "8B", "gpus": RTX_4090}),
    "optimizers": (
        By.OPTIMIZERS,
        {"task": "train", "model": "7B", "method": "full", "gpus": [{"id": "a100-sxm4-80gb"}]},
    ),
    "run 70B": (By.FORMATS, {"task": "infer", "model": "70B", "gpus": TWO_3090}),
}


def places(table: WhatFits) -> list[tuple[Row, Column, Cell]]:
    return [
        (row, column, cell)
        for row, cells in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, cells, strict=True)
    ]


def alone(fields: dict[str, Any]) -> Answer | EstimatorError:
    """The answer to one cell's question, or why there is none."""
    try:
        return answer(parse_request(fields), CATALOG)
    except EstimatorError as error:
        return error


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_cell_says_what_its_own_question_says(name: str) -> None:
    by, fields = QUESTIONS[name]
    table = what_fits(fields, by, CATALOG)
    shared = dict(fields)
    if fields["task"] == "train" and fields["gpus"] == TWO_3090:
        shared["strategy"] = "fsdp"
    assert len(places(table)) >= 2
    for row, column, cell in places(table):
        question = shared | dict(row.fields) | dict(column.fields) | {"find": column.find}
        own = alone(question)
        if isinstance(own, Answer):
            assert (cell.verdict, cell.solved) == (Verdict.FITS, own.solved)
            assert cell.request == own.request
        elif isinstance(own, NoRoom):
            assert (cell.verdict, cell.solved) == (own.verdict, None)
        else:
            assert (cell.verdict, cell.refused) == (None, own.message)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_request_of_a_cell_that_fits_is_answered_with_yes(name: str) -> None:
    by, fields = QUESTIONS[name]
    held = [c for _, _, c in places(what_fits(fields, by, CATALOG)) if c.verdict is Verdict.FITS]
    assert held
    for cell in held:
        assert cell.request is not None
        found = answer(cell.request, CATALOG)
        assert {card.verdict for card in found.cards if card.asked} == {Verdict.FITS}


def test_sizes_end_where_nothing_fits_any_more() -> None:
    table = what_fits({"task": "train", "gpus": RTX_4090}, By.SIZES, CATALOG)
    *before, last = table.cells
    assert {cell.verdict for cell in last} == {Verdict.NO}
    assert all({cell.verdict for cell in cells} != {Verdict.NO} for cells in before)
    assert table.larger
    roomy = what_fits({"task": "infer", "gpus": [{"id": "h200", "count": 8}]}, By.SIZES, CATALOG)
    assert not roomy.larger
    assert roomy.rows[-1].name == "405B"


def test_several_cards_share_training_unless_it_is_said_how() -> None:
    sharing = {"task": "train", "gpus": TWO_3090}
    table = what_fits(sharing, By.SIZES, CATALOG)
    (said,) = [one for one in table.assumed if one.field == "strategy"]
    assert said.value == "fsdp"
    named = what_fits(sharing | {"strategy": "ddp"}, By.SIZES, CATALOG)
    assert [one for one in named.assumed if one.field == "strategy"] == []
    split = what_fits(sharing | {"tp": 2, "model": "1B"}, By.METHODS, CATALOG)
    assert [one for one in split.assumed if one.value == "fsdp"] == []
    single = what_fits({"task": "train", "gpus": RTX_4090}, By.SIZES, CATALOG)
    assert [one for one in single.assumed if one.field == "strategy"] == []


def test_what_is_said_leaves_the_rest_to_seek() -> None:
    def finds(by: By, **fields: Any) -> list[str | None]:  # noqa: ANN401
        columns = what_fits({"gpus": RTX_4090} | fields, by, CATALOG).columns
        return [column.find for column in columns]

    assert finds(By.SIZES, task="train") == ["batch"] * 3
    assert finds(By.SIZES, task="train", batch=2) == ["seq"] * 3
    assert finds(By.SIZES, task="train", batch=2, seq=512) == [None] * 3
    assert finds(By.SIZES, task="infer", context=4096) == ["users"] * 3
    assert finds(By.METHODS, task="train", model="1B", seq=512) == ["batch", "rank"]
    assert finds(By.FORMATS, task="infer", model="1B", users=2, context=512) == [None]
    assert finds(By.FORMATS, task="infer", model="1B", find="users") == ["users"]


def test_defaults_are_said_once_with_their_few_values() -> None:
    table = what_fits({"task": "train", "gpus": RTX_4090}, By.SIZES, CATALOG)
    taken = {one.field: one.value for one in table.assumed}
    assert len(taken) == len(table.assumed)
    assert taken["seq"] == "2048"
    assert set(taken["weights"].split(" / ")) == {"bf16", "nf4_dq"}
    assert all(one.why and one.source for one in table.assumed)
    assert "model" not in taken  # another for each size: each cell's own answer says it


def test_what_has_no_estimate_is_no_verdict() -> None:
    by, fields = QUESTIONS["train 8B"]
    table = what_fits(fields, by, CATALOG)
    full = {column.name: cell for row, column, cell in places(table) if row.name == "full"}
    assert full["rank"].verdict is None
    assert "rank" in full["rank"].refused


def test_a_table_without_any_estimate_is_refused() -> None:
    with pytest.raises(UnknownName):
        what_fits({"task": "train", "gpus": [{"id": "frob"}]}, By.SIZES, CATALOG)
    with pytest.raises(EstimatorError):
        what_fits(
            {"task": "train", "model": "8B", "weights": "gguf:Q4_K_M", "gpus": RTX_4090},
            By.METHODS,
            CATALOG,
        )


def test_the_document_holds_every_cell() -> None:
    by, fields = QUESTIONS["train 8B"]
    table = what_fits(fields, by, CATALOG)
    document = table.document()
    assert [row["name"] for row in document["rows"]] == ["full", "lora", "qlora"]
    (qlora,) = [row for row in document["rows"] if row["name"] == "qlora"]
    batch = qlora["cells"][0]
    assert batch["verdict"] == "fits"
    assert batch["value"] == batch["request"]["batch"]
    assert document["gpus"] == RTX_4090
    assert document["error"] is None


def test_more_in_use_than_a_card_has_is_refused() -> None:
    with pytest.raises(EstimatorError, match="nothing is left"):
        what_fits(
            {"task": "train", "gpus": RTX_4090, "in_use_bytes": 24 * 2**30}, By.SIZES, CATALOG
        )
