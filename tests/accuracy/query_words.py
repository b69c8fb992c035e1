"""The words that rows of questions use, in the words of a request."""

import re

FORMATS = {
    "awq": "awq4", "gptq": "gptq4", "gptqint4": "gptq4", "gptqint8": "gptq8", "gptq4bit": "gptq4",
    "nf4dq": "nf4", "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "f16": "fp16",
    "half": "fp16", "float16": "fp16", "fp32": "fp32", "float32": "fp32", "f32": "fp32",
    "int8": "int8", "8bit": "int8", "bnb8bit": "int8", "bnb4bit": "nf4", "hqq": "hqq4",
    "ggufbf16": "bf16", "gguff16": "fp16", "gguff32": "fp32",
}  # fmt: skip
OPTIMIZERS = {
    "adam": "adamw", "adamw_torch": "adamw", "adamw_hf": "adamw", "adam_8bit": "adamw_8bit",
    "adamw_bnb_8bit": "adamw_8bit", "adamw_torch_fused": "adamw_fused",
    "paged_adamw_32bit": "paged_adamw", "galore": "galore_adamw",
    "adamw_foreach": "adamw",  # what `adamw_torch` is
    "galore_galore_adamw": "galore_adamw", "8bit_adam": "adamw_8bit",
}  # fmt: skip
ENGINES = {"trtllm": "tensorrt_llm", "tensorrtllm": "tensorrt_llm", "llamacpp": "llama.cpp",
           "hf": "transformers", "exllama": "exllamav2", "lmstudio": "llama.cpp"}  # fmt: skip
KERNELS = {"flash_attention_2": "flash", "flash_attention": "flash", "fa2": "flash",
           "flash_attn": "flash", "no_flash": "eager", "xformers": "sdpa"}  # fmt: skip
OFF = ("none", "false", "no", "0", "")
GGUF = re.compile(r"(?:gguf:)?((?:ud-)?i?q\d\w*|tq\d\w*|mxfp4(?:_moe)?)", re.IGNORECASE)


def number_format(word: str) -> str:
    """`Q4_K_M` and `gguf:Q4_K_M` are one, as are `awq` and `awq4`."""
    gguf = GGUF.fullmatch(word.strip())
    if gguf is not None:
        return gguf[1].upper().removesuffix("_MOE")  # as files of such weights are called
    plain = re.sub(r"[\s_\-:]+", "", word.casefold())
    return FORMATS.get(plain, plain)


def optimizer(word: str) -> str:
    plain = re.sub(r"[\s\-]+", "_", word.casefold())
    return OPTIMIZERS.get(plain, plain)


def engine(word: str) -> str:
    plain = re.sub(r"[\s_\-.]+", "", word.casefold())
    return ENGINES.get(plain, plain if plain.isalpha() else word)


def attention(word: str) -> str:
    return KERNELS.get(word, word)


def objective(word: str) -> str:
    return {"reward_model": "reward", "distillation": "distill"}.get(word, word)


def targets(word: str) -> str:
    return word.replace("_", "-")


def is_on(word: str) -> bool:
    """Whether a switch is on: anything recomputed, anything left to the host."""
    return word.casefold() not in OFF
