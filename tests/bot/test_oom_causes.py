"""What is said of messages that share their words with others, and what is to be done first."""

import pytest

from bot.ask import Desk, open_desk
from bot.diagnosis.diagnosis import Cause, Program
from bot.replies import OomExplained

ABSURD = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory."
POOL = "RuntimeError: Decode out of memory. Try to lower it.\nTry to allocate 148 tokens."
PLACES = (
    "RuntimeError: alloc_req_slots runs out of memory. Please set a smaller number for "
    "`--max-running-requests`. self.req_to_token_pool.available_size()=1, num_reqs=2,"
)
OVER = (
    "Available KV cache memory: -0.50 GiB\nValueError: No available memory for the cache blocks. "
    "Try increasing `gpu_memory_utilization` when initializing the engine."
)
WEIGHTS = (
    "Executor creation failed due to insufficient GPU memory.\nThe following component could not "
    "be created: Model\nTotal GPU memory (GiB): 15.44\nFree GPU memory before component creation "
    "attempt (GiB): 12.78"
)
BUILT = (
    "[TRT] [E] [virtualMemoryBuffer.cpp::resizePhysical::151] Error Code 2: OutOfMemory "
    "(Requested size was 17179869184 bytes.)"
)
META = "Some parameters are on the meta device because they were offloaded to the cpu and disk."
PACKED = "ValueError: Some modules are dispatched on the CPU or the disk."
DEVICES = 'This model does not fit on the devices ["cpu"], and exceeds total capacity by 7168MB.'
PAGING = "OSError: The paging file is too small for this operation to complete. (os error 1455)"
VULKAN = "ggml_vulkan: Failed to allocate pinned memory."
LAYERS = "memory layout cannot be allocated with num_gpu = 26"
WARM_UP = (
    "Unable to warmup model: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total \
capacity of 22.20 GiB of which 13.00 MiB is free."
)
SERVER = (
    'level=WARN msg="model request too large for system" requested="391.0 GiB" '
    'available=393216983040 total="1690.2 GiB" free="358.4 GiB" swap="7.8 GiB"'
)
CAUSES = {
    ABSURD: (Cause.LARGER, "absurd", Program.CUDA, "first_error"),
    POOL: (Cause.POOL, "", Program.SGLANG, "sglang_requests"),
    PLACES: (Cause.POOL, "requests", Program.SGLANG, "sglang_requests"),
    OVER: (Cause.NO_CACHE, "over", Program.VLLM, "vllm_raise"),
    WEIGHTS: (Cause.COMPONENT, "model", Program.TENSORRT_LLM, "smaller_packed"),
    BUILT: (Cause.COMPONENT, "building", Program.TENSORRT_LLM, "trt_tokens"),
    META: (Cause.PLACEMENT, "whole", Program.CUDA, "smaller_packed"),
    PACKED: (Cause.PLACEMENT, "", Program.CUDA, "smaller_packed"),
    DEVICES: (Cause.PLACEMENT, "deficit", Program.OTHER, "smaller_packed"),
    PAGING: (Cause.HOST, "paging", Program.OTHER, "page_file"),
    VULKAN: (Cause.PINNED, "vulkan", Program.LLAMA_CPP, "pinned_harmless"),
    LAYERS: (Cause.WEIGHTS, "bare", Program.OLLAMA, "num_gpu"),
    WARM_UP: (Cause.ONE_TENSOR, "", Program.TGI, "tgi_less"),
    SERVER: (Cause.SYSTEM, "", Program.OLLAMA, "smaller_tag"),
}


@pytest.fixture(scope="module")
def desk() -> Desk:
    return open_desk()


def explained(desk: Desk, text: str) -> OomExplained:
    found = desk.explain_oom(text)
    assert isinstance(found, OomExplained)
    return found


@pytest.mark.parametrize("text", CAUSES)
def test_the_cause_and_the_first_step(desk: Desk, text: str) -> None:
    found = explained(desk, text).diagnosis
    verdict, (first, *_) = found.verdict, found.steps
    assert (verdict.cause, verdict.kind, found.program, first.key) == CAUSES[text]


def test_what_is_too_much_is_said_and_not_left_aside(desk: Desk) -> None:
    found = explained(desk, OVER)
    assert "512.00 MiB more" in found.shown.headline
    assert found.diagnosis.message.ignored == ()


def test_the_machines_memory_is_no_card(desk: Desk) -> None:
    found = explained(desk, SERVER)
    assert "391.00 GiB" in found.shown.headline
    assert found.shown.held == ()
    assert found.diagnosis.cards == ()
