"""How long a text takes to be read, by its kind and its length.

`python -m pytest -q -p pytest_benchmark.plugin tests/speed/bench_reading.py`
"""

import gc
import random
from collections.abc import Callable
from contextlib import suppress
from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bot.locale import load_locale
from bot.reading.facts import NotUnderstoodError
from bot.reading.read import Reader
from estimator import load_catalog

SHORT = (
    "train 7B adam lora",
    "infer 8B q4_k_m ctx 8k",
    "can I run llama 3.1 70b on 2x 3090?",
    "qlora mistral 7b bs 4 seq 4096 on a 4090",
)
USUAL, LONGEST = 500, 6000  # characters
ROUNDS = 5
SEED = 4
LETTERS = "abcdefghijklmnopqrstuvwxyz"

PROSE = (
    "hi all, i want to take llama 3.1 8b and train it with lora on my own data, about 20k "
    "samples of customer chats, each roughly 1500 tokens long. my machine has two rtx 3090 and "
    "128 gb of ram. can i use a batch size of 4 with gradient checkpointing and 8 bit adam? "
)
CONFIGURATION = (
    "base_model: meta-llama/Llama-3.1-8B\nload_in_4bit: true\nadapter: qlora\nlora_r: 32\n"
    "lora_alpha: 16\nlora_target_linear: true\nsequence_len: 4096\nsample_packing: true\n"
    "micro_batch_size: 2\ngradient_accumulation_steps: 4\noptimizer: adamw_bnb_8bit\n"
    "lr_scheduler: cosine\nlearning_rate: 0.0002\nbf16: auto\ngradient_checkpointing: true\n"
)
COMMAND = (
    "vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ --tensor-parallel-size 4 --max-model-len 32768 "
    "--gpu-memory-utilization 0.92 --kv-cache-dtype fp8 --max-num-seqs 64 --port 8000 "
    "--host 0.0.0.0 --served-model-name qwen --dtype float16 --swap-space 16 --seed 0 "
)
LOG = (
    "INFO 03-21 14:22:11 [gpu_worker.py:227] Available KV cache memory: 4.21 GiB\n"
    "INFO 03-21 14:22:11 [kv_cache_utils.py:634] GPU KV cache size: 34,512 tokens\n"
    "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens\n"
)


def _over_and_over(part: str) -> Callable[[int], str]:
    return lambda length: (part * (length // len(part) + 1))[:length]


def _words(length: int) -> str:
    """Words that mean nothing, each another."""
    chance = random.Random(SEED)  # noqa: S311 - a choice, no secret
    made = ("".join(chance.choices(LETTERS, k=chance.randint(4, 9))) for _ in range(length))
    return " ".join(made)[:length]


def _numbers(length: int) -> str:
    chance = random.Random(SEED)  # noqa: S311 - a choice, no secret
    return " ".join(str(chance.randint(1, 99_999)) for _ in range(length))[:length]


KINDS: dict[str, Callable[[int], str]] = {
    "prose": _over_and_over(PROSE),
    "configuration": _over_and_over(CONFIGURATION),
    "command": _over_and_over(COMMAND),
    "log": _over_and_over(LOG),
    "8xA100": _over_and_over("8xA100 "),
    "unknown words": _words,
    "numbers": _numbers,
    "Chinese": _over_and_over("我想用两张显卡训练一个七十亿参数的模型，请问需要多少显存？"),
    "one word": _over_and_over("a"),
    "comparison": _over_and_over("lora vs qlora vs "),
    "one and two": _over_and_over("1 2 "),
}


def _reader() -> Reader:
    return Reader(load_locale("en"), load_catalog())


def _read(reader: Reader, text: str) -> None:
    with suppress(NotUnderstoodError):
        reader.read(text)


@pytest.mark.parametrize("text", SHORT)
def test_read_a_question(benchmark: BenchmarkFixture, text: str) -> None:
    reader = _reader()
    assert benchmark(reader.read, text).line


def test_read_long_texts(capsys: pytest.CaptureFixture[str]) -> None:
    """Milliseconds of 500 characters, and how much longer twelve times as many take."""
    reader = _reader()
    for text in SHORT:
        _read(reader, text)
    rows = []
    for name, make in KINDS.items():
        usual, longest = (_shortest(reader, make(length)) for length in (USUAL, LONGEST))
        rows.append(f"{name:15}{usual:7.1f} ms{longest:9.1f} ms{longest / usual:8.1f} ×")
    with capsys.disabled():
        print(f"\n{'':15}{USUAL:>10}{LONGEST:>12}{LONGEST / USUAL:>10.0f} characters")
        print("\n".join(rows))


def _shortest(reader: Reader, text: str) -> float:
    """The milliseconds of a processor that reading takes, at best of a few times."""
    times = []
    gc.disable()
    for _ in range(ROUNDS):
        began = process_time()
        _read(reader, text)
        times.append(1e3 * (process_time() - began))
    gc.enable()
    return min(times)
