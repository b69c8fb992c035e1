"""Whether a text can hold an out-of-memory message at all: most questions cannot, and cost little.

A stem is a piece of a message that its other words do not replace. Each wording has one; a test
makes texts of all wordings, and names those that no stem is in.
"""

from bot.reading.oom.pasted import as_typed, plain

STEMS = (
    # Any program.
    *("alloc", "out of memory", "out_of_memory", "outofmemory", "outof memory", "out_of memory"),
    *("out of_memory", "memoryerror", "insufficient", "not enough", "have enough"),
    *("memory limit", "buffer size", "buffer maximum", "on the cpu", "offload"),
    *("no modules could be", "meta device", "not fit on the devices", "out_of_resources"),
    *(
        "out_of_device",
        "out of device",
        "outofdevice",
        "status_memory",
        "not_initialized",
        "memory for the",
    ),
    *("memory available", "ran out of", "runs out of", "max_buffer_size"),
    # The system.
    *("killed", "sigkill", "oom_", "oom-", "oomk", "oom k", "signal 9", "-9", "137", "os error"),
    *("paging file", "unable to mmap", "running low on memory", "memory pressure"),
    *("all available", "memory on the node", "memory than is", "memory block"),
    # vLLM, SGLang, TGI, TensorRT-LLM.
    *("dummy request", "at least one request", "in kv cache", "in the kv cache", "is needed"),
    *("kv cache memory", "than the kv cache", "on startup", "desired gpu", "memory profiling"),
    *("auto-fit", "gpu blocks", "vllm instance", "weights take", "kv cache size"),
    *("maximum concurrency", "loading took", "weights took", "capturing finished"),
    *("actual usage", "initial free", "cuda graph memory", "profiled value", "total_num_tokens"),
    *("#tokens", "mem-fraction", "max-running", "memory pool", "load weight", "cuda graph end"),
    *("pool is full", "batch total tokens", "max-batch-prefill", "k/v cache", "paged kv"),
    *("memusagechange", "engine size", "any sequence", "no free", "negative dimension"),
    # llama.cpp, Ollama, LM Studio.
    *("error loading model", "kv_cache", "margin", "free memory", "params_fit", "deficit"),
    *("failed to fit", "system memory", "for system", "layers.model", "layers to gpu"),
    *("self size", 'msg="', "available vram", "mib of free", "projected to use", "kv_size"),
    *("cells,", "guardrails", "system resources", "requires approximately", "exceeds device"),
    *("exceed device",),
    # Macs.
    *("ndarray", "command buffer", "commandbuffer", "trained tokens", "peak memory"),
    *("recommended size", "working set size", "buffer is nil", "resource limit"),
    # JAX, TensorFlow, DeepSpeed.
    *("exhausted", "memory space", "xlaruntime", "_bfc)", "base limit", "assignment oom", "hbm"),
    *("rematerialization", "new constant", "dst tensor", "oom when", "max_ma", "virtual memory"),
    *("memory needed for", "total params"),
)


def may_hold_one(text: str) -> bool:
    """Whether any stem is in `text`, however its words are spaced and what stands around them."""
    words = " ".join((text if as_typed(text) else plain(text)).casefold().split())
    return any(stem in words for stem in STEMS)
