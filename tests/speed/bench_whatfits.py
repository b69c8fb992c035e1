"""How long a table of what fits takes, and what another question sees of it meanwhile.

`python -m pytest -p pytest_benchmark.plugin tests/speed/bench_whatfits.py`
"""

import asyncio
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bot.ask import Desk, open_desk
from bot.asking import answered
from estimator import By, load_catalog, what_fits

TABLES = {
    "train on a 4090": (By.SIZES, {"task": "train", "gpus": [{"id": "rtx-4090"}]}),
    "train on 8 H100": (By.SIZES, {"task": "train", "gpus": [{"id": "h100", "count": 8}]}),
    "run on a 4090": (By.SIZES, {"task": "infer", "gpus": [{"id": "rtx-4090"}]}),
    "run on 8 H100": (By.SIZES, {"task": "infer", "gpus": [{"id": "h100", "count": 8}]}),
    "optimizers": (
        By.OPTIMIZERS,
        {"task": "train", "model": "7B", "method": "full", "gpus": [{"id": "a100-sxm4-80gb"}]},
    ),
    "formats": (By.FORMATS, {"task": "infer", "model": "70B", "gpus": [{"id": "h100"}]}),
}
ASKED = 40  # plain questions, alone and then beside tables


@pytest.mark.parametrize("name", TABLES)
def test_what_fits(benchmark: BenchmarkFixture, name: str) -> None:
    by, fields = TABLES[name]
    catalog = load_catalog()
    assert benchmark(what_fits, fields, by, catalog).rows


def test_what_others_wait(capsys: pytest.CaptureFixture[str]) -> None:
    """Milliseconds of a plain answer while tables are made without an end."""
    alone, beside = asyncio.run(_waits(tables=False)), asyncio.run(_waits(tables=True))
    with capsys.disabled():
        for name, waits in (("alone", alone), ("beside tables", beside)):
            waits.sort()
            middle, most = waits[len(waits) // 2], waits[-1]
            print(f"\nA plain answer {name}: {middle:.1f} ms in the middle, {most:.1f} at most")


async def _waits(*, tables: bool) -> list[float]:
    desk = open_desk()
    making = asyncio.create_task(_make(desk)) if tables else None
    waits = []
    for number in range(ASKED):
        await asyncio.sleep(0.01)
        began = perf_counter()
        await answered(desk, f"train 7B lora bs {number + 1} on a 4090")
        waits.append(1e3 * (perf_counter() - began))
    if making is not None:
        making.cancel()
    return waits


async def _make(desk: Desk) -> None:
    seq = 256
    while True:
        await answered(desk, f"fit train seq {seq} on a 4090")  # another one each time
        seq += 1
