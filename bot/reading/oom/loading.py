"""Models that are not loaded at all: no device for a part, no room in a split, a guard rail."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

WORDINGS = (
    Wording(
        OomKind.GUARDRAIL,
        (
            "due to insufficient system resources",
            "model loading guardrails",
            "Not enough resources to load the model",
            r"requires approximately {size} of memory",
        ),
        figures={"needed": r"(?:requires|require) approximately {size}"},
        before=True,
        thousands=True,
    ),
    Wording(
        OomKind.GUARDRAIL,
        ("Insufficient GPU memory error",),
        figures={
            "available": "available single GPU memory is {size}",
            "weights": r"model weight size \({size}\)",
            "temp": r"temporary buffer size \({size}\)",
        },
    ),
    Wording(
        OomKind.PLACEMENT,
        (
            "Some modules are dispatched on the CPU",
            "trying to offload the whole model to the disk",
            r"`?device_map`? had weights offloaded to the disk",
            "Some parameters are on the meta device",
            r"need an `?offload_(?:dir|folder)`? to dispatch",
            "This model does not fit on the devices",
            "of buffer for offloaded layers",
            "no modules could be assigned to the following devices",
            r"(?:doesn'?t|does not) have enough (?:GPU )?(?:RAM|memory) to fit the",
            "Make sure you have enough GPU RAM to fit the quantized model",
        ),
        figures={
            "needed": (
                "requires {size} of buffer",
                r"- (?:cuda:)?\d{1,2}: {size} required",
            ),
            "deficit": "exceeds total capacity by {size}",
        },
        counts={
            "device": r"- (?:cuda:)?{n}: \d{1,20} bytes required",
            "max_seq_len": "max_seq_len: {n}",
        },
        # What is said of any model; the others speak of packed ones.
        words={"part": r"(meta device|offloaded to the disk|model to the disk|to dispatch)"},
        before=True,
    ),
    Wording(
        OomKind.EXLLAMA,
        (
            (
                r"Insufficient (?:VRAM|space|memory)[\s\S]{0,30}?"
                r"\b(?:for (?:model|allocation)|in split|(?:on|in) device)"
            ),
        ),
    ),
    Wording(
        OomKind.BITSANDBYTES,
        (
            r"Error out of memory at line \d",
            r"CUDA error ?: out of memory[\s\S]{0,120}?(?:ops\.cu|pythonInterface)",
            r"out of memory[\s\S]{0,200}?bitsandbytes[\s\S]{0,80}?\.(?:cu|cpp)",
        ),
    ),
)
