"""What words of a paste mean in one program alone: names in two flags, its own recomputing.

Xinference names a model by a family and a size, Megatron recomputes no more than attention, and
what is divided within layers has no code of its own in the estimate but Megatron's.
"""

import re

from bot.compiled import compiled
from bot.reading.pasting.words import Words

ADAPTERS = ("lora", "dora", "rslora", "qlora", "ia3", "adalora", "p tuning", "prompt tuning")
SELECTIVE = "selective checkpointing"
_BITS = compiled(r"(?:int)?(\d)(?:-?bits?)?", re.IGNORECASE)
_QUANT = compiled(r"(?:i?q\d|ud-|tq\d|mxfp4|f16|bf16)\w*", re.IGNORECASE)
_PACKED = compiled(r"/[\w.-]*[-_][2-8]-?bit(?![a-z])", re.IGNORECASE)  # a model's name
_DIVIDED = compiled(r"^(?:tp|pp|cp|ep) (?!1$)")


def settle_programs(words: Words) -> list[tuple[str, str]]:
    """Sentences with their words, of what stands in for what has no estimate."""
    _name(words)
    if "mlx" in words and "lora" in words and any(_PACKED.search(word) for word in words.whole()):
        words.swap("lora", "qlora")  # as mlx_lm does with a base that is quantized
    remarks: list[tuple[str, str]] = []
    divided = any(_DIVIDED.match(word) for word in words.whole())
    megatron = "framework megatron" in words
    if SELECTIVE in words and megatron:  # of attention, which flash keeps nothing of
        words.swap(SELECTIVE, "no checkpointing")
        remarks.append(("of_attention", "selective recompute"))
    elif SELECTIVE in words and words.any_begins("tp ") and "tp 1" not in words:
        words.swap(SELECTIVE, "no checkpointing")
        remarks.append(("unselected", SELECTIVE))
    if divided and not megatron:
        words.drop(lambda word: word.startswith("framework "))
    if megatron and words.all_of(ADAPTERS):
        words.drop_all(["framework megatron"])
    return remarks


def _name(words: Words) -> None:
    """A model by its family and its size, its format by a kind and bits or a file's type."""
    named = words.own.get("named", "")
    size = words.own.get("billions", "").replace("_", ".")
    if named:
        words.add(f"{named} {size}B" if size else named)
    kind, level = words.own.get("packed", "").casefold(), words.own.get("level", "")
    bits = _BITS.fullmatch(level)
    if _QUANT.fullmatch(level):
        words.add(level)
    elif kind in ("gptq", "awq", "fp8"):
        words.add(f"{kind}{bits[1]}" if bits and kind == "gptq" else kind)
    elif bits is not None and kind != "mlx":
        words.add("nf4" if bits[1] == "4" else "int8")
    elif kind == "mlx" and bits is not None:
        words.add(f"mlx {bits[1]}bit")
