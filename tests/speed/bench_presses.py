"""How long it takes to say what can be pressed, beside the answer that it stands under.

`python -m pytest -q -p pytest_benchmark.plugin tests/speed/bench_presses.py`
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bot.ask import Answered, Desk, Replied, open_desk
from bot.asking import completed
from bot.presenting.maths import maths_of
from bot.presses.offering import offered
from bot.reading.changing import CHANGES
from bot.reading.options import Options
from bot.shown import shown
from bot.surface.maths import maths_pages

LINES = (
    "train 7B adam lora",
    "train 13B full on 2x4090",
    "train 70B qlora 2x3090",
    "infer 8B q4_k_m ctx 8k",
    "infer deepseek v3 on 8xH100",
    "infer llama 3.1 8b ctx 128k rtx 4080",
)
PRESSED = ("qlora", "lora", "seq 4096", "ctx 16384", "users 4", "Q4_K_M")
ROUNDS = 9


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


@pytest.mark.parametrize("line", LINES)
def test_what_is_offered(benchmark: BenchmarkFixture, desk: Desk, line: str) -> None:
    found = completed(desk, desk.ask(line))
    assert isinstance(benchmark(offered, desk, found), Replied)


async def test_beside_the_whole_answer(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Milliseconds of a whole answer, of the lists in it, and of making a message of it."""
    rows = []
    for line in LINES:
        found = completed(desk, desk.ask(line))
        with_offers = offered(desk, found)
        times = (
            _median(partial(_whole, desk, line)),
            _median(partial(offered, desk, found)),
            _median(partial(shown, desk.locale, with_offers, private=False)),
        )
        rows.append(f"{line:40}" + "".join(f"{one:10.1f} ms" for one in times))
    with capsys.disabled():
        print(f"\n{'':40}{'answer':>13}{'lists':>13}{'message':>13}")
        print("\n".join(rows))
    assert rows


def test_a_press(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """Milliseconds until what a press made is known, of the whole of it, and of the maths."""
    rows = []
    for line, words in zip(LINES, PRESSED, strict=True):
        own = desk.ask(line)
        assert isinstance(own, Replied)
        options = {CHANGES: own.presentation.line}
        times = (
            _median(partial(desk.begin, words, options)),
            _median(partial(_whole, desk, words, options)),
            _median(partial(_maths, desk, own)),
        )
        rows.append(f"{line:40}" + "".join(f"{one:10.1f} ms" for one in times))
    with capsys.disabled():
        print(f"\n{'':40}{'known':>13}{'whole':>13}{'maths':>13}")
        print("\n".join(rows))
    assert rows


def _whole(desk: Desk, words: str, options: Options | None = None) -> Answered:
    return offered(desk, completed(desk, desk.ask(words, options)))


def _maths(desk: Desk, found: Replied) -> object:
    line = found.presentation.line
    return maths_pages(maths_of(found.answer, line, desk.catalog, desk.locale), desk.locale)


def _median(work: Callable[[], Answered | object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = perf_counter()
        work()
        times.append(1e3 * (perf_counter() - began))
    return sorted(times)[ROUNDS // 2]
