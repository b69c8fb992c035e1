"""A published training row as a request: its settings, in the words of requests."""

from collections.abc import Mapping
from typing import Any

from estimator import load_catalog

FIELDS = (  # that mean the same in both
    *("method", "rank", "alpha", "targets", "adapter", "lora_dropout", "modules_to_save"),
    *("virtual_tokens", "variant", "weights", "bpw", "group_size", "compute", "autocast"),
    *("grads", "master", "kbit_prepare", "optimizer", "optimizer_in_backward", "batch", "seq"),
    *("accumulation", "checkpointing", "attention", "world", "strategy", "offload", "mp_policy"),
    *("outputs_kept", "framework", "compile", "objective", "tp", "pp", "cp", "ep"),
)
FLOATING = ("fp32", "bf16", "fp16")
LOSSES = ("stock", "stock_4", "fused_ce", "liger", "chunked", "cce")
OF_ADAPTERS = ("rank", "alpha", "targets", "adapter", "lora_dropout", "modules_to_save", "variant")
BESIDE_LINEARS = ("prompt", "prefix", "ptuning", "ln_tuning", "llama_adapter")
OF_LINEARS = ("rank", "alpha", "targets", "adapter", "lora_dropout")  # which those have not
FRAMEWORKS = {  # where a version decides: the row's name and how its version begins
    ("litgpt", "8641822"): "litgpt-2023",
}


def training_request(row: Mapping[str, Any]) -> dict[str, Any]:
    """The request document of a row of `measured` whose task is training."""
    settings = row["settings"]
    known = {name: settings[name] for name in FIELDS if settings.get(name) is not None}
    request = {"task": "train"} | known | _model(row, settings)
    request["framework"] = _framework(settings)
    if settings.get("gpu"):
        request["gpus"] = [{"id": settings["gpu"], "count": settings.get("world") or 1}]
    if request.get("loss") is None and settings.get("loss") in LOSSES:
        request["loss"] = settings["loss"]
    if settings.get("states") in FLOATING:
        request["states"] = settings["states"]
    if request.get("method") == "full":
        request = {name: value for name, value in request.items() if name not in OF_ADAPTERS}
    elif request.get("method") in BESIDE_LINEARS:
        request = {n: value for n, value in request.items() if n not in OF_LINEARS}
    if request.get("method") != "llama_adapter":  # elsewhere it is a name for people
        request.pop("variant", None)
    if request.get("method") not in (None, "full"):
        request.pop("master", None)
    return {name: value for name, value in request.items() if value is not None}


def _model(row: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The model by name, or the row's own numbers as a config.json has them."""
    if settings.get("model_source") != "arch":
        return {"model": settings.get("base_model") or settings["model"]}
    arch = row["arch"]
    names = {
        "hidden": "hidden_size",
        "layers": "num_hidden_layers",
        "heads": "num_attention_heads",
        "kv_heads": "num_key_value_heads",
        "head_dim": "head_dim",
        "intermediate": "intermediate_size",
        "vocab": "vocab_size",
        "tied": "tie_word_embeddings",
    }
    config = {names[name]: value for name, value in arch.items() if name in names and value}
    return {"architecture": {"model_type": "llama"} | config}


def _framework(settings: Mapping[str, Any]) -> str:
    name = str(settings.get("framework") or "transformers")
    version = str(settings.get("framework_version") or "")
    for (known, begins), found in FRAMEWORKS.items():
        if name == known and version.startswith(begins):
            return found
    # a program without a row of its own trains with transformers' modules
    return name if load_catalog().frameworks.get(name) else "transformers"
