"""How long advice takes, and how many estimates of the same question that is.

`python -m pytest -p pytest_benchmark.plugin tests/speed/bench_advise.py`
"""

from collections.abc import Iterator
from itertools import cycle
from time import perf_counter

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from estimator import Answer, advise_on, answer
from tests.estimator.advised import CATALOG, answered, grid

ROUNDS = 3  # of every question
QUESTIONS = tuple(answered(question) for question in grid())


@pytest.fixture(scope="module")
def questions() -> Iterator[Answer]:
    return cycle(QUESTIONS)


def test_answer_to_advice(benchmark: BenchmarkFixture, questions: Iterator[Answer]) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda found: advise_on(found, CATALOG),
        setup=lambda: ((next(questions),), {}),
        rounds=ROUNDS * len(QUESTIONS),
        warmup_rounds=len(QUESTIONS),
    )


def test_advice_in_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints the median of advice over a whole answer to the same question."""
    ratios = sorted(_seconds_of_advice(one) / _seconds_of_answer(one) for one in QUESTIONS)
    with capsys.disabled():
        print(f"\nadvice takes as long as {ratios[len(ratios) // 2]:.0f} answers")
    assert ratios[0] > 0


def _seconds_of_advice(found: Answer) -> float:
    start = perf_counter()
    advise_on(found, CATALOG)
    return perf_counter() - start


def _seconds_of_answer(found: Answer) -> float:
    start = perf_counter()
    answer(found.request, CATALOG)
    return perf_counter() - start
