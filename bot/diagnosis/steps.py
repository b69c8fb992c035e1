"""What to do about each cause, in the words of the program at hand; the cheapest first."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from bot.diagnosis.diagnosis import NOTES, Cause, Finding, Program, Step, Values
from bot.diagnosis.of_servers import HUNDRED, MOST_SHARE, PAGE
from bot.reading.oom.message import OomMessage
from bot.reading.oom.places import Place
from estimator import KIB

MOST_STEPS = 5
HALF = 2
SAY = "say_settings"
USUAL_CONTEXT = 8 * KIB  # tokens, where a message does not say how many there were
USUAL_SHARE = 0.9  # of the card, that vLLM takes
STEP = 0.05  # by which a share is changed
LEAST_SHARE = 0.3  # below which no server has room for anything
RAISES = ("vllm_raise", "sglang_raise")
USUAL_RAISED = {Program.SGLANG: 0.92}  # where the text does not say what it was
USUAL_LOWERED = {Program.SGLANG: 0.8, Program.TENSORRT_LLM: 0.8}
PYTORCH = (Program.CUDA, Program.HIP, Program.XPU, Program.NPU, Program.MPS)
GGML = (Program.LLAMA_CPP, Program.OLLAMA, Program.LM_STUDIO)

# Steps of a cause, whichever program; of one program where it has its own.
STEPS: Mapping[Cause, tuple[str, ...]] = MappingProxyType(
    {
        Cause.FRAGMENTED: ("allocator", "same_lengths"),
        Cause.OTHERS: ("see_processes", "another_card"),
        Cause.CAP: ("raise_cap",),
        Cause.ONE_TENSOR: ("fused_loss", "fused_attention", "shorter", "sharded_state", SAY),
        Cause.LARGER: ("fused_attention", "shapes", "shorter", "fused_loss"),
        Cause.FULL: ("smaller_batch", "checkpointing", "shorter", SAY),
        Cause.PLENTY_FREE: ("try_again", "limits"),
        Cause.CARVE_OUT: ("bios", "kernel_pool", "smaller_model"),
        Cause.SPILLED: ("no_fallback", "smaller_batch", "checkpointing", "smaller_model"),
        Cause.UNIFIED: ("smaller_batch", "close_programs", "watermark", "wired_limit"),
        Cause.HOST: ("less_offload", "host_room", "fewer_workers"),
        Cause.BLOCK: ("smaller_batch", "fused_loss", "relaxed_limit"),
        Cause.PLACEMENT: ("smaller_packed", "max_memory", "cpu_offload"),
        Cause.GUARDRAIL: ("smaller_packed", "half_batch", "see_processes"),
        Cause.LIBRARY: ("see_processes", "half_batch", "blocking"),
        Cause.XLA: ("preallocation", "half_batch", "remat"),
        Cause.SINGLE: ("half_batch", "see_processes"),
        Cause.NO_SIZES: ("paste_pytorch", "see_processes"),
    }
)
OWN: Mapping[tuple[Cause, Program], tuple[str, ...]] = MappingProxyType(
    {
        (Cause.FULL, Program.VLLM): ("vllm_lower", "vllm_fewer_requests", "vllm_eager"),
        (Cause.FULL, Program.SGLANG): ("sglang_lower", "sglang_prefill", "sglang_graphs"),
        (Cause.FULL, Program.LLAMA_CPP): ("ngl", "context", "cache_type", "ubatch"),
        (Cause.FULL, Program.OLLAMA): ("num_ctx", "num_parallel", "ollama_cache", "num_gpu"),
        (Cause.ONE_TENSOR, Program.VLLM): ("vllm_batched", "vllm_lower", "smaller_packed", "tp"),
        (Cause.ONE_TENSOR, Program.SGLANG): (
            *("sglang_prefill", "sglang_lower", "smaller_packed", "sglang_tp"),
        ),
        (Cause.ONE_TENSOR, Program.OTHER): ("half_batch", "see_processes"),
        (Cause.LARGER, Program.VLLM): ("vllm_batched", "smaller_packed", "tp"),
        (Cause.LARGER, Program.SGLANG): ("sglang_prefill", "smaller_packed", "sglang_tp"),
        (Cause.LARGER, Program.OTHER): ("half_batch", "shapes"),
        (Cause.NO_CACHE, Program.VLLM): ("vllm_raise", "vllm_batched", "smaller_packed", "tp"),
        (Cause.NO_CACHE, Program.SGLANG): ("sglang_raise", "smaller_packed", "sglang_tp"),
        (Cause.POOL, Program.SGLANG): (
            *("sglang_requests", "sglang_pool", "sglang_cache_type", "sglang_tp"),
        ),
        (Cause.WINDOW, Program.VLLM): ("max_model_len", "vllm_raise", "vllm_cache_type", "tp"),
        (Cause.SHARE, Program.VLLM): ("vllm_share", "see_processes"),
        (Cause.WARM_UP, Program.VLLM): ("max_num_seqs", "vllm_lower"),
        (Cause.TOKENS, Program.TGI): ("tgi_tokens", "tgi_packed", "tgi_shards"),
        (Cause.COMPONENT, Program.TENSORRT_LLM): ("trt_fraction", "trt_tokens", "tp"),
        (Cause.SPLIT, Program.EXLLAMA): ("exl_context", "exl_cache", "exl_split", "exl_smaller"),
        (Cause.WEIGHTS, Program.LLAMA_CPP): ("ngl", "cpu_moe", "smaller_quant"),
        (Cause.WEIGHTS, Program.OLLAMA): ("num_gpu", "smaller_tag", "num_ctx"),
        (Cause.CACHE, Program.LLAMA_CPP): ("context", "cache_type", "slots", "ngl"),
        (Cause.CACHE, Program.OLLAMA): ("num_ctx", "num_parallel", "ollama_cache"),
        (Cause.COMPUTE, Program.LLAMA_CPP): ("ubatch", "flash", "context", "ngl"),
        (Cause.COMPUTE, Program.OLLAMA): ("num_ctx", "num_parallel", "ollama_flash"),
        (Cause.DEFICIT, Program.LLAMA_CPP): ("context", "ngl", "cache_type", "smaller_quant"),
        (Cause.DEFICIT, Program.OLLAMA): ("num_ctx", "num_gpu", "ollama_cache", "smaller_tag"),
        (Cause.PINNED, Program.LLAMA_CPP): ("pinned_harmless", "no_pinned"),
        (Cause.PINNED, Program.OLLAMA): ("pinned_harmless", "num_ctx"),
        (Cause.SYSTEM, Program.OLLAMA): ("smaller_tag", "num_ctx", "num_parallel", "host_room"),
        (Cause.FULL, Program.OTHER): ("half_batch", "see_processes"),
        (Cause.FULL, Program.TGI): ("tgi_less", "tgi_packed", "tgi_shards"),
        (Cause.ONE_TENSOR, Program.TGI): ("tgi_less", "tgi_packed", "tgi_shards"),
        (Cause.LARGER, Program.TGI): ("tgi_less", "tgi_packed", "tgi_shards"),
        (Cause.FULL, Program.TENSORRT_LLM): ("trt_fraction", "trt_tokens", "tp"),
        (Cause.HOST, Program.LLAMA_CPP): ("smaller_quant", "context", "cache_type", "host_room"),
        (Cause.HOST, Program.OLLAMA): ("smaller_tag", "num_ctx", "num_parallel", "host_room"),
        (Cause.HOST, Program.VLLM): ("host_room", "smaller_packed"),
        (Cause.BLOCK, Program.LLAMA_CPP): ("context", "ubatch", "cache_type", "ngl"),
        (Cause.BLOCK, Program.MLX): ("mlx_prompt", "mlx_batch", "mlx_checkpoint"),
        (Cause.BLOCK, Program.MPS): ("smaller_batch", "shorter", "fused_attention"),
        (Cause.GUARDRAIL, Program.LM_STUDIO): ("studio_context", "studio_layers", "studio_rail"),
        (Cause.UNIFIED, Program.MLX): ("mlx_batch", "mlx_checkpoint", "wired_limit"),
        (Cause.UNIFIED, Program.LLAMA_CPP): ("ngl", "context", "cache_type", "wired_limit"),
        (Cause.UNIFIED, Program.OLLAMA): ("num_ctx", "num_gpu", "ollama_cache"),
        (Cause.XLA, Program.TPU): ("half_batch", "remat", "tpu_shards"),
        (Cause.NO_SIZES, Program.SGLANG): ("paste_pytorch", "sglang_lower", "sglang_prefill"),
        (Cause.SINGLE, Program.TENSORFLOW): ("growth", "half_batch", "see_processes"),
        (Cause.LIBRARY, Program.VLLM): ("vllm_lower", "see_processes"),
        (Cause.NO_SIZES, Program.LLAMA_CPP): ("paste_ggml", "ngl", "context"),
        (Cause.NO_SIZES, Program.OLLAMA): ("paste_ollama", "num_ctx", "num_gpu"),
        (Cause.NO_SIZES, Program.VLLM): ("paste_vllm", "vllm_lower", "vllm_batched"),
        (Cause.NO_SIZES, Program.OTHER): ("paste_any", "see_processes"),
        (Cause.OTHERS, Program.VLLM): ("see_processes", "another_card", "vllm_lower"),
    }
)
# Steps of one kind of a cause, whichever program it is of.
OF_KIND: Mapping[tuple[Cause, str], tuple[str, ...]] = MappingProxyType(
    {
        (Cause.LARGER, "absurd"): ("first_error", "shapes"),
        (Cause.COMPONENT, "model"): ("smaller_packed", "tp", "trt_tokens"),
        (Cause.COMPONENT, "building"): ("trt_tokens", "tp"),
        (Cause.PLACEMENT, "whole"): ("smaller_packed", "max_memory", "see_processes"),
        (Cause.PLACEMENT, "deficit"): ("smaller_packed", "shorter_window", "see_processes"),
        (Cause.POOL, "requests"): ("sglang_requests",),
        (Cause.TOKENS, "bare"): ("tgi_less", "tgi_packed", "tgi_shards"),
        (Cause.HOST, "paging"): ("page_file", "less_offload", "fewer_workers"),
        (Cause.XLA, "core"): ("tpu_blocks",),
        (Cause.PINNED, "vulkan"): ("pinned_harmless",),
    }
)
AT: Mapping[Place, tuple[str, ...]] = MappingProxyType(
    {
        Place.LOGITS: ("fused_loss", "shorter"),
        Place.ATTENTION: ("fused_attention", "shorter"),
        Place.OPTIMIZER: ("eight_bit", "smaller_model"),
        Place.BACKWARD: ("checkpointing", "smaller_batch"),
        Place.LOADING: ("smaller_model",),
        Place.GATHERING: ("sharded_state",),
        Place.CACHE: ("shorter",),
    }
)
VARIABLES = {
    Program.HIP: "PYTORCH_HIP_ALLOC_CONF",
    Program.NPU: "PYTORCH_NPU_ALLOC_CONF",
}
TOOLS = {
    Program.HIP: "rocm-smi --showpids",
    Program.XPU: "xpu-smi ps",
    Program.NPU: "npu-smi info",
    Program.TPU: "tpu-info",
}
VISIBLE = {
    Program.HIP: "HIP_VISIBLE_DEVICES",
    Program.XPU: "ZE_AFFINITY_MASK",
    Program.NPU: "ASCEND_RT_VISIBLE_DEVICES",
}


def steps_for(
    findings: Sequence[Finding],
    program: Program,
    message: OomMessage,
    place: Place | None = None,
    *,
    said: bool = False,
) -> tuple[Step, ...]:
    """The steps of all causes, the verdict's first, each once; not too many.

    What the place of a traceback calls for comes before what a full card does in general.
    `said`: what ran is known, and need not be asked for.
    """
    real = [one for one in findings if one.cause not in NOTES]
    keys = [key for one in real for key in _keys(one, program, message)]
    if place is not None and program in PYTORCH:
        general = [*STEPS[Cause.FULL], *STEPS[Cause.ONE_TENSOR]]
        first = next((n for n, key in enumerate(keys) if key in general), len(keys))
        keys[first:first] = AT[place]
    named = _named(real, program, message)
    once = [key for key in dict.fromkeys(keys) if key != SAY]
    asked = [SAY] if SAY in keys and not said else []
    return tuple(Step(key, named) for key in (*once[: MOST_STEPS - len(asked)], *asked))


def _keys(finding: Finding, program: Program, message: OomMessage) -> Iterator[str]:
    """The names of a cause's steps; those that need what is not said left out."""
    cause = finding.cause
    keys = OF_KIND.get((cause, finding.kind)) or OWN.get((cause, program)) or STEPS.get(cause, ())
    if cause is Cause.FRAGMENTED:
        keys = (_allocator(program, message), *keys[1:])
    if cause is Cause.OTHERS and "pid" in finding.values and program in PYTORCH:
        keys = ("see_process", *keys[1:])
    if cause is Cause.SHARE and _mostly_others(finding):
        keys = tuple(reversed(keys))
    for key in keys:
        if key == "max_model_len" and not finding.values.get("fits"):
            yield "max_model_len_half"
        elif key == "vllm_share" and not finding.values.get("fitting"):
            continue
        elif key in RAISES and message.counts.get("utilization", 0) >= MOST_SHARE:
            continue  # there is no more of the card to take
        else:
            yield key


def _mostly_others(finding: Finding) -> bool:
    """Whether others hold as much of a card as a server would leave: they are what is wrong."""
    others, total = finding.values["others_bytes"], finding.values["total_bytes"]
    return isinstance(others, int) and isinstance(total, int) and HALF * others > total


def _allocator(program: Program, message: OomMessage) -> str:
    """How memory in pieces is avoided: old releases of PyTorch have no segments that grow."""
    if program is Program.XPU:
        return "empty_cache"
    if {"reserved_total", "cached"} & set(message.figures) and program is Program.CUDA:
        return "split_size"
    return "segments_hip" if program is Program.HIP else "segments"


def _named(findings: Sequence[Finding], program: Program, message: OomMessage) -> Values:
    """All that sentences of steps name."""
    asked = int(message.counts.get("max_seq_len") or message.counts.get("kv_tokens") or 0)
    context = max(PAGE, (asked or USUAL_CONTEXT) // HALF)
    layers = int(message.counts.get("layers_offload") or message.counts.get("layers_model") or 0)
    values: dict[str, int | float | str] = {
        "variable": VARIABLES.get(program, "PYTORCH_CUDA_ALLOC_CONF"),
        "tool": TOOLS.get(program, "nvidia-smi"),
        "visible": VISIBLE.get(program, "CUDA_VISIBLE_DEVICES"),
        "other": 0 if message.counts.get("device") else 1,
        "context": context,
        "layers": max(1, layers // HALF) if layers else 20,
        "share": _raised(message, program),
        "lower": _lowered(message, program),
    }
    for finding in reversed(findings):
        values |= {key: value for key, value in finding.values.items() if key != "share"}
    return values


def _raised(message: OomMessage, program: Program) -> float:
    """The share to try where the cache was too small: what is missing more, within reason."""
    said = message.figures
    share = message.counts.get("utilization", USUAL_SHARE)
    missing = said.get("needed", 0) - said.get("available", 0)
    if said.get("total") and missing > 0:
        more = missing / said["total"]
        return min(MOST_SHARE, -(-(share + more) * HUNDRED // 1) / HUNDRED)
    if "utilization" not in message.counts:
        return USUAL_RAISED.get(program, MOST_SHARE)
    least = 0.0 if program is Program.SGLANG else USUAL_SHARE
    return round(min(MOST_SHARE, max(share + STEP, least)), 2)


def _lowered(message: OomMessage, program: Program) -> float:
    """The share to try where a server's step ran out beside its cache."""
    share = message.counts.get("utilization", USUAL_SHARE)
    if "utilization" not in message.counts and program in USUAL_LOWERED:
        return USUAL_LOWERED[program]
    return round(max(min(LEAST_SHARE, share), share - STEP), 2)
