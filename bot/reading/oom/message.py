"""What an out-of-memory message says, whichever program wrote it: the type alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class OomKind(StrEnum):
    """Which program ran out of which memory, doing what."""

    CUDA = "cuda_oom"
    HIP = "hip_oom"
    MPS = "mps_oom"
    XPU = "xpu_oom"
    NPU = "npu_oom"
    METAL = "metal_oom"
    TENSORFLOW = "tf_oom"
    BITSANDBYTES = "bnb_oom"
    XLA = "xla_resource_exhausted"
    CUBLAS_ALLOC = "cublas_alloc_failed"
    CUBLAS_INIT = "cublas_not_initialized"
    HOST_RAM = "host_ram_oom"
    GUARDRAIL = "guardrail_estimate"
    PLACEMENT = "placement_overflow"
    BLOCK_SIZE = "block_size_limit"
    VLLM_KV_TOO_SMALL = "vllm_kv_too_small"
    VLLM_NO_KV = "vllm_no_kv_memory"
    VLLM_STARTUP = "vllm_startup_free_too_small"
    VLLM_SAMPLER = "vllm_sampler_warmup_oom"
    SGLANG_NO_KV = "sglang_no_kv_memory"
    SGLANG_NEGATIVE_KV = "sglang_negative_kv_tokens"
    TGI_PREFILL = "tgi_prefill_oom"
    TGI_TOTAL = "tgi_total_tokens_oom"
    TENSORRT_LLM = "trtllm_oom"
    EXLLAMA = "exllama_insufficient"
    LLAMA_CPP_WEIGHTS = "llamacpp_weights_oom"
    LLAMA_CPP_KV = "llamacpp_kv_oom"
    LLAMA_CPP_COMPUTE = "llamacpp_compute_buffer_oom"
    LLAMA_CPP_PINNED = "llamacpp_pinned_host_alloc"
    LLAMA_CPP_FIT = "llamacpp_fit_deficit"
    OLLAMA_SYSTEM = "ollama_system_memory"
    INFO = "info"  # lines of a log that are no error


@dataclass(frozen=True, slots=True)
class Process:
    """Another program on the card."""

    pid: int
    used_bytes: int


@dataclass(frozen=True, slots=True)
class OomMessage:
    """One message. `figures`: bytes by what they are of (`tried`, `total`, `free` …).

    `counts`: whole numbers and shares by name (`device`, `rank`, `max_seq_len`,
    `utilization` …). `words`: `component`, `dtype`, `backend`, `pool`. `shape`: of the tensor
    that was to be made. `incomplete`: it has no sizes that could be used. `ignored`: figures that
    it prints and that cannot be (WSL2 shows 2^34 GiB), by name.
    """

    kind: OomKind
    figures: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    shape: tuple[int, ...] = ()
    processes: tuple[Process, ...] = ()
    incomplete: bool = False
    ignored: tuple[str, ...] = ()
