"""GGUF recipes against the sizes of published files, `tests/accuracy/gguf_files.jsonl`.

Each row names the repository. Its card has the size, or a public listing that links to the
file: `bytes` to the last one, or `gb` as printed. Cards were read in copies.

Left out are three files of 2023 whose recipes had other rules (Falcon 180B in Q2_K, Q3_K_M and
Q4_K_M), and Qwen's own of tied models, which hold the head apart.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from estimator import load_catalog
from estimator.memory.gguf_file import gguf_metadata
from estimator.memory.weights import weights
from estimator.resolve import numbers_of
from estimator.units import GB

CATALOG = load_catalog()
PUBLISHED = Path(__file__).parents[1] / "accuracy" / "gguf_files.jsonl"
FILES: list[dict[str, Any]] = [
    json.loads(row) for row in PUBLISHED.read_text(encoding="utf-8").splitlines()
]
PRINTED = 0.005  # half a digit of a size in GB
KILOBYTES = 200_000  # names of tensors, chat templates
TALLEST = 0.0005  # a few words more or fewer than the model named
REPOSITORIES = 15


def sizes(row: dict[str, Any]) -> tuple[int, int]:
    """Least and most bytes of the file, as estimated."""
    shape = CATALOG.models.find(row["model"]).architecture
    recipe = CATALOG.formats.find(row["format"])
    numbers = numbers_of(recipe, None, CATALOG.dtypes.find(recipe.compute), CATALOG)
    lines = (*weights(shape, numbers), gguf_metadata(shape.vocabulary))
    low = sum(line.bytes if line.low_bytes is None else line.low_bytes for line in lines)
    high = sum(line.bytes if line.high_bytes is None else line.high_bytes for line in lines)
    return low, high


@pytest.mark.parametrize("row", FILES, ids=lambda row: f"{row['model']}-{row['format']}")
def test_a_published_file_is_within_the_range(row: dict[str, Any]) -> None:
    """The range is that of the tokenizer, and of making it with an importance matrix."""
    low, high = sizes(row)
    if "bytes" in row:
        assert low - TALLEST * low <= row["bytes"] <= high + KILOBYTES
        assert high - low < 0.02 * high
    else:
        assert low / GB - PRINTED - TALLEST * row["gb"] <= row["gb"]
        assert row["gb"] <= (high + KILOBYTES) / GB + PRINTED


def test_the_rows_are_of_many_makers_and_models() -> None:
    """So that no rule is held by one model alone."""
    assert len({row["source"] for row in FILES}) >= REPOSITORIES
    assert all(row["source"].startswith("https://huggingface.co/") for row in FILES)
