"""Fields as reading says them: what a line says in another way, in that way."""

from typing import Any

PLAIN = ("fp32", "bf16", "fp16")
ADAPTERS = ("lora", "rslora", "dora", "qlora")
OF_LORA = ("rank", "alpha", "lora_dropout", "adapter", "kbit_prepare", "targets",
           "modules_to_save")  # fmt: skip


def usual_training(fields: dict[str, Any]) -> dict[str, Any]:
    """`fields` without what the reader says in another way: `lora` on `nf4` is `qlora`."""
    if any(name in fields for name in OF_LORA) or fields.get("find") == "rank":
        fields.setdefault("method", "lora")
    if "teacher" in fields:
        fields.setdefault("objective", "distill")
    method, weights = fields.get("method"), fields.get("weights")
    if str(weights).startswith("mxfp4"):
        del fields["weights"]  # it is unpacked to train
    if weights in ("nf4", "nf4_dq") and method in (None, "lora"):
        fields["method"] = "qlora"
    if method == "qlora" and weights in PLAIN:
        del fields["weights"]
    if weights == "exl2":
        fields["bpw"] = 4.65
    if fields.get("master") == "none" and method not in ADAPTERS:
        fields.setdefault("weights", "bf16")
    if method in ("galore", "apollo", "lomo"):
        fields.pop("optimizer", None)
    if "engine_share" in fields:  # of what generates
        fields |= {"objective": "grpo", "engine": "vllm"}
        fields.pop("teacher", None)
    return counted(fields)


def usual_serving(fields: dict[str, Any]) -> dict[str, Any]:
    """`fields` where bits a weight say EXL2, a version is an engine's, a rank adapters'."""
    if "bpw" in fields:
        fields["weights"] = "exl2"
    if "engine_version" in fields or "utilization" in fields:
        fields.setdefault("engine", "vllm")
    if "rank" in fields:
        fields.setdefault("lora_adapters", 2)
    return counted(fields)


def counted(fields: dict[str, Any]) -> dict[str, Any]:
    """`fields` whose cards are counted, where they are split: one alone would be as many."""
    for card in fields.get("gpus", ()) if {"tp", "pp", "dp", "ep", "cp"} & set(fields) else ():
        card["count"] += 1
    return fields
