"""Words for number formats → weights, compute and method, once the task is known.

`4bit` is QLoRA in training and a 4-bit checkpoint in serving; `bf16` beside a packed
format is what it is computed in; `pure` leaves out the fp32 master.
"""

from collections.abc import Callable
from typing import Any

from bot.reading.facts import Fact, NotUnderstoodError, Said

Fields = dict[str, Any]
Conflict = Callable[[list[Fact]], NotUnderstoodError]

ADAPTERS = ("lora", "rslora", "dora", "qlora")
FULL_LIKE = ("galore", "apollo", "lomo", "badam", "lisa", "freeze")
PLAIN = ("fp32", "bf16", "fp16")
LOCAL = ("llama.cpp", "ollama")
BITS = {"4bit": "int4", "8bit": "int8"}
LOCAL_BITS = {"4bit": "gguf:Q4_K_M", "8bit": "gguf:Q8_0"}
KV_TYPES = {  # a cache's type from the word for a weights' format
    "gguf:Q4_K_M": "Q4_0",
    "gguf:Q5_K_M": "Q5_1",
    "gguf:Q8_0": "Q8_0",
    "4bit": "Q4_0",
    "8bit": "Q8_0",
}


def settle_precision(fields: Fields, said: Said, conflict: Conflict) -> None:
    """Fill in `weights`, `compute`, `master`, `kv`, and a method that they imply."""
    words = [str(fact.value) for fact in said.all_of("precision")]
    packed = said.all_of("weights")
    plain = [fact for fact in said.all_of("precision") if fact.value in PLAIN]
    if len(packed) > 1 and {str(fact.value) for fact in packed} != {"nf4", "nf4_dq"}:
        raise conflict(packed)
    if len(plain) > 1 and not (fields.get("autocast") or "mixed" in words):
        raise conflict(plain)
    if packed:
        fields["weights"] = str(packed[-1].value)
    if fields.get("task") == "train":
        _bits_in_training(fields, words)
        _plain_in_training(fields, [str(fact.value) for fact in plain], words)
    else:
        _in_serving(fields, plain, words, packed, conflict)


def _bits_in_training(fields: Fields, words: list[str]) -> None:
    method = fields.get("method")
    if "4bit" in words and "weights" not in fields:
        if method in (None, "lora"):
            fields["method"] = "qlora"
        elif method != "qlora":
            fields["weights"] = "nf4"
    if "8bit" in words and "weights" not in fields and method not in FULL_LIKE:
        fields["weights"] = "int8"
        fields.setdefault("method", "lora")
    if fields.get("weights") in ("nf4", "nf4_dq") and fields.get("method") in (None, "lora"):
        fields["method"] = "qlora"


def _plain_in_training(fields: Fields, plain: list[str], words: list[str]) -> None:
    method = fields.get("method")
    if plain and ("weights" in fields or method == "qlora"):
        fields["compute"] = plain[0]
    elif plain:
        fields["weights"] = "fp32" if len(plain) > 1 and "fp32" in plain else plain[0]
    if "pure" in words:
        fields["master"] = "none"
        fields.setdefault("weights", "bf16")
    elif "mixed" in words and method not in ADAPTERS:
        if fields.get("weights") == "fp32":
            fields["autocast"] = True
        else:
            fields["master"] = "fp32"


def _in_serving(
    fields: Fields, plain: list[Fact], words: list[str], packed: list[Fact], conflict: Conflict
) -> None:
    bits = next((word for word in words if word in BITS), None)
    if packed and str(packed[0].value).startswith("gguf:") and plain:
        raise conflict([packed[0], plain[0]])
    if packed and plain:
        fields["compute"] = str(plain[0].value)
    elif not packed and bits is not None:
        fields["weights"] = (LOCAL_BITS if fields.get("engine") in LOCAL else BITS)[bits]
    elif not packed and plain:
        fields["weights"] = str(plain[0].value)
    kv = fields.get("kv")
    if isinstance(kv, str):
        fields["kv"] = KV_TYPES.get(kv, kv.removeprefix("gguf:"))
