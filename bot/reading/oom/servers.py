"""SGLang, Text Generation Inference and TensorRT-LLM: their errors, and lines of a good start."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

PROFILED = "max_total_tokens ?= ?{n} is larger than the profiled value"
WORDINGS = (
    Wording(
        OomKind.SGLANG_NEGATIVE_KV,
        (
            r"is larger than the profiled value -\d",
            r"max_total_num_tokens ?[=:] ?(?:-\d|0\b)",
            r"#tokens ?[=:] ?-\d",
            r"sglang[\s\S]{0,2000}?tensor with negative dimension -\d",
        ),
        counts={
            "requested_tokens": PROFILED,
            "profiled_tokens": "larger than the profiled value {n}",
            "kv_tokens": (
                "max_total_num_tokens ?[=:] ?{n}",
                "#tokens ?[=:] ?{n}",
                "negative dimension {n}",
            ),
        },
        before=True,
    ),
    Wording(
        OomKind.SGLANG_NO_KV,
        (
            r"Not enough memory[.;] ?Please try to increase --mem-fraction-static",
            r"Not enough memory[.;] ?Please try (?:increasing|to increase) `?--?mem",
            "(?:Prefill|Decode|Extend) out of memory",
            "alloc_req_slots runs out of memory",
            r"out of memory\. Please set a smaller number for `?--max-running",
        ),
        counts={
            "utilization": "mem_fraction_static ?[=:] ?{x}",
            "requested_tokens": "Try to allocate {n} tokens",
            "requests": "num_reqs ?[=:] ?{n}",
            "kv_tokens": (
                r"Available (?:full )?tokens ?: {n}",
                r"available_size ?[=:] ?{n}",
            ),
        },
        words={"part": r"((?:Prefill|Decode|Extend) out of|alloc_req_slots|smaller number for)"},
    ),
    Wording(
        OomKind.TGI_TOTAL,
        ("Not enough memory to handle {n} total tokens",),
        counts={
            "total_tokens": "handle {n} total tokens",
            "prefill_tokens": "with {n} prefill tokens",
        },
    ),
    Wording(
        OomKind.TGI_PREFILL,
        ("Not enough memory to handle {n} prefill tokens",),
        counts={"prefill_tokens": "handle {n} prefill tokens"},
    ),
    Wording(
        OomKind.TENSORRT_LLM,
        (
            "Executor creation failed due to insufficient GPU memory",
            r"TensorRT-LLM\](?:\[ERROR\])?[\s\S]{0,200}?out of memory",
            r"TRT-LLM\][\s\S]{0,200}?out of memory(?!\. Tried)",  # which is PyTorch's
            r"Requested amount of GPU memory \({n} bytes\) could not be allocated",
            r"Error Code \d{1,3}: (?:OutOfMemory|Out ?of memory|Cuda Runtime \(out of memory\))",
            "Impossible to fit any sequence in kvCache",
            (
                r"(?:TensorRT-LLM|TRT-LLM|tensorrt_llm)[\s\S]{0,200}?"
                r"(?:No free|Not enough|insufficient) (?:GPU )?memory"
            ),
        ),
        figures={
            "tried": (
                r"Requested amount of GPU memory \({n} bytes\)",
                r"Requested size was {n} bytes",
                r"(?:Malloc(?:Async)?|allocate)[\s\S]{0,60}?\({size}\)",
            ),
            "total": (
                r"Total GPU memory \(GiB\): {gib}",
                "Total GPU memory: {size}",
            ),
            "free": (
                r"Free GPU memory before component creation attempt \(GiB\): {gib}",
                "free ?: {size}",
            ),
        },
        words={"component": r"component could not be created: ([^\n]{1,60})"},
        before=True,
    ),
)

SGLANG_LINES = Wording(
    OomKind.INFO,
    (
        PROFILED,
        "KV Cache is allocated",
        "KV cache pool is full",
        r"Memory pool (?:begin|end)",
        r"Load weight (?:begin|end)",
        r"max_total_num_tokens ?= ?\d",
        "Capture cuda graph end",
    ),
    figures={
        "weights": r"Load weight end[\s\S]{0,200}?mem usage ?= ?{size}",
        "graph": r"Capture cuda graph end[\s\S]{0,200}?mem usage ?= ?{size}",
        "free": (
            r"available_gpu_mem ?= ?{size}",
            r"Memory pool end[\s\S]{0,80}?avail mem ?= ?{size}",
            r"avail mem ?= ?{size}",
        ),
        "k_cache": r"\bK size ?: ?{size}",
        "v_cache": r"\bV size ?: ?{size}",
        "kv_cache": r"\bKV size ?: ?{size}",
    },
    counts={
        "requested_tokens": PROFILED,
        "profiled_tokens": "larger than the profiled value {n}",
        "kv_tokens": ("max_total_num_tokens ?= ?{n}", r"#tokens ?: ?{n}"),
        "max_model_len": "context_len ?= ?{n}",
    },
    before=True,
)

TGI_LINES = Wording(
    OomKind.INFO,
    (
        "(?:Setting|Inferred) max batch total tokens",
        "Default `max-batch-prefill-tokens`",
    ),
    counts={
        "total_tokens": r"max[\s_-]batch[\s_-]total[\s_-]tokens(?: to| =|:)? {n}",
        "prefill_tokens": "`max-batch-prefill-tokens` to {n}",
    },
    before=True,
)

TENSORRT_LINES = Wording(
    OomKind.INFO,
    (
        r"Allocated? {size} for (?:k/v|max tokens in paged KV) cache",
        r"Allocate {n} bytes for k/v cache",
        "Using {n} tokens in paged KV cache",
        "Max tokens in paged KV cache: {n}",
        r"\[MemUsageChange\]",
        "Loaded engine size",
    ),
    figures={
        "kv_cache": (
            r"Allocated? {size} for (?:k/v|max tokens in paged KV) cache",
            r"Max tokens in paged KV cache: \d{1,12}\. Allocating {size}",
            "KV cache ?: {size}",
        ),
        "weights": "Loaded engine size ?: {size}",
        "total": r"paged kv cache: total: {size}",
        "available": r"paged kv cache: total: [\d.]{1,20} ?GiB, available: {size}",
    },
    counts={
        "kv_tokens": (
            "Using {n} tokens in paged KV cache",
            "Max tokens in paged KV cache: {n}",
            r"max tokens in paged KV cache \({n}\)",
        )
    },
    before=True,
)
