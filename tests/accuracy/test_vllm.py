"""vLLM's own figures at start: rows that others published, each with its source.

`figures`, in GiB as its log prints them: `weights` (what loading took), `activation` (PyTorch's
peak in the first step above that), `non_torch`, `pool` (what is left for the cache), and
`tokens` that go into it; `pool_of_tokens` where settings that the pool depends on are not said.
"""

import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from estimator import GIB, ServeSetup, answer, load_catalog, parse_request, reserved_of
from estimator.engines.paged import Held, cells_of, held_of

FILE = Path(__file__).with_name("vllm.jsonl")
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
BY_ID = {row["id"]: row for row in ROWS}
CONTEXT = 501 * 2**20  # of a program; vLLM's share is of the whole card, so it does not matter
ROUNDED = 0.005  # the log has two decimals
OUTSIDE = "engine_runtime"  # PyTorch's books

Row = dict[str, Any]


def setup_of(row: Row) -> ServeSetup:
    ask = {**row["ask"], "gpus": [{"id": row["card"], "count": row["ask"]["tp"]}]}
    asked = parse_request({"task": "infer", "engine": "vllm", **ask})
    setup = answer(asked, load_catalog()).setup
    assert isinstance(setup, ServeSetup)
    return setup


def figure(row: Row, name: str) -> float:
    """The estimate of a figure, in GiB."""
    setup = setup_of(row)
    held: Held = held_of(setup)
    match name:
        case "weights":
            lines = [one for one in held.loaded if one is not None and one.key != OUTSIDE]
        case "non_torch":
            lines = [one for one in held.loaded if one is not None and one.key == OUTSIDE]
        case "activation":
            lines = [one for one in held.stepping if one is not None]
        case _:
            total = round(row["card_gib"] * GIB)
            return reserved_of(setup, total, CONTEXT).pool_bytes / GIB
    return sum(line.bytes for line in lines) / GIB


def rows_with(name: str) -> list[Row]:
    return [row for row in ROWS if name in row["figures"]]


def errors(name: str) -> list[float]:
    """Relative errors, less what rounding may be."""
    found = []
    for row in rows_with(name):
        measured = row["figures"][name]
        found.append(max(0.0, abs(figure(row, name) - measured) - ROUNDED) / measured)
    return found


@pytest.mark.parametrize(
    ("name", "fewest", "middle", "worst"),
    [
        ("weights", 25, 0.001, 0.025),
        ("activation", 30, 0.002, 0.04),
        ("pool", 15, 0.001, 0.015),
    ],
)
def test_published_figures_are_met(name: str, fewest: int, middle: float, worst: float) -> None:
    found = errors(name)
    assert len(found) >= fewest
    assert median(found) <= middle
    assert max(found) <= worst


@pytest.mark.parametrize("row", rows_with("non_torch"), ids=lambda row: row["id"])
def test_what_is_outside_pytorch_lies_in_its_range(row: Row) -> None:
    (line,) = (
        one for one in held_of(setup_of(row)).loaded if one is not None and one.key == OUTSIDE
    )
    low, high = line.low_bytes or 0, line.high_bytes or 0
    assert low <= row["figures"]["non_torch"] * GIB <= high


@pytest.mark.parametrize("row", rows_with("tokens"), ids=lambda row: row["id"])
def test_a_pool_holds_as_many_tokens(row: Row) -> None:
    figures = row["figures"]
    pool = figures.get("pool", figures.get("pool_of_tokens"))
    tokens = cells_of(setup_of(row)).tokens_in(round(pool * GIB))
    assert tokens == pytest.approx(figures["tokens"], rel=0.0015)


@pytest.mark.parametrize("row", rows_with("pool"), ids=lambda row: row["id"])
def test_a_pool_lies_in_its_range(row: Row) -> None:
    found = reserved_of(setup_of(row), round(row["card_gib"] * GIB), CONTEXT)
    measured = row["figures"]["pool"]
    assert found.pool_low_bytes <= (measured + ROUNDED) * GIB
    assert (measured - ROUNDED) * GIB <= found.pool_high_bytes


def test_every_row_names_its_source() -> None:
    assert len(ROWS) >= 25
    assert all(row["source"].startswith("https://github.com/") for row in ROWS)
    assert len(BY_ID) == len(ROWS)
