"""What stands before a pasted command: the container it runs in, what its environment is set to."""

import re
from collections.abc import Callable

from bot.compiled import compiled

HINTS = ("docker", "podman", "=")  # one of them is there
_DOCKER = compiled(r"(?<!\S)(?:sudo\s+)?(?:docker|podman)\s+run(?!\S)", re.IGNORECASE)
_IMAGE = compiled(
    r"(?<!\S)(?<!--name )(?:[\w.-]+(?::\d+)?/)*"
    r"(?P<engine>vllm-openai|vllm|sglang|llama\.cpp|ollama|tensorrt-llm(?:/release)?)"
    r"(?::(?P<tag>[\w.-]+))?(?:@sha256:\w+)?(?!\S)",
    re.IGNORECASE,
)
_PROGRAMS = {
    "vllm-openai": "vllm serve",
    "vllm": "vllm serve",
    "sglang": "sglang",
    "llama.cpp": "llama-server",
    "ollama": "ollama serve",
    "tensorrt-llm": "trtllm-serve",
    "tensorrt-llm/release": "trtllm-serve",
}
_NAMES = {"llama-server": "llama.cpp", "trtllm-serve": "tensorrt-llm"}
_VERSION = compiled(r"v?(\d+\.\d+(?:\.\d+)?)(?!\d)|(?:.*-)?(b\d{4,})")
_INSIDE = compiled(
    r"(?<!\S)(?:&&\s*)?(?:sudo\s+)?(?:docker|podman)\s+(?:compose\s+)?exec\s+(?:-\S+\s+)*\S+",
    re.IGNORECASE,
)
_ENGINE_SETTING = compiled(r"(?<![\w-])OLLAMA_\w+=\S+")
# Which cards are seen is no count of them: a line names its cards by itself.
_ENVIRONMENT = compiled(
    r"(?<!\S)(?:export\s+)?(?:(?:CUDA|HIP|ROCR|NVIDIA|ZE)_VISIBLE_DEVICES"
    r"|PYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF|TOKENIZERS_PARALLELISM|OMP_NUM_THREADS"
    r"|(?:NCCL|HF|VLLM|CUDA|HUGGING_FACE|SGLANG|SGL|TORCH|TRITON|GGML|RAY|WANDB|HSA|MKL|TRANSFORMERS)"
    r"_\w+)=(?:\"[^\"]*\"|'[^']*'|\S*)(?:\s*(?:&&|;))?"
)


def take_surroundings(text: str, aside: Callable[[str], None]) -> str:
    """`text` without its container and environment, which are noted; an image says the engine."""

    def take(match: re.Match[str]) -> str:
        aside(match[0])
        return " , "

    if not any(hint in text.casefold() for hint in HINTS):
        return text
    text = _INSIDE.sub(" , ", text)
    return _ENVIRONMENT.sub(take, _without_container(text, aside))


def _without_container(text: str, aside: Callable[[str], None]) -> str:
    start = _DOCKER.search(text)
    image = None if start is None else _IMAGE.search(text, start.end())
    if start is None or image is None:
        return text
    aside(f"{start[0]} … {image[0]}")
    program = _PROGRAMS[image["engine"].casefold()]
    kept = _ENGINE_SETTING.findall(text[start.end() : image.start()])
    version = _VERSION.match(image["tag"] or "")
    if version is not None:
        engine = _NAMES.get(program, program.split()[0])
        kept.append(f"{engine} {version[1] or version[2]}")
    said = "".join(f"{words} , " for words in kept)
    return f"{text[: start.start()]} {program} , {said}{text[image.end() :]}"
