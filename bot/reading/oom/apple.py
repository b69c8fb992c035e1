"""Metal, under MLX and llama.cpp: memory that the GPU may use, and one buffer's limit."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

PEAK = {"peak": (r"Peak mem(?:ory)?:? {size}", "peak_memory ?[=:] ?{size}")}

WORDINGS = (
    Wording(
        OomKind.BLOCK_SIZE,
        (
            "greater than the maximum allowed buffer size",
            r"Invalid buffer size: {size}",
            "size {n} is larger than buffer maximum",
            r"total bytes of NDArray > 2\*\*32|NDArray > 2\*\*32",
        ),
        figures={
            "tried": (
                r"Attempting to allocate {size}",
                "Invalid buffer size: {size}",
                "size {n} is larger than buffer maximum",
            ),
            "limit": ("maximum allowed buffer size of {size}", "buffer maximum of {n}"),
        },
        before=True,
    ),
    Wording(
        OomKind.METAL,
        (
            "kIOGPUCommandBufferCallbackErrorOutOfMemory",
            r"Insufficient Memory \(0{7}8",
            (
                r"\[(?:METAL|metal::malloc|malloc_or_wait|malloc)\][\s\S]{0,80}?"
                r"(?:Insufficient Memory|Unable to allocate|Resource limit|out of memory)"
            ),
            r"ggml_metal_\w{1,40}: error: failed to allocate",
            r"ggml_metal_get_buffer: error: buffer is nil",
            r"ggml_metal_graph_compute: command buffer \d{1,3} failed with status 5",
        ),
        figures={
            "tried": (r"Unable to allocate {size}", "buffer, size = {size}"),
            "peak": PEAK["peak"],
        },
        before=True,
        thousands=True,
    ),
)

LINES = Wording(
    OomKind.INFO,
    (r"Trained Tokens [\d.]{1,12}, Peak mem", r"tokens-per-sec\s{1,4}Peak memory:"),
    figures=PEAK,
    before=True,
    thousands=True,
)
# Programs that go on for now. MLX counts 2^20 bytes as an MB here, and thousands elsewhere.
CLOSE = Wording(
    OomKind.INFO,
    (
        "which is close to the maximum recommended size",
        "greater than the recommended max working set size",
    ),
    figures={
        "needed": (
            "a model that requires {size}",
            r"\( ?{mib} ?/ ?[\d.]{1,12} ?\)[\s\S]{0,80}?recommended max working",
        ),
        "limit": (
            "maximum recommended size of {size}",
            r"\( ?[\d.]{1,12} ?/ ?{mib} ?\)[\s\S]{0,80}?recommended max working",
        ),
    },
    before=True,
)
