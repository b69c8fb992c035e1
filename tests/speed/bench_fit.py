"""How long it takes to say which cards hold an estimate, and to answer a whole request.

`python -m pytest -q -p pytest_benchmark.plugin tests/speed/bench_fit.py`
"""

from collections.abc import Callable, Iterator
from itertools import cycle

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from estimator import Answer, answer, load_catalog, parse_request
from estimator.fit import fit, judge

QUESTIONS: tuple[dict[str, object], ...] = (
    {"task": "train", "model": "7B", "method": "lora"},
    {"task": "train", "model": "13B", "method": "full", "gpus": [{"id": "rtx-4090", "count": 2}]},
    {"task": "train", "model": "70B", "method": "qlora", "gpus": [{"id": "h100"}]},
    {"task": "train", "model": "70B", "method": "full", "gpus": [{"id": "h100", "count": 8}]},
    {"task": "infer", "model": "8B", "weights": "gguf:Q4_K_M", "gpus": [{"id": "rtx-3090"}]},
    {"task": "infer", "model": "70B", "gpus": [{"id": "a100-sxm4-80gb", "count": 4}]},
    {"task": "infer", "model": "meta-llama/Llama-3.1-8B", "context": 32_768, "users": 4},
)
ROUNDS = 200 * len(QUESTIONS)
CATALOG = load_catalog()
ANSWERS = tuple(answer(parse_request(one), CATALOG) for one in QUESTIONS)


@pytest.fixture
def answers() -> Iterator[Answer]:
    return cycle(ANSWERS)


def test_estimate_to_cards(benchmark: BenchmarkFixture, answers: Iterator[Answer]) -> None:
    """The cards that were named, and every class that is listed."""
    _timed(benchmark, _fitted, answers)


def test_estimate_to_verdict(benchmark: BenchmarkFixture, answers: Iterator[Answer]) -> None:
    """The cards that were named alone, as advice and plans ask thousands of times."""
    _timed(benchmark, lambda one: judge(one.estimate, one.setup.cards, CATALOG), answers)


def test_request_to_answer(benchmark: BenchmarkFixture, answers: Iterator[Answer]) -> None:
    _timed(benchmark, lambda one: answer(one.request, CATALOG), answers)


def _fitted(one: Answer) -> object:
    return fit(one.estimate, one.setup.cards, CATALOG, world=one.setup.world)


def _timed(
    benchmark: BenchmarkFixture, work: Callable[[Answer], object], answers: Iterator[Answer]
) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        work,
        setup=lambda: ((next(answers),), {}),
        rounds=ROUNDS,
        warmup_rounds=len(QUESTIONS),
    )
