"""What of serving a press changes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.presses.candidates import BATCHES, LENGTHS, Candidate, named, numbers
from estimator import ServeSetup

WIDE = ("bf16", "fp8", "int8", "awq4", "gptq4", "nf4_dq")
GGUF = tuple(f"gguf:{one}" for one in ("Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K"))
CACHES_OF_GGUF = ("fp16", "Q8_0", "Q4_0")
CACHES = ("bf16", "fp16", "fp8")
ENGINES = ("vllm", "sglang", "tensorrt_llm", "transformers", "llama.cpp", "ollama", "mlx")


def of_how(setup: ServeSetup, names: Mapping[str, str]) -> Iterator[Candidate]:
    """Format of the weights, of the cache, engine."""
    weights = setup.numbers.format.id
    for one in named("weights", (*WIDE, *GGUF), weights, names):
        bits = setup.request.bpw if one.present else None
        yield replace(one, fields={**one.fields, "bpw": bits}) if bits else one
    packed = weights.startswith("gguf:")
    yield from named("kv", CACHES_OF_GGUF if packed else CACHES, setup.kv_k.id, names)
    yield from named("engine", ENGINES, setup.engine.id, names)


def of_size(setup: ServeSetup) -> Iterator[Candidate]:
    """Users, context; cards are offered beside."""
    yield from numbers("users", BATCHES, setup.users)
    yield from numbers("context", LENGTHS, setup.context, most=setup.shape.context)
