"""llama.cpp's own figures: what its log prints of each buffer, and what is estimated.

`llama_cpp.jsonl` holds two kinds of rows. `published`: logs that people put up, with the card
they ran on. `planned`: what llama.cpp itself plans for a model of that shape and these flags,
read off its log (files with a header and no weights, an RPC device in place of a card): three
releases, whose graphs are unlike. The planned ones have no figure of weights and cache.
"""

import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from estimator import Answer, answer, load_catalog, parse_request
from estimator.units import MIB

CATALOG = load_catalog()
ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("llama_cpp.jsonl").read_text(encoding="utf-8").splitlines()
]
SETTINGS = (
    *("model", "weights", "engine_version", "context", "ubatch", "attention", "slots", "kv"),
    *("gpu_layers", "kv_layout"),
)
PLANNED = [row for row in ROWS if row["kind"] == "planned"]
PUBLISHED = [row for row in ROWS if row["kind"] == "published"]
CLOSE = 0.001  # of a planned buffer: tensors are aligned to 64 bytes there, to 128 on CUDA


def answered(row: dict[str, Any]) -> Answer:
    said = {name: row[name] for name in SETTINGS if name in row}
    said = {"weights": "gguf:Q4_K_M", "engine": "llama.cpp"} | said
    return answer(parse_request({"task": "infer"} | said), CATALOG)


def mib(row: dict[str, Any], key: str) -> float:
    lines = answered(row).estimate.moments[-1].lines
    return sum(line.bytes for line in lines if line.key.startswith(key)) / MIB


def title(row: dict[str, Any]) -> str:
    return " ".join(str(row[name]) for name in SETTINGS if name in row)


@pytest.mark.parametrize("row", PLANNED, ids=title)
def test_the_graph_is_laid_out_as_llama_cpp_does(row: dict[str, Any]) -> None:
    assert mib(row, "compute_buffer") == pytest.approx(row["compute_mib"], rel=CLOSE)


@pytest.mark.parametrize("row", [r for r in PUBLISHED if "kv_mib" in r], ids=title)
def test_the_cache_is_exact(row: dict[str, Any]) -> None:
    assert mib(row, "kv_cache") == pytest.approx(row["kv_mib"], abs=0.02)


@pytest.mark.parametrize("row", [r for r in PUBLISHED if "state_mib" in r], ids=title)
def test_so_are_states(row: dict[str, Any]) -> None:
    assert mib(row, "recurrent_state") == pytest.approx(row["state_mib"], abs=0.02)


def test_compute_buffers_that_were_published() -> None:
    rows = [row for row in PUBLISHED if "compute_mib" in row]
    errors = sorted(abs(mib(r, "compute_buffer") / r["compute_mib"] - 1) for r in rows)
    assert median(errors) <= 0.01
    assert errors[-1] <= 0.05


def test_weights_on_the_card_that_were_published() -> None:
    rows = [row for row in PUBLISHED if "model_mib" in row]
    assert all(mib(r, "weights") == pytest.approx(r["model_mib"], rel=0.01) for r in rows)
