"""JAX and XLA on GPUs and TPUs, and TensorFlow, whose allocator XLA's is."""

from dataclasses import replace
from math import prod

from bot.reading.oom.figures import phrase
from bot.reading.oom.message import OomKind, OomMessage
from bot.reading.oom.wording import Wording, first_of, message_of

# Bytes of one number, by the names that TensorFlow gives types.
WIDTHS = {
    "double": 8,
    "float64": 8,
    "int64": 8,
    "uint64": 8,
    "complex64": 8,
    "complex128": 16,
    "float": 4,
    "float32": 4,
    "int32": 4,
    "uint32": 4,
    "half": 2,
    "float16": 2,
    "bfloat16": 2,
    "int16": 2,
    "uint16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
TENSOR = phrase(
    r"OOM when allocating tensor (?:with|of) shape ?\[([\d,\s]{0,80})\](?: and type {word})?"
)
XLA = phrase(
    r"RESOURCE_EXHAUSTED|Ran out of memory in memory space|XlaRuntimeError|Resource exhausted"
    r"|bfc_allocator|_bfc\)|exceeds the base limit|BufferAssignment OOM|hbm capacity"
    r"|ResourceExhaustedError|failed to allocate {size} \(\d{1,20} ?bytes\) from device"
    r"|hlo_rematerialization|bytes for new constant|Dst tensor is not initialized|HbmOom"
)
OUT = phrase(
    r"out of memory|OOM|allocat|reserve|exceed|capacity|Dst tensor is not initialized|exhausted"
)
TENSORFLOW = phrase(r"tensorflow|\btf\.|Dst tensor is not initialized|\[Op:")
GOES_ON = phrase("caller indicates that this is not a failure")
ENDS = phrase(r"RESOURCE_EXHAUSTED|Resource exhausted|ResourceExhausted|XlaRuntimeError|OOM when")
# What the compiler for TPUs and their allocator alone say: a GPU's memory has no name in XLA.
OF_TPU = phrase(
    r"in memory space|\bhbm (?:capacity|requirement|usage)|\d[KMGT]i?B? (?:of )?hbm\b|HbmOom"
    r"|TPU compile|\btpu_execut|at the bottom of memory"
)
ON_TPU = phrase(r"\bTPUs?\b|\bTPU_\d|\blibtpu|That was not possible\. There are")
ON_GPU = phrase(
    r"\bon GPU\b|\bGPU:\d|GPU_\d|\bStreamExecutorGPU|\bgpu_\w{2,20}allocator|\bCUDA\b|\bROCm\b"
)
TPU = "tpu"  # the word for it
JAX = phrase(r"\bjax|XlaRuntimeError|\bflax\b|torch_xla|\bxla_client\b|\btpu_execute|\bTPU:")

SAID = Wording(
    OomKind.XLA,
    (),
    figures={
        "tried": (
            r"Out of memory (?:while trying to allocate|allocating|trying to allocate) {size}",
            r"(?:Failed|fail) to allocate (?:request for )?[\d.]{1,20} ?[KMGT]?i?B? ?\({size}\)",
            r"trying to allocate [\d.]{1,20} ?[KMGT]?i?B? ?\(rounded to {n}\)",
            "trying to allocate {size}",
            r"Attempting to (?:reserve|allocate) {size}",
            r"(?:Failed|Error|fail) (?:to )?allocat(?:e|ing)(?: request for)? {size}",
            r"Allocation \(size={n}\) would exceed",
            "requested allocation of {size}",
        ),
        "free": r"There (?:are|is) {size} free",
        "needed": (
            "Used {size} of",
            r"\({size}\) exceeds the base limit",
            r"\({n}\) exceeds the base limit",
            "by rematerialization; only reduced to {size}",
            "Program hbm requirement {size}",
            r"Total hbm usage >= {size}",
        ),
        "total": (
            r"Used [\d.]{1,20} ?[KMGT]?i?B? of {size}",
            r"would exceed memory \(size={n}\)",
        ),
        "limit": (
            r"base limit \({size}\)",
            r"base limit \({n}\)",
            "reduce memory use below {size}",
            "bytes_limit ?[=:] ?{n}",
            "Limit: {n}",
        ),
        "deficit": r"Exceeded \w{2,10} capacity by {size}",
        "temp": (
            r"(?:preallocated )?temp allocation: {size}",
            r"HLO temp {size}",
        ),
        "total_allocation": "total allocation: {size}",
    },
    counts={
        "device": (
            r"device:GPU:{n}",
            "device ordinal {n}",
            "running replica 0 and partition {n}",
            "running replica {n}",
            r"GPU_{n}_bfc",
            r"device: ?{n}\b",
        ),
    },
    words={"component": r"in memory space (\w{2,10})"},
    before=True,
)


def read_xla(text: str) -> OomMessage | None:
    """What XLA or TensorFlow could not allocate."""
    tensor = TENSOR.search(text)
    if tensor is not None:
        return _of_tensor(text, tensor[1], tensor[2] or "")
    if XLA.search(text) is None or OUT.search(text) is None:
        return None
    message = message_of(SAID, text)
    if _is_of_tpu(text):
        message = replace(message, words={**message.words, "backend": TPU})
    if GOES_ON.search(text) is not None and ENDS.search(text) is None:
        return replace(message, kind=OomKind.INFO)
    tensorflow = TENSORFLOW.search(text) is not None and JAX.search(text) is None
    return replace(message, kind=OomKind.TENSORFLOW) if tensorflow else message


def _is_of_tpu(text: str) -> bool:
    """Whether a TPU's own words are there, or its name and nothing of a GPU."""
    named = ON_TPU.search(text) is not None and ON_GPU.search(text) is None
    return named or OF_TPU.search(text) is not None


def _of_tensor(text: str, shape: str, dtype: str) -> OomMessage:
    """A tensor that was to be made: its bytes are its shape's."""
    sizes = tuple(int(one) for one in shape.split(",") if one.strip())
    width = WIDTHS.get(dtype.casefold())
    figures = {} if width is None or not sizes else {"tried": prod(sizes) * width}
    device = first_of(SAID.counts["device"], text)
    return OomMessage(
        OomKind.TENSORFLOW,
        figures,
        {} if device is None else {"device": int(device[1])},
        {"dtype": dtype} if dtype else {},
        shape=sizes,
        incomplete=not figures,
    )
