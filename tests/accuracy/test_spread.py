"""Models on several cards, card by card: what others' logs print of each, and what is estimated.

`spread.jsonl`: of each card in its order, the cache (`kv_mib`), the planned buffer
(`compute_mib`) and the model (`model_mib`) of llama.cpp, and what vLLM has left for a cache
(`pool_gib`); null where the log does not say.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from estimator import GIB, Answer, answer, load_catalog, parse_request
from estimator.units import MIB

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("spread.jsonl").read_text(encoding="utf-8").splitlines()
]
Row = dict[str, Any]


def answered(row: Row) -> Answer:
    return answer(parse_request({"task": "infer", **row["ask"]}), load_catalog())


def printed(name: str) -> list[tuple[Row, int, float]]:
    """(row, number of the card, figure) of every figure of that name."""
    return [
        (row, card, figure)
        for row in ROWS
        for card, figure in enumerate(row.get(name, ()))
        if figure is not None
    ]


def mib(row: Row, card: int, key: str) -> float:
    lines = answered(row).estimate.shares[card].estimate.moments[-1].lines
    return sum(line.bytes for line in lines if line.key.startswith(key)) / MIB


def title(value: object) -> str:
    return str(value["id"] if isinstance(value, dict) else value)


@pytest.mark.parametrize(("row", "card", "figure"), printed("kv_mib"), ids=title)
def test_the_cache_of_each_card_is_exact(row: Row, card: int, figure: float) -> None:
    assert mib(row, card, "kv_cache") == figure


@pytest.mark.parametrize(("row", "card", "figure"), printed("compute_mib"), ids=title)
def test_so_is_the_buffer_of_each(row: Row, card: int, figure: float) -> None:
    assert mib(row, card, "compute_buffer") == pytest.approx(figure, rel=0.01)


@pytest.mark.parametrize(("row", "card", "figure"), printed("model_mib"), ids=title)
def test_a_model_of_a_mixed_recipe_is_near(row: Row, card: int, figure: float) -> None:
    assert mib(row, card, "weights") == pytest.approx(figure, rel=0.03)


@pytest.mark.parametrize(("row", "card", "figure"), printed("pool_gib"), ids=title)
def test_a_stage_leaves_as_much_for_its_cache(row: Row, card: int, figure: float) -> None:
    found = answered(row).reservations[card]
    assert found.pool_bytes / GIB == pytest.approx(figure, rel=0.02)


def test_every_row_names_its_source() -> None:
    assert all(row["source"].startswith("https://github.com/") for row in ROWS)
