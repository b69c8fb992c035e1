"""A published row of inference → the request that asks for it."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]

AS_SAID = (
    *("weights", "group_size", "bpw", "compute", "attention", "world", "strategy", "tp"),
    *("engine", "engine_version", "prompt", "new_tokens", "context", "users"),
    *(
        "kv",
        "kv_k",
        "kv_v",
        "gpu_layers",
        "ubatch",
        "kv_layout",
        "prefill_logits",
        "mask",
        "activations",
    ),
    *("max_model_len", "utilization"),
)


def serving_request(row: Row) -> dict[str, Any]:
    """The row's settings in a request's words."""
    settings = row["settings"]
    found = {name: settings[name] for name in AS_SAID if settings.get(name) is not None}
    if settings.get("engine") == "autoawq":
        # examples/benchmark.py makes the cache for `n_generate` tokens, and starts it anew
        # where the prompt has filled it
        found["context"] = max(found["prompt"], found.pop("new_tokens"))
    return {"task": "infer", **model_of(row), **found}


def model_of(row: Row) -> dict[str, Any]:
    """The model by name, or by its numbers where no table has it."""
    settings = row["settings"]
    if settings["model_source"] == "arch":
        return {"architecture": config_of(row["arch"])}
    return {"model": settings.get("base_model") or settings["model"]}


def config_of(arch: Mapping[str, Any]) -> dict[str, Any]:
    """The published numbers as a config.json of a plain decoder."""
    return {
        "model_type": "llama",
        "hidden_size": arch["hidden"],
        "num_hidden_layers": arch["layers"],
        "num_attention_heads": arch["heads"],
        "num_key_value_heads": arch.get("kv_heads") or arch["heads"],
        "head_dim": arch.get("head_dim") or arch["hidden"] // arch["heads"],
        "intermediate_size": arch["intermediate"],
        "vocab_size": arch["vocab"],
        "tie_word_embeddings": bool(arch.get("tied")),
    }
