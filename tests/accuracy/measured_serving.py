"""A published row of inference → the request that asks for it."""

from collections.abc import Mapping
from typing import Any

from estimator import load_catalog

Row = Mapping[str, Any]

FP6_BITS = 6.0  # torchao's own six-bit floats, which SETTINGS has no word for
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
    if settings.get("double_quant") and not str(found.get("weights")).endswith("_dq"):
        found["weights"] += "_dq"
    if settings.get("weights") == "other" and settings.get("bpw") == FP6_BITS:
        found["weights"] = "fp6"
        del found["bpw"]
    card = card_of(settings)
    if card is not None:
        found["gpus"] = [{"id": card, "count": settings.get("world", 1)}]
    if settings.get("engine") == "autoawq":
        # examples/benchmark.py makes the cache for `n_generate` tokens, and starts it anew
        # where the prompt has filled it
        found["context"] = max(found["prompt"], found.pop("new_tokens"))
    return {"task": "infer", **model_of(row), **found}


def card_of(settings: Mapping[str, Any]) -> str | None:
    """The card, or the first of those that its name fits."""
    names = [settings["gpu"]] if "gpu" in settings else settings.get("gpu_candidates", ())
    return next((name for name in names if load_catalog().gpus.get(name)), None)


def model_of(row: Row) -> dict[str, Any]:
    """The model by name, or by its numbers where no table has it."""
    settings = row["settings"]
    if settings["model_source"] == "arch":
        return {"architecture": config_of(row["arch"])}
    return {"model": settings.get("base_model") or settings["model"]}


def config_of(arch: Mapping[str, Any]) -> dict[str, Any]:
    """The published numbers as a config.json of a plain decoder.

    `positions`, where they are given: the longest sequence that the model was made for.
    """
    longest = {"max_position_embeddings": arch["positions"]} if "positions" in arch else {}
    return longest | {
        "model_type": arch.get("family", "llama"),
        "hidden_size": arch["hidden"],
        "num_hidden_layers": arch["layers"],
        "num_attention_heads": arch["heads"],
        "num_key_value_heads": arch.get("kv_heads") or arch["heads"],
        "head_dim": arch.get("head_dim") or arch["hidden"] // arch["heads"],
        "intermediate_size": arch["intermediate"],
        "vocab_size": arch["vocab"],
        "tie_word_embeddings": bool(arch.get("tied")),
    }
