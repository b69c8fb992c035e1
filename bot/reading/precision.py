"""Words for number formats → weights, compute and method, once the task is known.

`4bit` is QLoRA in training and a 4-bit checkpoint in serving; `bf16` beside a packed
format is what it is computed in; `pure` leaves out the fp32 master.
"""

from collections.abc import Callable
from typing import Any

from bot.reading.facts import Fact, Said

Fields = dict[str, Any]
Conflict = Callable[[list[Fact]], None]

ADAPTERS = ("lora", "rslora", "dora", "qlora")
FULL_LIKE = ("galore", "apollo", "lomo", "badam", "lisa", "freeze")
PLAIN = ("fp32", "bf16", "fp16")
LOCAL = ("llama.cpp", "ollama")
BITS = {"4bit": "int4", "8bit": "int8"}
PROJECTED = ("galore", "galore_adamw", "apollo")
BIT_FIELDS = ("precision", "optimizer_kind")
LOCAL_BITS = {"4bit": "gguf:Q4_K_M", "8bit": "gguf:Q8_0"}
GGUF = "gguf:Q4_K_M"  # the usual file, where `gguf` alone is said
CACHES = ("kv", "kv_k", "kv_v")
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
    packed = _packed(said, words)
    plain = [fact for fact in said.all_of("precision") if fact.value in PLAIN]
    if len(packed) > 1:
        conflict(packed)
    if len(plain) > 1 and not (fields.get("autocast") or "mixed" in words):
        conflict(plain)
    if packed:
        fields["weights"] = str(packed[0].value)
    elif "gguf" in words:
        fields["weights"] = GGUF
    elif "bpw" in fields:
        fields["weights"] = "exl2"
    projected = [f for f in said.facts if f.value in PROJECTED]
    bits = [f for f in said.facts if f.field in BIT_FIELDS and f.value in BITS]
    if projected and bits:
        conflict([projected[0], bits[0]])  # such optimizers with packed states are not known
        words = [word for word in words if word not in BITS]
    if fields.get("task") == "train":
        _bits_in_training(fields, words)
        _plain_in_training(fields, plain, words, said, conflict)
    else:
        _in_serving(fields, plain, words, packed, conflict)


def _packed(said: Said, words: list[str]) -> list[Fact]:
    """The formats named; `nf4 double quant` is one, and so is `gptq 4bit`."""
    packed = said.all_of("weights")
    if {str(fact.value) for fact in packed} == {"nf4", "nf4_dq"}:
        return [fact for fact in packed if fact.value == "nf4_dq"]
    if {str(fact.value) for fact in packed} == {"gptq4", "gptq8"} and "8bit" in words:
        return [fact for fact in packed if fact.value == "gptq8"]
    return packed


def _bits_in_training(fields: Fields, words: list[str]) -> None:
    method = fields.get("method")
    if "4bit" in words and "weights" not in fields:
        if method in (None, "lora"):
            fields["method"] = "qlora"
        elif method != "qlora":
            fields["weights"] = "nf4"
    if "8bit" in words and "weights" not in fields and not _is_paged_adam(fields):
        fields["weights"] = "int8"
        fields.setdefault("method", "lora")
    if fields.get("weights") in ("nf4", "nf4_dq") and fields.get("method") in (None, "lora"):
        fields["method"] = "qlora"


def _is_paged_adam(fields: Fields) -> bool:
    """`paged adam, 8 bit`: the bits are the optimizer's."""
    return fields.get("optimizer") == "paged_adamw_8bit"


def _plain_in_training(
    fields: Fields, plain: list[Fact], words: list[str], said: Said, conflict: Conflict
) -> None:
    method, names = fields.get("method"), [str(fact.value) for fact in plain]
    if plain and ("weights" in fields or method == "qlora"):
        fields.setdefault("compute", names[0])
    elif plain:
        fields["weights"] = "fp32" if len(plain) > 1 and "fp32" in names else names[0]
    if "pure" in words:
        if fields.get("master") == "fp32":
            conflict([*said.all_of("master"), _said_pure(said)])
        fields["master"] = "none"
        if method not in ADAPTERS:
            fields.setdefault("weights", "bf16")
    elif "mixed" in words and fields.get("method") not in ADAPTERS:
        if fields.get("weights") == "fp32":
            fields["autocast"] = True
        else:
            fields["master"] = "fp32"


def _said_pure(said: Said) -> Fact:
    typed = next(fact.text for fact in said.all_of("precision") if fact.value == "pure")
    return Fact("master", "none", typed)


def _in_serving(
    fields: Fields, plain: list[Fact], words: list[str], packed: list[Fact], conflict: Conflict
) -> None:
    bits = next((word for word in words if word in BITS), None)
    if packed and str(packed[0].value).startswith("gguf:") and plain:
        conflict([packed[0], plain[0]])
    elif packed and plain:
        fields.setdefault("compute", str(plain[0].value))
    elif "weights" not in fields and bits is not None:
        fields["weights"] = (LOCAL_BITS if fields.get("engine") in LOCAL else BITS)[bits]
    elif "weights" not in fields and plain:
        fields["weights"] = str(plain[0].value)
    for name in CACHES:
        kind = fields.get(name)
        if isinstance(kind, str):
            fields[name] = KV_TYPES.get(kind, kind.removeprefix("gguf:"))
