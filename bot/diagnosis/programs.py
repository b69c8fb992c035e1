"""Which program a message is of: its kind says so, or a name in the text around it."""

import re

from bot.compiled import compiled
from bot.diagnosis.diagnosis import Program
from bot.reading.oom.message import OomKind
from bot.reading.oom.xla import TPU

BY_KIND = {
    OomKind.CUDA: Program.CUDA,
    OomKind.HIP: Program.HIP,
    OomKind.MPS: Program.MPS,
    OomKind.XPU: Program.XPU,
    OomKind.NPU: Program.NPU,
    OomKind.METAL: Program.MLX,
    OomKind.TENSORFLOW: Program.TENSORFLOW,
    OomKind.BITSANDBYTES: Program.CUDA,
    OomKind.XLA: Program.JAX,
    OomKind.CUBLAS_ALLOC: Program.CUDA,
    OomKind.CUBLAS_INIT: Program.CUDA,
    OomKind.PLACEMENT: Program.CUDA,
    OomKind.BLOCK_SIZE: Program.XPU,
    OomKind.VLLM_KV_TOO_SMALL: Program.VLLM,
    OomKind.VLLM_NO_KV: Program.VLLM,
    OomKind.VLLM_STARTUP: Program.VLLM,
    OomKind.VLLM_SAMPLER: Program.VLLM,
    OomKind.SGLANG_NO_KV: Program.SGLANG,
    OomKind.SGLANG_NEGATIVE_KV: Program.SGLANG,
    OomKind.TGI_PREFILL: Program.TGI,
    OomKind.TGI_TOTAL: Program.TGI,
    OomKind.TENSORRT_LLM: Program.TENSORRT_LLM,
    OomKind.EXLLAMA: Program.EXLLAMA,
    OomKind.LLAMA_CPP_WEIGHTS: Program.LLAMA_CPP,
    OomKind.LLAMA_CPP_KV: Program.LLAMA_CPP,
    OomKind.LLAMA_CPP_COMPUTE: Program.LLAMA_CPP,
    OomKind.LLAMA_CPP_PINNED: Program.LLAMA_CPP,
    OomKind.LLAMA_CPP_FIT: Program.LLAMA_CPP,
    OomKind.OLLAMA_SYSTEM: Program.OLLAMA,
    OomKind.GUARDRAIL: Program.LM_STUDIO,
}
# Names that say more than the kind, which many programs share.
NAMED = (
    (compiled(r"\bollama\b|\bllama runner\b|\bnum_gpu\b", re.IGNORECASE), Program.OLLAMA),
    (compiled(r"\bsglang|\bCapture cuda graph failed", re.IGNORECASE), Program.SGLANG),
    (compiled(r"\bvllm|\bEngineCore", re.IGNORECASE), Program.VLLM),
    (compiled(r"(?i:\bllama[_. -]?cpp\b)|\bggml|\bllama_|\bload_tensors\b"), Program.LLAMA_CPP),
    (
        compiled(r"\bmlx\b|metal::malloc|allowed buffer size|recommended size", re.IGNORECASE),
        Program.MLX,
    ),
    (compiled(r"Invalid buffer size|\bMPS\b"), Program.MPS),
    (compiled(r"TensorRT-LLM|TRT-LLM"), Program.TENSORRT_LLM),
    (compiled(r"text[-_]generation|\bTGI\b|router/src/|\bwarmup model\b"), Program.TGI),
    (compiled(r"guardrails?\b"), Program.LM_STUDIO),
    (
        compiled(
            r"DriverError|\bmistralrs|\bcandle\b|onnxruntime|ctranslate2|cupy|\bpaddle|lmdeploy"
            r"|\btvm\b|sum of model weight size|does not fit on the devices|\bVK_ERROR",
            re.IGNORECASE,
        ),
        Program.OTHER,
    ),
)
SHARED = (
    *(OomKind.CUDA, OomKind.HIP, OomKind.METAL, OomKind.INFO, OomKind.HOST_RAM),
    *(OomKind.LLAMA_CPP_WEIGHTS, OomKind.LLAMA_CPP_KV, OomKind.LLAMA_CPP_COMPUTE),
    *(OomKind.LLAMA_CPP_PINNED, OomKind.LLAMA_CPP_FIT, OomKind.BLOCK_SIZE, OomKind.GUARDRAIL),
    OomKind.PLACEMENT,
)  # kinds that several programs print
MOST_TEXT = 20_000  # characters that are looked through


def program_of(kind: OomKind, text: str = "", backend: str = "") -> Program:
    """The program of a message; of a kind that several share, by what `text` names."""
    if backend == TPU:
        return Program.TPU
    if kind in SHARED:
        for name, program in NAMED:
            if name.search(text[:MOST_TEXT]):
                return program
    return BY_KIND.get(kind, Program.OTHER)
