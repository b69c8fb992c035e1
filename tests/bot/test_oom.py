"""Out-of-memory messages: which is read where several stand, and what is left out."""

import pytest

from bot.reading.oom import read_oom
from bot.reading.oom.message import OomKind, OomMessage, Process
from estimator import GIB, KIB, MIB

TORCH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total "
    "capacity of 23.50 GiB of which 512.00 MiB is free. Process 77 has 2.25 GiB memory in use. "
    "Of the allocated memory 20.25 GiB is allocated by PyTorch, and 256.00 MiB is reserved by "
    "PyTorch but unallocated."
)
SAMPLER = (
    "RuntimeError: CUDA out of memory occurred when warming up sampler with 64 dummy requests."
)
NOT_ONE = [
    "",
    "7B lora on a 3090",
    "train 137 samples of a 7B in 24 GB",
    "how much memory is free with 16 GiB?",
    "peak memory: 24 GB for llama 8b?",
    "the run took 3.5 GiB and 137 s",
    "someone killed my idea of 70B on one card",
    "OutOfResources: out of resource: shared memory, Required: 139264, Hardware limit: 101376.",
]


def read(text: str) -> OomMessage:
    message = read_oom(text)
    assert message is not None
    return message


@pytest.mark.parametrize("text", NOT_ONE)
def test_a_question_is_no_message(text: str) -> None:
    assert read_oom(text) is None


def test_a_message_is_its_figures() -> None:
    message = read(TORCH)
    assert message.kind is OomKind.CUDA
    assert message.figures == {
        "tried": GIB * 3 // 2,
        "total": GIB * 47 // 2,
        "free": 512 * MIB,
        "allocated_by_pytorch": GIB * 81 // 4,
        "reserved_unallocated": 256 * MIB,
    }
    assert message.processes == (Process(77, GIB * 9 // 4),)
    assert message.counts == {"device": 0}
    assert not message.incomplete


@pytest.mark.parametrize(
    "pasted",
    [
        f"```ansi\n\x1b[31m{TORCH}\x1b[0m\n```",
        "\n".join(f"> {line}" for line in TORCH.replace(". ", ".\n").split("\n")),
        "│ " + TORCH.replace(" ", " \n│ ", 60) + " │",
        f"epoch 1/3, loss 0.5\nTraceback (most recent call last):\n  loss.backward()\n{TORCH}\nbye",
        TORCH.replace(" ", "  "),
        TORCH.replace("\n", "\r\n"),
        "x" * 20_000 + "\n" + TORCH,
        TORCH + "\n" + "x" * 20_000,
    ],
)
def test_what_stands_around_a_message_changes_nothing(pasted: str) -> None:
    assert read(pasted) == read(TORCH)


def test_of_several_ranks_the_first_that_says_it_counts() -> None:
    other = TORCH.replace("GPU 0", "GPU 5").replace("1.50 GiB", "9.00 GiB")
    message = read(f"[rank2]: {TORCH}\n[rank5]: {other}")
    assert message.counts == {"rank": 2, "device": 0}
    assert message.figures["tried"] == GIB * 3 // 2


def test_figures_of_the_next_rank_are_not_lent_to_the_first() -> None:
    short = "[rank1]: CUDA out of memory. Tried to allocate 2.00 GiB."
    assert read(f"{short}\n[rank0]: {TORCH}").figures == {"tried": 2 * GIB}


def test_a_figure_that_cannot_be_is_named_and_left_out() -> None:
    message = read(
        TORCH.replace("Process 77 has 2.25 GiB", "Process 77 has 17179869184.00 GiB").replace(
            "Of the",
            "Including non-PyTorch memory, this process has 17179869184.00 GiB memory "
            "in use. Of the",
        )
    )
    assert message.ignored == ("this_process", "processes")
    assert message.processes == ()
    assert "this_process" not in message.figures


def test_who_knows_the_cause_comes_before_who_only_ran_out() -> None:
    message = read(f"{TORCH}\n\nThe above exception was the direct cause of\n\n{SAMPLER}")
    assert message.kind is OomKind.VLLM_SAMPLER
    assert message.counts["dummy_requests"] == 64
    assert message.figures["tried"] == GIB * 3 // 2
    assert not message.incomplete
    assert read(SAMPLER).incomplete


def test_what_was_killed_after_it_ran_out_is_not_the_cause() -> None:
    log = f"{TORCH}\n[launch.py:321:sigkill_handler] exits with return code = -9"
    assert read(log).kind is OomKind.CUDA


def test_lines_of_a_good_start_lend_an_error_their_figures() -> None:
    message = read(
        "load_tensors:        CUDA0 model buffer size =  4096.00 MiB\n"
        "llama_kv_cache:      CUDA0 KV buffer size =  2048.00 MiB\n"
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 0: "
        "cudaMalloc failed: out of memory"
    )
    assert message.kind is OomKind.LLAMA_CPP_COMPUTE
    assert message.figures == {"tried": GIB, "weights": 4 * GIB, "kv_cache": 2 * GIB}


def test_gigabytes_are_what_the_program_means() -> None:
    mps = read("MPS backend out of memory (MPS allocated: 8.00 GB). Tried to allocate 1.00 GB.")
    assert mps.figures == {"allocated_by_pytorch": 8 * GIB, "tried": GIB}
    guard = read(
        "insufficient system resources, this model requires approximately 8.00 GB of memory"
    )
    assert guard.figures == {"needed": 8_000_000_000}


def test_a_tensor_is_its_shape_times_its_type() -> None:
    message = read("OOM when allocating tensor with shape[4,1024,1024] and type half on GPU")
    assert message.figures == {"tried": 8 * KIB * KIB}
    assert message.shape == (4, 1024, 1024)
    assert read("OOM when allocating tensor with shape[4,8] and type resource on GPU").incomplete


def test_cards_of_a_plan_are_counted() -> None:
    message = read(
        "llama_params_fit_impl:   - CUDA0 (RTX 4090):  24080 total,  34873 used,  11187 deficit\n"
        "llama_params_fit_impl:   - CUDA1 (RTX 4090):  24080 total,  31847 used,   8161 deficit\n"
    )
    assert message.kind is OomKind.LLAMA_CPP_FIT
    assert message.counts["devices"] == 2
    assert message.figures == {"deficit": 11187 * MIB, "total": 24080 * MIB}


def test_a_sentence_that_names_it_is_not_taken_for_the_message_below() -> None:
    message = read(f"I get CUDA out of memory with a 7B, this is the log:\n[rank3]: {TORCH}")
    assert message.figures == read(TORCH).figures
    assert message.counts["rank"] == 3


def test_the_rank_of_an_adapter_is_no_process() -> None:
    assert read(f"train.py --lora-rank 64 --rank 8\n{TORCH}").counts == {"device": 0}


@pytest.mark.parametrize(
    "line", ["Killed", "worker-1  | Killed", "Oct 02 11:12:13 box run[81]: Killed"]
)
def test_a_line_that_says_killed_and_no_more(line: str) -> None:
    message = read(f"Loading checkpoint shards:  67%\n{line}\n")
    assert message.kind is OomKind.HOST_RAM
    assert message.incomplete
