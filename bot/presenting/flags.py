"""A way of the estimator's as the flags and settings of the program that ran."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bot.diagnosis.diagnosis import Program
from estimator import Way

TRAINER = MappingProxyType(  # of transformers' Trainer and TRL
    {
        "batch": "per_device_train_batch_size={}",
        "accumulation": "gradient_accumulation_steps={}",
        "seq": "max_length={}",
        "rank": "r={}",
        "checkpointing=full": "gradient_checkpointing=True",
        "loss=liger": "use_liger_kernel=True",
        "attention=flash": 'attn_implementation="flash_attention_2"',
        "attention=sdpa": 'attn_implementation="sdpa"',
        "optimizer=adamw_8bit": 'optim="adamw_bnb_8bit"',
        "optimizer=paged_adamw_8bit": 'optim="paged_adamw_8bit"',
        "optimizer=adamw_fused": 'optim="adamw_torch_fused"',
        "method=qlora": "load_in_4bit=True",
    }
)
FLAGS: Mapping[Program, Mapping[str, str]] = MappingProxyType(
    {
        Program.CUDA: TRAINER,
        Program.HIP: TRAINER,
        Program.XPU: TRAINER,
        Program.NPU: TRAINER,
        Program.MPS: TRAINER,
        Program.VLLM: {
            "context": "--max-model-len {}",
            "kv=fp8": "--kv-cache-dtype fp8",
            "max_num_seqs": "--max-num-seqs {}",
            "max_batched_tokens": "--max-num-batched-tokens {}",
            "tp": "--tensor-parallel-size {}",
        },
        Program.SGLANG: {
            "context": "--context-length {}",
            "max_batched_tokens": "--chunked-prefill-size {}",
            "max_num_seqs": "--max-running-requests {}",
            "tp": "--tp {}",
        },
        Program.LLAMA_CPP: {
            "gpu_layers": "-ngl {}",
            "cpu_moe_layers": "--n-cpu-moe {}",
            "context": "-c {}",
            "ubatch": "-ub {}",
            "kv=Q8_0": "-fa on -ctk q8_0 -ctv q8_0",
            "kv=Q4_0": "-fa on -ctk q4_0 -ctv q4_0",
        },
        Program.OLLAMA: {
            "gpu_layers": "num_gpu {}",
            "context": "num_ctx {}",
            "users": "OLLAMA_NUM_PARALLEL={}",
            "kv=Q8_0": "OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0",
            "kv=Q4_0": "OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q4_0",
        },
    }
)


def flags_of(way: Way, program: Program) -> str:
    """`-ngl 42`, `batch=1`: the changes that the program has a word for; nothing for none."""
    return " ".join(_flags(way.fields, FLAGS.get(program, {})))


def _flags(fields: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[str]:
    for name, value in fields.items():
        if f"{name}={value}" in words:
            yield words[f"{name}={value}"]
        elif name in words and value is not None:
            yield words[name].format(value)
