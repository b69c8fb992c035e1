"""Explanations keep to what the text said: its figures, its device, its exit status, its share."""

import pytest

from bot.ask import Desk, open_desk
from bot.diagnosis.diagnosis import Cause, Program
from bot.diagnosis.makers import makers_of
from bot.reading.oom import read_oom
from bot.reading.oom.places import Place, place_of
from bot.replies import OomExplained

TPU = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used {used} of {total} hbm."
START = (
    "{around}ValueError: Free memory on device (6.71/23.64 GiB) on startup is less than desired "
    "GPU memory utilization (0.9, 21.28 GiB)."
)
POOL = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."
STEP = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB"
PLAN = "llama_params_fit_impl: projected to use {needed} MiB of device memory vs. "
MARGIN = (
    "\nllama_params_fit_impl: cannot meet free memory target of 1024 MiB, need to reduce device \
memory by 8762 MiB"
)
NO_BLOCKS = "ERROR No available memory for the cache blocks."
SHARES = {  # what is typed beside a failure, and the share that is advised; none: no more of it
    f"sglang {POOL}": "0.92",
    f"--mem-fraction-static 0.7 {POOL}": "0.75",
    f"--mem-fraction-static=0.88\n{POOL}": "0.93",
    f"mem_fraction_static=0.7, {POOL}": "0.75",
    f"mem_fraction_static: 0.93 {POOL}": "0.95",
    f"--mem-fraction-static 0.95 {POOL}": "",
    f"sglang {STEP}": "0.8",
    f"sglang --mem-fraction-static 0.75 {STEP}": "0.7",
    f"sglang with mem-fraction-static of 0.6: {STEP}": "0.55",
    f"vllm {NO_BLOCKS}": "0.95",
    f"vllm serve x --gpu-memory-utilization 0.7 {NO_BLOCKS}": "0.9",
    f"vllm serve x --gpu-memory-utilization=0.95 {NO_BLOCKS}": "",
    f"vllm gpu_memory_utilization=0.8 {STEP}": "0.75",
}


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def explained(desk: Desk, text: str) -> OomExplained:
    found = desk.explain_oom(text)
    assert isinstance(found, OomExplained)
    return found


def said(found: OomExplained) -> str:
    shown = found.shown
    return "\n".join((shown.title, shown.headline, *shown.details, *shown.steps))


@pytest.mark.parametrize(
    ("used", "total"), [("17.93G", "15.48G"), ("33.00G", "31.75G"), ("40.10G", "31.84G")]
)
def test_a_tpu_is_no_graphics_card(desk: Desk, used: str, total: str) -> None:
    found = explained(desk, TPU.format(used=used, total=total))
    assert found.diagnosis.program is Program.TPU
    assert found.diagnosis.cards == ()
    assert "TPU" in found.shown.title
    assert "XLA_PYTHON_CLIENT" not in said(found)
    for figure in (used, total):
        assert figure.replace("G", " GiB") in found.shown.headline


def test_a_cores_own_memory_is_not_the_chips(desk: Desk) -> None:
    text = "RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 20.00M of 16.00M vmem."
    found = explained(desk, text)
    assert (found.diagnosis.program, found.diagnosis.verdict.kind) == (Program.TPU, "core")
    assert "16.00 MiB" in found.shown.headline
    assert [step.key for step in found.diagnosis.steps] == ["tpu_blocks"]


def test_what_xla_lacks_is_said_in_each_of_its_forms(desk: Desk) -> None:
    over = "RESOURCE_EXHAUSTED: TPU compile. Exceeded hbm capacity by 2.45G."
    assert "2.45 GiB" in explained(desk, over).shown.headline
    refused = (
        "RESOURCE_EXHAUSTED: Attempting to reserve 5.94G at the bottom of memory. That was not "
        "possible. There are 4.15G free, 0B reserved."
    )
    headline = explained(desk, refused).shown.headline
    assert "5.94 GiB" in headline
    assert "4.15 GiB" in headline


def test_xla_on_a_gpu_keeps_its_variable(desk: Desk) -> None:
    found = explained(
        desk, "RESOURCE_EXHAUSTED: Out of memory allocating 1073741824 bytes on GPU:0"
    )
    assert found.diagnosis.program is Program.JAX
    assert "XLA_PYTHON_CLIENT" in said(found)


@pytest.mark.parametrize(
    ("around", "makers"),
    [
        ("", ("nvidia",)),
        ("CUDA 12.4 ", ("nvidia",)),
        ("on ROCm 6.2: ", ("amd",)),
        ("device XPU ", ("intel",)),
        ("Ascend NPU ", ("huawei",)),
        ("HPU ", ()),
    ],
)
def test_a_total_is_looked_for_among_one_makers_cards(
    desk: Desk, around: str, makers: tuple[str, ...]
) -> None:
    text = START.format(around=around)
    message = read_oom(text)
    assert message is not None
    assert makers_of(message, text) == makers
    named = set(explained(desk, text).diagnosis.cards)
    of = {gpu.vendor for gpu in desk.catalog.gpus.rows if gpu.name in named}
    assert of <= set(makers)
    assert bool(named) == (makers == ("nvidia",))  # whose cards alone have this total


@pytest.mark.parametrize("backend", ["Vulkan0", "OpenCL0"])
def test_a_backend_of_every_maker_tells_no_card(backend: str) -> None:
    text = f"alloc_tensor_range: failed to allocate {backend} buffer of size 19407411200"
    message = read_oom(text)
    assert message is not None
    assert makers_of(message, text) == ()


def test_a_log_has_no_traceback(desk: Desk) -> None:
    log = (
        "INFO [gpu_worker.py:276] Available KV cache memory: 12.50 GiB\n"
        "INFO [cache_utils.py:864] GPU KV cache size: 102,400 tokens"
    )
    assert "traceback" not in said(explained(desk, log)).casefold()
    assert place_of(log) is None
    assert place_of(f"{log}\nERROR CUDA error: out of memory") is None
    assert place_of('File "/x/cache_utils.py", line 864, in update') is Place.CACHE
    assert place_of("  loss.backward()\ntorch.OutOfMemoryError: CUDA") is Place.BACKWARD


@pytest.mark.parametrize("code", ["137", "-9"])
def test_an_exit_status_is_the_texts_own(desk: Desk, code: str) -> None:
    words = said(explained(desk, f"the process exited with exit code {code}"))
    assert f"status {code} " in words
    assert ("137" in words) == (code == "137")


@pytest.mark.parametrize("text", SHARES)
def test_a_share_is_changed_from_what_it_was(desk: Desk, text: str) -> None:
    found = explained(desk, text).shown.steps
    flags = ("--mem-fraction-static", "--gpu-memory-utilization")
    shares = [step for step in found if any(flag in step for flag in flags)]
    assert len(shares) == bool(SHARES[text])
    assert all(f" {SHARES[text]}`" in step for step in shares)


def test_a_pool_that_fills_while_it_serves_is_no_shortage_at_the_start(desk: Desk) -> None:
    found = explained(desk, "RuntimeError: Decode out of memory. Try to lower your batch size.")
    assert found.diagnosis.verdict.cause is Cause.POOL
    assert "at the start, so raise" not in said(found)


@pytest.mark.parametrize("after", ["", MARGIN])
def test_a_plan_says_what_it_takes_and_what_is_free(desk: Desk, after: str) -> None:
    text = PLAN.format(needed=31_288) + "23550 MiB of free device memory" + after
    found = explained(desk, text)
    assert found.diagnosis.verdict.cause is Cause.DEFICIT
    for figure in ("30.55 GiB", "23.00 GiB", "8.56 GiB" if after else "7.56 GiB"):
        assert figure in found.shown.headline


def test_a_plan_that_fits_is_no_shortage(desk: Desk) -> None:
    text = PLAN.format(needed=1_288) + "23550 MiB of free device memory"
    assert explained(desk, text).diagnosis.verdict.cause is Cause.INFO
