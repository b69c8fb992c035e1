"""Each cause from the figures that show it; and who holds what of the card."""

import pytest

from bot.diagnosis.card import account_of, on_card
from bot.diagnosis.diagnose import diagnose
from bot.diagnosis.diagnosis import Cause, Holder, Program
from bot.diagnosis.matching import card_words, cards_with
from bot.diagnosis.programs import program_of
from bot.reading.oom.message import OomKind, OomMessage, Process
from bot.reading.oom.places import Place
from estimator import GIB, MIB, load_catalog

CATALOG = load_catalog()


def cuda(*processes: Process, kind: OomKind = OomKind.CUDA, **figures: float) -> OomMessage:
    """A message with its figures in GiB."""
    sizes = {name: int(size * GIB) for name, size in figures.items()}
    return OomMessage(kind, sizes, processes=processes)


FULL = cuda(
    tried=0.5, total=24, free=0.2, this_process=23.7, allocated_by_pytorch=23.0,
    reserved_unallocated=0.2,
)  # fmt: skip
# What holds, the verdict first, by the figures of PyTorch's own messages.
OF_PYTORCH = {
    "full": (FULL, [Cause.FULL]),
    "cut short": (cuda(tried=1, total=24, free=0.1), [Cause.FULL, Cause.SHORTENED]),
    "idle memory would have held it": (
        cuda(tried=1, total=24, free=0.5, this_process=23.4, allocated_by_pytorch=18,
             reserved_unallocated=5),
        [Cause.FRAGMENTED],
    ),
    "idle memory is little of a full card": (
        cuda(tried=0.1, total=24, free=0.1, this_process=23.8, allocated_by_pytorch=23,
             reserved_unallocated=0.3),
        [Cause.FRAGMENTED, Cause.FULL],
    ),
    "idle and free together would have held it": (
        cuda(tried=3.5, total=24, free=1, this_process=22.9, allocated_by_pytorch=19.5,
             reserved_unallocated=3),
        [Cause.FRAGMENTED],
    ),
    "another program": (
        cuda(Process(7, 9 * GIB), tried=1, total=24, free=0.5, this_process=14.4,
             allocated_by_pytorch=14, reserved_unallocated=0.1),
        [Cause.OTHERS],
    ),
    "a program that nobody names": (
        cuda(tried=1, total=24, free=0.5, this_process=14, allocated_by_pytorch=13.5,
             reserved_unallocated=0.1),
        [Cause.OTHERS],
    ),
    "a cap": (
        cuda(tried=1, total=24, free=20, allowed=3, allocated_by_pytorch=2.5,
             reserved_unallocated=0),
        [Cause.CAP, Cause.UNSAID],
    ),
    "a cap that was not reached": (
        cuda(tried=1, total=24, free=0.1, allowed=23.9, this_process=23.8,
             allocated_by_pytorch=20, reserved_unallocated=0.1),
        [Cause.FULL],
    ),
    "one tensor": (
        cuda(tried=10, total=24, free=8, this_process=15.9, allocated_by_pytorch=15,
             reserved_unallocated=0.2),
        [Cause.ONE_TENSOR],
    ),
    "larger than the card": (
        cuda(tried=60, total=24, free=20, this_process=3.9, allocated_by_pytorch=3,
             reserved_unallocated=0.2),
        [Cause.LARGER],
    ),
    "far more free than tried": (
        cuda(tried=0.1, total=24, free=12, this_process=11.9, allocated_by_pytorch=11,
             reserved_unallocated=0),
        [Cause.PLENTY_FREE],
    ),
    "nothing free is said, and most is unexplained": (
        cuda(kind=OomKind.XPU, tried=2, total=16, allocated_by_pytorch=3, reserved_unallocated=0),
        [Cause.PLENTY_FREE],
    ),
    "more than the card": (
        cuda(tried=0.5, total=8, free=0, allocated_by_pytorch=10, reserved_unallocated=0.1),
        [Cause.SPILLED],
    ),
    "a processor's own graphics": (
        cuda(kind=OomKind.HIP, tried=9, total=7.75, free=7.7, allocated_by_pytorch=0,
             reserved_unallocated=0),
        [Cause.CARVE_OUT],
    ),
    "no sizes": (OomMessage(OomKind.CUDA, incomplete=True), [Cause.NO_SIZES]),
    "only what was tried": (cuda(tried=1), [Cause.FULL]),
}  # fmt: skip
# Messages of other kinds: their figures, counts, and the cause with the kind of its sentence.
OF_OTHERS: dict[OomKind, tuple[dict[str, float], dict[str, float], str]] = {
    OomKind.VLLM_KV_TOO_SMALL: ({"needed": 4, "available": 1}, {"max_seq_len": 32_768}, "window"),
    OomKind.VLLM_NO_KV: ({}, {}, "no_cache"),
    OomKind.VLLM_STARTUP: ({"free": 10, "total": 24, "desired": 21.6}, {"utilization": 0.9},
                           "share"),
    OomKind.VLLM_SAMPLER: ({}, {"dummy_requests": 256}, "warm_up"),
    OomKind.SGLANG_NO_KV: ({}, {}, "no_cache"),
    OomKind.SGLANG_NEGATIVE_KV: ({}, {"kv_tokens": -5}, "no_cache"),
    OomKind.TGI_PREFILL: ({}, {"prefill_tokens": 4096}, "tokens_prefill"),
    OomKind.TGI_TOTAL: ({}, {"total_tokens": 16_000}, "tokens_total"),
    OomKind.TENSORRT_LLM: ({}, {}, "component_bare"),
    OomKind.EXLLAMA: ({}, {}, "split"),
    OomKind.LLAMA_CPP_WEIGHTS: ({"tried": 20}, {}, "weights"),
    OomKind.LLAMA_CPP_KV: ({"tried": 20}, {}, "cache"),
    OomKind.LLAMA_CPP_COMPUTE: ({"tried": 20}, {}, "compute"),
    OomKind.LLAMA_CPP_PINNED: ({"tried": 20}, {}, "pinned"),
    OomKind.LLAMA_CPP_FIT: ({"deficit": 2}, {}, "deficit"),
    OomKind.OLLAMA_SYSTEM: ({"needed": 40, "available": 30}, {}, "system"),
    OomKind.GUARDRAIL: ({"needed": 40}, {}, "guardrail"),
    OomKind.PLACEMENT: ({}, {}, "placement"),
    OomKind.BLOCK_SIZE: ({"tried": 5, "total": 16}, {}, "block"),
    OomKind.CUBLAS_ALLOC: ({}, {}, "library"),
    OomKind.CUBLAS_INIT: ({}, {}, "library_started"),
    OomKind.HOST_RAM: ({}, {"exit_code": -9}, "host_killed"),
    OomKind.MPS: ({"allocated_by_pytorch": 10, "other": 8, "limit": 18}, {}, "unified"),
    OomKind.METAL: ({"peak": 40}, {}, "unified_peak"),
    OomKind.XLA: ({"temp": 6, "total_allocation": 17}, {}, "xla_temp"),
    OomKind.TENSORFLOW: ({"tried": 1}, {}, "single"),
    OomKind.BITSANDBYTES: ({}, {}, "no_sizes"),
    OomKind.INFO: ({"weights": 15, "kv_cache": 4}, {}, "info_server"),
}  # fmt: skip


@pytest.mark.parametrize("case", OF_PYTORCH)
def test_figures_show_their_cause(case: str) -> None:
    message, causes = OF_PYTORCH[case]
    assert [one.cause for one in diagnose(message).findings] == causes


@pytest.mark.parametrize("kind", OF_OTHERS)
def test_a_kind_has_its_cause(kind: OomKind) -> None:
    figures, counts, cause = OF_OTHERS[kind]
    sizes = {name: int(size * GIB) for name, size in figures.items()}
    found = diagnose(OomMessage(kind, sizes, counts)).verdict
    assert "_".join(filter(None, (found.cause, found.kind))) == cause


def test_every_kind_is_among_them() -> None:
    assert {*OF_OTHERS, OomKind.CUDA, OomKind.HIP, OomKind.XPU, OomKind.NPU} == {*OomKind}


def test_a_card_of_the_tables_is_no_processors_graphics() -> None:
    message, _ = OF_PYTORCH["a processor's own graphics"]
    card = next(gpu for gpu in CATALOG.gpus.rows if gpu.vendor == "amd")
    assert diagnose(message, cards=[card]).verdict.cause is Cause.LARGER


def test_a_container_does_not_know_its_own_number() -> None:
    """The only process listed holds what PyTorch does: it is this one."""
    message = cuda(
        Process(9, 20 * GIB), tried=1, total=24, free=4, allocated_by_pytorch=19,
        reserved_unallocated=0.5,
    )  # fmt: skip
    card = on_card(message)
    assert (card.own, card.others, card.others_bytes) == (20 * GIB, (), 0)
    others = cuda(
        Process(8, 5 * GIB), Process(9, 12 * GIB), tried=8, total=24, free=7,
        allocated_by_pytorch=11, reserved_unallocated=0.5,
    )  # fmt: skip
    assert [one.pid for one in on_card(others).others] == [8]


def test_the_card_is_its_parts() -> None:
    account = account_of(FULL, on_card(FULL))
    held = {part.holder: part.bytes for part in account.parts}
    assert sum(held.values()) == account.total_bytes == 24 * GIB
    assert set(held) == {Holder.ALLOCATED, Holder.IDLE, Holder.REST, Holder.FREE}
    assert held[Holder.ALLOCATED] == 23 * GIB


def test_other_programs_are_parts_by_their_numbers() -> None:
    message, _ = OF_PYTORCH["another program"]
    parts = account_of(message, on_card(message)).parts
    assert [(p.pid, p.bytes) for p in parts if p.holder is Holder.PROCESSES] == [(7, 9 * GIB)]


def test_figures_that_cannot_be_are_left_aside() -> None:
    message = cuda(tried=1, total=24, free=0.1, this_process=2**34, allocated_by_pytorch=23)
    found = diagnose(message)
    assert "this_process" not in found.message.figures
    assert found.findings[-1].cause is Cause.IGNORED


@pytest.mark.parametrize(("available", "fits"), [(1, 8192), (3, 24_576), (0.01, 80)])
def test_the_window_that_fits_is_in_proportion(available: float, fits: int) -> None:
    sizes = {"needed": 4 * GIB, "available": int(available * GIB)}
    found = diagnose(OomMessage(OomKind.VLLM_KV_TOO_SMALL, sizes, {"max_seq_len": 32_768}))
    assert found.verdict.values["fits"] == fits
    assert found.steps[0].key == "max_model_len"


def test_the_servers_own_window_wins() -> None:
    counts = {"max_seq_len": 32_768, "estimated_max_len": 5005}
    sizes = {"needed": 4 * GIB, "available": GIB}
    found = diagnose(OomMessage(OomKind.VLLM_KV_TOO_SMALL, sizes, counts))
    assert found.verdict.values["fits"] == 4992  # whole pages of 16 tokens


def test_the_start_and_the_run_of_a_server_need_opposite_steps() -> None:
    start = OomMessage(
        OomKind.VLLM_STARTUP,
        {"free": 10 * GIB, "total": 20 * GIB, "desired": 18 * GIB},
        {"utilization": 0.9},
    )
    steps = {step.key: step.values for step in diagnose(start).steps}
    assert steps["vllm_share"]["fitting"] == 0.49
    assert "vllm_raise" not in steps
    assert "vllm_raise" in {s.key for s in diagnose(OomMessage(OomKind.VLLM_NO_KV)).steps}
    run = diagnose(FULL, program=Program.VLLM)
    assert run.steps[0].key == "vllm_lower"


def test_a_traceback_says_what_to_do_first() -> None:
    for place, first in (
        (Place.LOGITS, "fused_loss"),
        (Place.ATTENTION, "fused_attention"),
        (Place.OPTIMIZER, "eight_bit"),
        (Place.LOADING, "smaller_model"),
    ):
        assert diagnose(FULL, place=place).steps[0].key == first


@pytest.mark.parametrize(
    ("kind", "text", "program"),
    [
        (OomKind.CUDA, "torch.OutOfMemoryError", Program.CUDA),
        (OomKind.CUDA, "(VllmWorker TP1 pid=1920) torch.OutOfMemoryError", Program.VLLM),
        (OomKind.CUDA, "Error: llama runner process has terminated", Program.OLLAMA),
        (OomKind.LLAMA_CPP_KV, "source=ollama.go", Program.OLLAMA),
        (OomKind.CUDA, "onnxruntime::BFCArena", Program.OTHER),
        (OomKind.XLA, "vllm", Program.JAX),
    ],
)
def test_the_text_says_whose_message_it_is(kind: OomKind, text: str, program: Program) -> None:
    assert program_of(kind, text) is program


def test_a_total_names_its_cards() -> None:
    assert "rtx-4090" in {gpu.id for gpu in cards_with(cuda(total=23.65), CATALOG)}
    assert cards_with(cuda(total=13), CATALOG) == ()
    assert cards_with(cuda(total=23.65, kind=OomKind.HIP), CATALOG) == ()
    l4 = cards_with(cuda(total=22.05), CATALOG)
    assert card_words(cuda(total=22.05), l4) == l4[0].id
    assert card_words(cuda(total=24), ()) == "24GB"  # as Windows says it
    assert card_words(OomMessage(OomKind.CUDA, {"total": 500 * MIB}), ()) == ""
