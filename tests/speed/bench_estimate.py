"""How long Setup → Estimate takes, beside a loop that tells how fast the machine is.

`python -m pytest -p pytest_benchmark.plugin tests/speed/bench_estimate.py`
"""

import random
from collections.abc import Iterator
from itertools import cycle

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from estimator import EstimatorError, load_catalog, parse_request
from estimator.estimate import estimate
from estimator.judging import resolve
from estimator.setup import Setup

REQUESTS = 500  # distinct, in random order; each is estimated anew every time
ROUNDS = 4 * REQUESTS
SEED = 7
LOOP = 10_000  # additions of squares: about half a millisecond on a common server core

METHODS = ("full", "lora", "lora", "qlora", "dora", "galore")
CHOICES = {
    "batch": (1, 2, 4, 8),
    "seq": (512, 1024, 2048, 4096),
    "checkpointing": ("none", "full", "selective"),
    "optimizer": ("adamw_fused", "adamw_8bit", "adafactor", "sgd"),
    "loss": ("stock", "chunked", "liger"),
}


SERVED = {  # engine → formats that it runs
    "transformers": ("bf16", "nf4_dq", "int8", "gptq4", "awq4"),
    "vllm": ("bf16", "fp8", "awq4"),
    "sglang": ("bf16", "fp8"),
    "tensorrt_llm": ("bf16", "fp8"),
    "llama.cpp": ("gguf:Q4_K_M", "gguf:Q8_0", "gguf:IQ3_XXS"),
    "ollama": ("gguf:Q4_K_M",),
    "exllamav2": ("exl2",),
    "mlx": ("mlx4",),
    "litgpt": ("bf16", "nf4"),
    "autoawq": ("awq4",),
    "torchao": ("bf16", "int8"),
}
LARGEST: dict[str, dict[str, object]] = {  # llama.cpp's plans, tensor by tensor, take longest
    "70B": {"model": "meta-llama/Llama-3.1-70B"},
    "70B, half on the host": {"model": "meta-llama/Llama-3.1-70B", "gpu_layers": 40},
    "gpt-oss-20b": {"model": "openai/gpt-oss-20b"},
    "DeepSeek-V3": {"model": "deepseek-ai/DeepSeek-V3"},
    "DeepSeek-V3, experts on the host": {
        "model": "deepseek-ai/DeepSeek-V3",
        "cpu_moe_layers": 20,
    },
}
ROOMS = {"context": (2048, 8192, 32768), "users": (1, 4, 16)}


def _setups() -> list[Setup]:
    catalog, chance = load_catalog(), random.Random(SEED)  # noqa: S311 - a choice, no secret
    models = [row.id for row in catalog.models.rows]
    found: dict[str, Setup] = {}
    while len(found) < REQUESTS:
        wish = {name: chance.choice(values) for name, values in CHOICES.items()}
        wish |= {"model": chance.choice(models), "method": chance.choice(METHODS)}
        if wish["method"] == "galore":
            del wish["optimizer"]
        try:
            found[str(wish)] = resolve(parse_request({"task": "train"} | wish), catalog)
        except EstimatorError:
            continue
    return list(found.values())


def _served() -> list[Setup]:
    catalog, chance = load_catalog(), random.Random(SEED)  # noqa: S311 - a choice, no secret
    models = [row.id for row in catalog.models.rows]
    found: dict[str, Setup] = {}
    while len(found) < REQUESTS:
        wish: dict[str, object] = {name: chance.choice(values) for name, values in ROOMS.items()}
        engine = chance.choice(tuple(SERVED))
        weights = chance.choice(SERVED[engine])
        wish |= {"model": chance.choice(models), "engine": engine, "weights": weights}
        wish |= {"bpw": 4.0} if weights == "exl2" else {}
        try:
            found[str(wish)] = resolve(parse_request({"task": "infer"} | wish), catalog)
        except EstimatorError:
            continue
    return list(found.values())


@pytest.fixture(scope="module")
def served() -> Iterator[Setup]:
    return cycle(_served())


@pytest.fixture(scope="module")
def setups() -> Iterator[Setup]:
    return cycle(_setups())


def test_setup_to_estimate(benchmark: BenchmarkFixture, setups: Iterator[Setup]) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        estimate, setup=lambda: ((next(setups),), {}), rounds=ROUNDS, warmup_rounds=REQUESTS
    )


def test_setup_to_serving_estimate(benchmark: BenchmarkFixture, served: Iterator[Setup]) -> None:
    benchmark.pedantic(  # type: ignore[no-untyped-call]
        estimate, setup=lambda: ((next(served),), {}), rounds=ROUNDS, warmup_rounds=REQUESTS
    )


@pytest.mark.parametrize("name", LARGEST)
def test_setup_to_planned_buffers(benchmark: BenchmarkFixture, name: str) -> None:
    request = {"task": "infer", "engine": "llama.cpp", "weights": "gguf:Q4_K_M"}
    setup = resolve(parse_request(request | LARGEST[name]), load_catalog())
    assert benchmark(estimate, setup).peak.bytes > 0


def test_calibration_loop(benchmark: BenchmarkFixture) -> None:
    assert benchmark(_squares) > 0


def _squares() -> int:
    total = 0
    for number in range(LOOP):
        total += number * number
    return total
