"""How long a whole plan takes, and how many answers that is.

`python -m pytest -p pytest_benchmark.plugin tests/speed/bench_plan.py`
"""

from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from estimator import Request, answer, load_catalog, parse_request, plans

TIMES = 7  # the fastest of them counts: all else is other programs
QUESTIONS: dict[str, dict[str, object]] = {
    "70B full": {"task": "train", "model": "70B", "method": "full"},
    "70B QLoRA": {"task": "train", "model": "70B", "method": "qlora"},
    "405B": {"task": "infer", "model": "405B"},
    "DeepSeek-V3 on H100s": {
        "task": "infer",
        "model": "deepseek-ai/DeepSeek-V3",
        "gpus": [{"id": "h100", "count": 8}],
    },
    "70B in GGUF": {"task": "infer", "model": "70B", "weights": "gguf:Q4_K_M"},
}


def _asked(name: str) -> Request:
    return parse_request(QUESTIONS[name])


@pytest.mark.parametrize("name", QUESTIONS)
def test_plan(benchmark: BenchmarkFixture, name: str) -> None:
    request = _asked(name)
    assert benchmark(plans, request, load_catalog()).classes


def test_ratio_to_one_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """In the time of the processor, which other programs do not take away."""
    catalog, said = load_catalog(), []
    for name in QUESTIONS:
        request, fastest = _asked(name), []
        for work in (plans, answer):
            seconds = []
            for _ in range(TIMES):
                began = process_time()
                work(request, catalog)
                seconds.append(process_time() - began)
            fastest.append(min(seconds))
        plan, one = fastest
        said.append(f"{name}: {plan * 1e3:.1f} ms, {plan / one:.0f} answers")
    with capsys.disabled():
        print("\nA plan takes " + "; ".join(said))
