"""Peaks in what programs print: tables, rows and lines as they come out of them."""

import pytest

from bot.locale import load_locale
from bot.measuring.amounts import AmountError
from bot.measuring.peaks import read_peaks
from bot.measuring.requests import read_request
from estimator import GB, GIB, MIB, Statistic

ALLOCATED, RESERVED, DEVICE = Statistic
MB = GB // 1000
LOCALE = load_locale()
SUMMARY = """\
|===========================================================================|
|                  PyTorch CUDA memory summary, device ID 0                 |
|---------------------------------------------------------------------------|
|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |
|===========================================================================|
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
|---------------------------------------------------------------------------|
| Allocated memory      |  14012 MiB |  16234 MiB |   1834 GiB |   1820 GiB |
|       from large pool |  13800 MiB |  16002 MiB |   1800 GiB |   1787 GiB |
|       from small pool |    212 MiB |    232 MiB |     34 GiB |     33 GiB |
|---------------------------------------------------------------------------|
| Active memory         |  14012 MiB |  16234 MiB |   1834 GiB |   1820 GiB |
|---------------------------------------------------------------------------|
| Requested memory      |  14000 MiB |  16200 MiB |   1830 GiB |   1816 GiB |
|---------------------------------------------------------------------------|
| GPU reserved memory   |  17100 MiB |  17100 MiB |  17100 MiB |      0 B   |
|       from large pool |  16800 MiB |  16800 MiB |  16800 MiB |      0 B   |
|---------------------------------------------------------------------------|
| Non-releasable memory |    865 MiB |   1203 MiB |    912 GiB |    911 GiB |
|---------------------------------------------------------------------------|
| Allocations           |    3021    |    3187    |  912012    |  908991    |
|===========================================================================|
"""
OLD_SUMMARY = """\
|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |
| Allocated memory      |   14.01 GB |   16.25 GB |    1.83 TB |    1.82 TB |
| GPU reserved memory   |   17.10 GB |   17.50 GB |   17.10 GB |      0 B   |
"""
PROCESSES = """\
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A      2211      G   /usr/lib/xorg/Xorg                            145MiB |
|    0   N/A  N/A     51234      C   ...envs/llm/bin/python                      16302MiB |
"""
QUERY = """\
index, name, memory.used [MiB], memory.total [MiB]
0, NVIDIA A100-SXM4-80GB, 61234 MiB, 81920 MiB
1, NVIDIA A100-SXM4-80GB, 61812 MiB, 81920 MiB"""
AXOLOTL = """\
[axolotl] [RANK:0] cuda memory usage baseline: 0.000GB (+0.941GB misc)
[RANK:0] cuda memory usage after model load: 7.512GB (+0.250GB cache, +1.120GB misc)
[RANK:0] cuda memory usage while training: 15.250GB (+2.750GB cache, +1.250GB misc)"""
AXOLOTL_STEP = (
    "{'loss': 1.2034, 'grad_norm': 0.41, 'memory/max_active (GiB)': 18.75, "
    "'memory/max_allocated (GiB)': 18.75, 'memory/device_reserved (GiB)': 20.5, 'epoch': 0.3}"
)
TORCHTUNE = """\
INFO:torchtune.utils.logging:Memory stats after model init:
\tGPU peak memory allocation: 16.25 GiB
\tGPU peak memory reserved: 16.50 GiB
\tGPU peak memory active: 16.25 GiB"""
UNSLOTH = """\
GPU = NVIDIA A100-SXM4-40GB. Max memory = 39.564 GB.
6.5 GB of memory reserved.
412.5 seconds used for training.
Peak reserved memory = 11.25 GB.
Peak reserved memory for training = 4.7 GB.
Peak reserved memory % of max memory = 28.4 %."""
MEGATRON = (
    "[Rank 0] (after 20 iterations) memory (MB) | allocated: 14011.2 | max allocated: 16234.5"
    " | reserved: 17100.0 | max reserved: 17100.0"
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (SUMMARY, {ALLOCATED: 16234 * MIB, RESERVED: 17100 * MIB}),
        (OLD_SUMMARY, {ALLOCATED: 16.25 * GIB, RESERVED: 17.5 * GIB}),
        (PROCESSES, {DEVICE: 16302 * MIB}),
        ("| 0   N/A  N/A   1234567    C   python3   38112MiB |", {DEVICE: 38112 * MIB}),
        (QUERY, {DEVICE: 61812 * MIB}),
        ("memory.used [MiB]\n61234 MiB", {DEVICE: 61234 * MIB}),
        ("61234 MiB, 81920 MiB", {DEVICE: 61234 * MIB}),
        ("[0] RTX 4090 | 61°C, 98 % | 21873 / 24564 MB | me(21400M)", {DEVICE: 21873 * MIB}),
        ("15.5 / 24 GB", {DEVICE: 15.5 * GIB}),
        ("VRAM: 19.75/24.0 GiB", {DEVICE: 19.75 * GIB}),
        ("about 16GB (nvtop)", {DEVICE: 16 * GB}),
        ("nvidia-smi peak 16302MiB", {DEVICE: 16302 * MIB}),
        (AXOLOTL, {RESERVED: 18 * GIB, DEVICE: 19.25 * GIB}),
        (AXOLOTL_STEP, {ALLOCATED: 18.75 * GIB, RESERVED: 20.5 * GIB}),
        (TORCHTUNE, {ALLOCATED: 16.25 * GIB, RESERVED: 16.5 * GIB}),
        (
            "loss:0.913 lr:0.0003 peak_memory_alloc:17.25 peak_memory_reserved:18.5",
            {ALLOCATED: 17.25 * GIB, RESERVED: 18.5 * GIB},
        ),
        (UNSLOTH, {RESERVED: 11.25 * GIB}),
        ("step: 10  memory: 39.75GiB(50.20%)  tps: 5,731", {RESERVED: 39.75 * GIB}),
        (MEGATRON, {ALLOCATED: 16234.5 * MIB, RESERVED: 17100 * MIB}),
        (
            "MA 14.92 GB    Max_MA 15.25 GB    CA 18.25 GB    Max_CA 18 GB",
            {ALLOCATED: 15.25 * GIB, RESERVED: 18.25 * GIB},
        ),
        ("GPU Memory Allocated (Bytes): 17,063,936,000", {DEVICE: 17_063_936_000}),
        ("system/gpu.0.memoryAllocatedBytes 17063936000", {DEVICE: 17_063_936_000}),
        ("print(torch.cuda.max_memory_allocated()/1e9) -> 16.98", {ALLOCATED: 16.98 * GB}),
        ("torch.cuda.max_memory_reserved() / 1024**3 = 15.75", {RESERVED: 15.75 * GIB}),
        ("Max memory allocated: 15.2GB", {ALLOCATED: 15.2 * GB}),
        ("max allocated 15.3GB | max reserved 17.0GB", {ALLOCATED: 15.3 * GB, RESERVED: 17 * GB}),
        ("15.25 GiB allocated, 16.0 GiB reserved", {ALLOCATED: 15.25 * GIB, RESERVED: 16 * GIB}),
        (
            "gpu_memory_reserved_gb=21.3 gpu_memory_allocated_gb=18.9",
            {ALLOCATED: 18.9 * GB, RESERVED: 21.3 * GB},
        ),
    ],
)
def test_a_form_says_which_figure_it_is(text: str, named: dict[Statistic, float]) -> None:
    found = {name: one.bytes for name, one in read_peaks(text).named.items()}
    assert found == {name: int(size) for name, size in named.items()}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("peak mem 14532 MB", 14532 * MB),
        ("peak_memory_mb: 15872", 15872 * MB),
        ("{'train_runtime': 4021.2, 'peak_mem_GB': 17.5}", 17.5 * GB),
        ("Training time: 1021.12s\nMemory used: 21.30 GB", 21.3 * GB),
        ("it peaked at like 22.5 gigs on my 4090", 22.5 * GIB),
        ("~15,8 Go", 15.8 * GB),
        ("16,5 Gio", 16.5 * GIB),
        ("Пик: 15.9 ГБ", 15.9 * GB),
        ("峰值显存：16302MiB", 16302 * MIB),
        ("peak 15.9GiB on rank 0, 16.5GiB on rank 1", 16.5 * GIB),
        ("GPU 0: 61.25 GiB\nGPU 1: 61.75 GiB", 61.75 * GIB),
    ],
)
def test_an_amount_in_peoples_words(text: str, size: float) -> None:
    amount = read_peaks(text).amount
    assert amount is not None
    assert amount.bytes == int(size)


@pytest.mark.parametrize(
    "text", ["around 21-22 GB", "23GB out of 24GB", "init 4096MB\ntrain_alloc_delta = 512MB"]
)
def test_what_is_not_one_peak_is_not_guessed(text: str) -> None:
    with pytest.raises(AmountError) as refused:
        read_peaks(text)
    assert refused.value.key == "several"


def test_a_unit_of_another_language_has_its_binary_neighbour() -> None:
    amount = read_peaks("15,8 Go").amount
    assert amount is not None
    assert amount.is_decimal
    assert amount.binary == "15,8 GiB"


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("7B lora max memory allocated: 15.2GB", "7B lora"),
        ("7B qlora, Peak reserved memory = 14.605 GB.", "7B qlora"),
        ("7B lora peak mem 14532 MB", "7B lora"),
        ("7B lora peak_memory_alloc:17.21", "7B lora"),
        ("7B lora on a 4090 nvidia-smi 16302MiB / 24564MiB", "7B lora on a 4090"),
        ("7B lora used 16.2 GiB", "7B lora"),
        ("7B lora on a 4090: 15.9GiB", "7B lora on a 4090"),
        ("7B lora 15.9 GiB allocated", "7B lora"),
        ("llama 3 8b qlora bs 2 peaked at 11.2 gigs", "llama 3 8b qlora bs 2"),
        ("7B lora 24GB, 16302 MiB", "7B lora 24GB"),
        ("7B lora, memory: 39.78GiB(50.20%)", "7B lora"),
        ("7B lora bs 4, GPU peak memory usage was about 21.5GB", "7B lora bs 4"),
        ("7B lora torch.cuda.max_memory_allocated() / 1024**3 = 15.81", "7B lora"),
    ],
)
def test_a_peak_is_found_behind_its_question(line: str, question: str) -> None:
    asked = read_request(line, LOCALE)
    assert asked.question == question
    found = read_peaks(asked.peak)
    assert found.named or found.amount


@pytest.mark.parametrize(
    "line", ["8B lora on 24GB", "7B lora, 4090 24GB", "infer 8B q4_k_m ctx 8k"]
)
def test_a_cards_size_is_no_peak(line: str) -> None:
    assert read_request(line, LOCALE).peak == ""


def test_a_form_keeps_its_unit_where_a_line_is_taken_apart() -> None:
    peak = read_request("7B qlora, Peak reserved memory = 14.5 GB.", LOCALE).peak
    assert read_peaks(peak).named[RESERVED].bytes == int(14.5 * GIB)
