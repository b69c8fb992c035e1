"""Fields of a request → the canonical line that says them, to be typed again.

Reading that line gives the same fields. Fields that a line cannot say are left out
of it; `unsaid` names them.
"""

from collections.abc import Mapping
from typing import Any

from estimator import GB

NUMBERS = {
    "rank": "r={}",
    "alpha": "alpha {}",
    "lora_dropout": "dropout {}",
    "batch": "bs {}",
    "seq": "seq {}",
    "accumulation": "accum {}",
    "users": "{} users",
    "context": "ctx {}",
    "prompt": "prompt {}",
    "new_tokens": "new tokens {}",
    "tp": "tp {}",
    "pp": "pp {}",
    "cp": "cp {}",
    "ep": "ep {}",
    "gpu_layers": "ngl {}",
    "bpw": "{} bpw",
}
WORDS = {
    "checkpointing": {
        "none": "no checkpointing",
        "full": "grad ckpt",
        "every_2": "checkpoint every 2",
        "selective": "selective checkpointing",
        "unsloth": "unsloth checkpointing",
        "offloaded": "checkpointing offloaded",
    },
    "loss": {
        "stock_4": "transformers 4",
        "fused_ce": "fused ce",
        "cce": "cut cross entropy",
        "chunked": "chunked loss",
        "liger": "liger",
        "stock": "",
    },
    "offload": {
        "both": "cpu offload",
        "optimizer": "optimizer offload",
        "params": "offload params",
        "none": "",
        "activations": "offload activations",
    },
    "targets": {"all-linear": "all-linear", "attention": "attention only"},
    "master": {"none": "pure bf16", "fp32": ""},
    "method": {
        "lora_fa": "lora fa",
        "prompt": "prompt tuning",
        "prefix": "prefix tuning",
        "ptuning": "p tuning",
        "ln_tuning": "ln tuning",
        "llama_adapter": "llama adapter",
    },
}
FLAGS = {
    "autocast": ("autocast", "no autocast"),
    "kbit_prepare": ("kbit prepare", "no kbit prepare"),
    "packing": ("packing", ""),
    "outputs_kept": ("keep outputs", ""),
    "optimizer_in_backward": ("optimizer in backward", ""),
}


def write_line(fields: Mapping[str, Any]) -> str:
    """The line for `fields`: task, model, method, optimizer, precision, numbers, cards."""
    parts = [str(fields[name]) for name in ("task", "model") if fields.get(name)]
    parts += [_word(name, fields[name]) for name in ("method",) if fields.get(name)]
    parts += [_precision(fields)]
    parts += [str(fields[name]) for name in ("optimizer", "engine") if fields.get(name)]
    for name in (
        "targets",
        "checkpointing",
        "attention",
        "loss",
        "objective",
        "strategy",
        "offload",
    ):
        if fields.get(name):
            parts.append(_word(name, fields[name]))
    parts += [
        shape.format(_plain(fields[name])) for name, shape in NUMBERS.items() if fields.get(name)
    ]
    parts += [
        words[0] if fields[name] else words[1]
        for name, words in FLAGS.items()
        if fields.get(name) is not None
    ]
    parts += _rest(fields)
    return " ".join(part for part in parts if part)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _word(name: str, value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return WORDS.get(name, {}).get(str(value), str(value))


def _precision(fields: Mapping[str, Any]) -> str:
    weights = str(fields.get("weights") or "").removeprefix("gguf:")
    compute = str(fields.get("compute") or "")
    if fields.get("master") == "none":
        return "pure " + (weights if weights in ("bf16", "fp16") else "bf16")
    return " ".join(part for part in (weights, compute if compute != weights else "") if part)


def _rest(fields: Mapping[str, Any]) -> list[str]:
    parts = []
    if fields.get("adapter") == "bf16":
        parts.append("bf16 adapters")
    if fields.get("kv"):
        parts.append(f"kv {fields['kv']}")
    if fields.get("rule_bytes_per_parameter"):
        parts.append(f"{_plain(fields['rule_bytes_per_parameter'])} bytes per parameter")
    if fields.get("rule_activation_bytes"):
        parts.append(f"activations {_gigabytes(fields['rule_activation_bytes'])}")
    cards = fields.get("gpus") or ()
    for card in cards:
        name = (
            str(card["id"]).removeprefix("class-").upper()
            if str(card["id"]).startswith("class-")
            else card["id"]
        )
        parts.append(f"{card['count']}x {name}" if card["count"] > 1 else str(name))
    if fields.get("world") and not cards:
        parts.append(f"{fields['world']} gpus")
    return parts


def _gigabytes(amount: int) -> str:
    return f"{amount / GB:g}GB"
