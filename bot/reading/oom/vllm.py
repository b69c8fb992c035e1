"""vLLM: no room for its cache, a card in use when it starts, and the lines of a good start."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

WINDOW = (
    r"max seq len \(?{n}\)?",
    r"max_(?:model_len|seq_len) ?(?:=|:|is)? ?\(?{n}\)?",
    "tokens for {n} context",
)
AVAILABLE = (
    r"available KV cache memory \(?{size}",
    r"Available KV cache memory ?: {size}",
    r"\(?{size} available for KV cache",
)
SHARE = (
    r"GPU memory utilization(?: is)? \({x}",
    r"gpu_memory_utilization ?(?:=|:| )? ?\(?{x}",
)

WORDINGS = (
    Wording(
        OomKind.VLLM_SAMPLER,
        (r"warming up (?:the )?(?:sampler|pooler)(?: \([^)]{0,40}\))? with {n} dummy requests",),
        counts={"dummy_requests": "with {n} dummy requests"},
    ),
    Wording(
        OomKind.VLLM_KV_TOO_SMALL,
        (
            "serve at least one request with",
            "larger than the maximum number of tokens that can be stored in(?: the)? KV cache",
            "{size} KV cache is needed",
            r"larger than the available KV cache memory",
            r"max_model_len \({n}\) is (?:greater|larger) than the KV cache",
        ),
        figures={
            "needed": (r"\(?{size}(?: of)? KV cache is needed", "requires {size} of KV cache"),
            "available": AVAILABLE,
        },
        counts={
            "max_seq_len": WINDOW,
            "kv_tokens": (
                r"stored in(?: the)? KV cache \({n}\)",
                "GPU KV cache size ?: {n} tokens",
            ),
            "estimated_max_len": (
                "estimated maximum model length(?: is|:) {n}",
                "estimated max(?:imum)? length ?(?:is|:) ?{n}",
            ),
        },
        before=True,
    ),
    Wording(
        OomKind.VLLM_STARTUP,
        (
            r"Free memory on device(?: \S{1,20})? \([^)]{0,40}\) on startup is less than",
            "less than desired GPU memory utilization",
            r"Error in memory profiling\.",
            r"No (?:available|free) memory on device on startup",
        ),
        figures={
            "free": (
                r"\({gib} ?/ ?[\d.]{1,20} ?GiB\) on startup",
                "current free memory:? {size}",
                "current free memory:? {n}",
            ),
            "total": r"\([\d.]{1,20} ?/ ?{size}\) on startup",
            "desired": r"utilization \([\d.]{1,9}, {size}\)",
        },
        counts={
            "device": r"on device (?:[a-z]{2,8}:){n}",
            "utilization": SHARE,
        },
        before=True,
    ),
    Wording(
        OomKind.VLLM_NO_KV,
        (
            "No available memory for the cache blocks",
            "Not enough memory available to store (?:the )?(?:KV )?cache",
            "Cannot auto-fit max_model_len",
            r"# GPU blocks: 0\b",
        ),
        figures={"available": AVAILABLE},
        counts={"utilization": SHARE},
    ),
)

LINES = Wording(
    OomKind.INFO,
    (
        r"the current vLLM instance can use total_gpu_memory",
        r"model weights take {size}",
        "Memory profiling (?:results|takes)",
        "Available KV cache memory ?:",
        "GPU KV cache size ?:",
        "Maximum concurrency for {n} tokens per request",
        "Model loading took {x}",
        "Loading model weights took {x}",
        "Graph capturing finished in",
        "# GPU blocks: {n}, #",
        "Auto-fit max_model_len",
        "Actual usage is {size} for weight",
        "Initial free memory:? {size}",
        "Estimated CUDA graph memory",
    ),
    figures={
        "total": (
            r"total_gpu_memory ?[\s(=] ?{size}",
            r"Free memory on device(?: \S{1,20})? \([\d.]{1,20} ?/ ?{size}\) on startup",
        ),
        "weights": (
            "model weights take {size}",
            "(?:Model loading|Loading model weights|Loading weights) took {size}",
            "Actual usage is {size} for weight",
        ),
        "non_torch": (
            "non_torch_memory(?: takes|=)? ?{size}",
            "{size} for non-torch memory",
        ),
        "activation_peak": (
            "activation peak memory(?: takes)? {size}",
            "{size} for peak activation",
            "peak_torch_memory=?{size}",
        ),
        "graph": (
            r"Graph capturing finished in [\d.]{1,9} secs?\.?, took {size}",
            "{size} for CUDAGraph memory",
            "CUDA ?graph (?:pool )?memory ?: {size}",
        ),
        "kv_cache": (
            "reserved for KV Cache is {size}",
            "Available KV cache memory ?: {size}",
            "available_kv_cache_memory {size}",
            "kv_cache_size={size}",
            "{size} available for KV cache",
            "reserved {size} memory for KV Cache",
        ),
        "available": "Available KV cache memory ?: {size}",
        "desired": (
            r"memory utilization is \([\d.]{1,9}, {size}\)",
            r"Requested memory: [\d.]{1,9} \(util\), {size}",
        ),
        "free": (
            r"Free memory on device(?: \S{1,20})? \({gib} ?/ ?[\d.]{1,20} ?GiB\) on startup\.",
            "Initial free memory:? {size}",
        ),
    },
    counts={
        "utilization": (
            r"gpu_memory_utilization ?[(=] ?{x}",
            r"Requested memory: {x} \(util\)",
            *SHARE,
        ),
        "kv_tokens": "GPU KV cache size ?: {n} tokens",
        "max_model_len": "Maximum concurrency for {n} tokens per request",
        "concurrency": r"tokens per request ?: {x} ?x",
        "estimated_max_len": r"Auto-fit max_model_len: reduced from \d{1,12} to {n}",
    },
    before=True,
)
