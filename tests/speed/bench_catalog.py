"""How long the tables take to load, and a name to be looked up.

`python -m pytest -p pytest_benchmark.plugin tests/speed/bench_catalog.py`
"""

import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from estimator import Catalog, load_catalog
from estimator.catalog import read_document
from estimator.table import key_of

STARTS = 10  # processes; each loads the tables once, as a start does
LOAD_ONCE = """
from time import perf_counter
from estimator import load_catalog
began = perf_counter()
load_catalog()
print(perf_counter() - began)
"""


def test_load_anew(benchmark: BenchmarkFixture) -> None:
    """All tables read, checked and indexed again, with nothing kept of the last time."""

    def forget() -> None:
        for kept in (load_catalog, read_document, key_of):
            kept.cache_clear()

    benchmark.pedantic(load_catalog, setup=forget, rounds=20)  # type: ignore[no-untyped-call]


def test_load_in_a_new_process(capsys: pytest.CaptureFixture[str]) -> None:
    """The seconds that a process itself measures: its imports are not in them."""
    command = [sys.executable, "-c", LOAD_ONCE]
    seconds = sorted(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(STARTS)
    )
    shown = f"{seconds[0]:.3f} to {seconds[-1]:.3f} s, {seconds[STARTS // 2]:.3f} in the middle"
    with capsys.disabled():
        print(f"\nTables loaded in {STARTS} new processes: {shown}")


@pytest.mark.parametrize(
    "name",
    ["Qwen/Qwen2.5-7B", "qwen2.5:32b-instruct", "llama 3.1 70B", "no such model"],
    ids=["id", "tag", "nickname", "unknown"],
)
def test_look_up(benchmark: BenchmarkFixture, name: str) -> None:
    table = load_catalog().models

    def forget() -> tuple[tuple[str], dict[str, object]]:
        key_of.cache_clear()
        return (name,), {}

    benchmark.pedantic(  # type: ignore[no-untyped-call]
        table.get, setup=forget, rounds=2000, warmup_rounds=10
    )


def test_closest_five(benchmark: BenchmarkFixture) -> None:
    catalog: Catalog = load_catalog()
    assert benchmark(catalog.models.closest, "lama 3.1 8b instrct")
