"""llama.cpp and Ollama: what they print of a model that loads, and Ollama's own refusal."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

SYSTEM = Wording(
    OomKind.OLLAMA_SYSTEM,
    (
        "model requires more system memory",
        "requires more system memory than is (?:currently )?available",
        "model request too large for system",
        "may not have enough (?:available )?memory to (?:run|load) this model",
    ),
    figures={
        "needed": (r"more system memory \({size}\)", r"requested=\"?{size}"),
        "available": (
            r"than is (?:currently )?available \({size}\)",
            r"too large for system\" requested=\"[^\"]{1,20}\" available=\"?{n}\b",
            r"too large for system[\s\S]{0,80}?available=\"?{size}",
        ),
        "total": r"too large for system[\s\S]{0,120}?total=\"?{size}",
        "free": r"too large for system[\s\S]{0,160}?free=\"?{size}",
    },
)
NO_LAYERS = Wording(
    OomKind.PLACEMENT,
    ("insufficient VRAM to load any model layers",),
    figures={
        "available": r"(?:memory\.)?available ?= ?\"?\[?{size}",
        "needed": r"(?:minimum_memory|required) ?= ?\"?{size}",
    },
    before=True,
)

LINES = Wording(
    OomKind.INFO,
    (
        r"layers\.model=",
        r"offloaded {n}/\d{1,4} layers to GPU",
        r"model buffer size ?= ?{size}",
        r"KV buffer size ?= ?{size}",
        r"KV self size ?= ?{size}",
        r"compute buffer size ?= ?{size}",
        r"msg=\"(?:model weights|kv cache|compute graph|total memory|system memory)\"",
        "new model will fit in available VRAM",
        "will leave {n} >= {n} MiB of free device memory",
        r"projected to use {size} of device memory vs",
        r"msg=\"inference compute\"",
    ),
    figures={
        "available": (
            r"memory\.available=\"?\[?{size}",
            r"msg=\"inference compute\"[\s\S]{0,300}?available=\"{size}\"",
            r"\bavailable=\"?{size}",
        ),
        "needed": (
            r"memory\.required\.full=\"?{size}",
            r"required=\"?{size}",
            r"msg=\"total memory\" size=\"{size}\"",
            r"projected to use {size} of device memory",
        ),
        "free": (
            r"vs\. {size} of free device memory",
            r"msg=\"system memory\"[\s\S]{0,80}?free=\"{size}\"",
        ),
        "total": (
            r"msg=\"system memory\" total=\"{size}\"",
            r"msg=\"inference compute\"[\s\S]{0,300}?total=\"{size}\"",
        ),
        "kv_cache": (
            r"memory\.required\.kv=\"?{size}",
            r"KV buffer size ?= ?{size}",
            r"KV self size ?= ?{size}",
            r"msg=\"kv cache\"[\s\S]{0,60}?size=\"{size}\"",
        ),
        "weights": (
            r"memory\.weights\.total=\"?{size}",
            r"model buffer size ?= ?{size}",
            r"msg=\"model weights\"[\s\S]{0,60}?size=\"{size}\"",
        ),
        "graph": (
            r"memory\.graph\.full=\"?{size}",
            r"compute buffer size ?= ?{size}",
            r"msg=\"compute graph\"[\s\S]{0,60}?size=\"{size}\"",
        ),
    },
    counts={
        "layers_model": (r"layers\.model={n}", r"offloaded \d{1,4}/{n} layers to GPU"),
        "devices": r"found {n} (?:CUDA|ROCm|Vulkan|SYCL|HIP) devices",
        "gpus": r"\bgpus={n}",
        "layers_offload": (r"layers\.offload={n}", r"offloaded {n}/\d{1,4} layers to GPU"),
        "kv_tokens": (r"kv_size ?= ?{n}", r"KvSize:{n}"),
    },
    before=True,
)
KV_SIZE = Wording(
    OomKind.INFO,
    (r"kv_size ?= ?{n}", r"\( ?{n} cells,"),
    counts={"kv_tokens": (r"kv_size ?= ?{n}", r"\( ?{n} cells,")},
    before=True,
)
