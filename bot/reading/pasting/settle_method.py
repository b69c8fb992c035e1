"""What words of a paste say of the method: objectives, losses, adapters, formats.

A file holds what its run does not use: the rank of adapters beside a full run, two methods of
which one is the other's kind. Here that is settled as the programs do.
"""

from bot.compiled import compiled
from bot.reading.pasting.tables import Program
from bot.reading.pasting.words import Words

METHODS = (  # the later is the earlier's kind
    *("full", "lora", "qlora", "rslora", "dora", "adalora", "ia3", "loha", "lokr", "oft", "boft"),
    *("vera", "prompt tuning", "prefix tuning", "p tuning", "llama adapter", "freeze", "galore"),
    *("apollo", "badam", "lisa"),
)
HELD_AS_THEY_ARE = ("galore", "apollo", "badam", "lisa")  # whose 16-bit weights have no master
SCORED = ("dpo", "grpo", "ppo", "reward model")
GENERATING = ("grpo", "ppo")
HEADS = ("liger", "cut cross entropy", "fused ce", "chunked loss")
OF_LABELS_ALONE = ("framework torchtune", "framework litgpt", "framework megatron")
PACKED = ("nf4 dq", "nf4", "fp4 dq", "fp4")
NARROW = (*PACKED, "4bit", "qlora")
WIDE = ("fp32", "fp16", "bf16", "pure bf16")
OF_ROLLOUTS = {
    "prompt": "prompt {}",
    "new": "new tokens {}",
    "generations": "generations {}",
    "share": "util {}",
}
_OF_ADAPTERS = compiled(r"^(?:r=|alpha |dropout |targets |modules to save |virtual tokens )")


def settle_objective(words: Words) -> tuple[list[tuple[str, str]], list[str]]:
    """(sentences with their words, what is not counted) of the objective and its loss.

    Losses on pairs without an estimate are DPO's. A head inside the loss is of one's own labels.
    """
    remarks: list[tuple[str, str]] = []
    for name in ("as_dpo", "no_reference"):
        if name in words.own:
            words.add("dpo", "precomputed reference" if name == "no_reference" else "")
            remarks.append((name, words.own[name]))
    if "grpo" in words:  # PPO's script with another estimate of advantages
        words.drop_all(["ppo"])
    if words.all_of(GENERATING):
        for name, shape in OF_ROLLOUTS.items():
            if name in words.own and not (name == "generations" and "ppo" in words):
                words.add(shape.format(words.own[name].split()[-1]))
        words.add("vllm" if "engine" in words.own and "alse" not in words.own["engine"] else "")
        if {"prompt", "new"} <= set(words.own):  # together they are the sequence
            words.drop(lambda word: word.startswith("seq "))
    if (
        "prompt" in words.own
        and not words.all_of(SCORED)
        and not {"new", "generations"} & set(words.own)
    ):
        words.add("dpo")  # of losses on pairs alone are prompts cut by themselves
    if words.all_of(SCORED) and (own := words.all_of(OF_LABELS_ALONE)):
        words.drop_all(own)
        remarks.append(("labels_alone", own[0].partition(" ")[2]))
    heads = words.all_of(HEADS) if words.all_of(SCORED) else []
    words.drop_all(heads)
    return remarks, heads


def settle_method(words: Words, program: Program, *, has_model: bool) -> None:
    """One method of all that are named, or the program's usual one."""
    if "lora" in words.own and not words.any_begins("r="):
        words.add("" if words.all_of(METHODS[1:]) else "lora", words.own["lora"])
    packed = words.all_of((*NARROW, "8bit"))
    named = [m for m in words.all_of(METHODS) if not (m == "full" and packed)]
    if "lora" in named and words.all_of(NARROW):
        words.swap("lora", "qlora")
        named[named.index("lora")] = "qlora"
    words.drop_all(method for method in METHODS if method not in named[-1:])
    whole = program.usual == "full"
    if program.usual and not named and has_model and not (whole and packed):
        words.add(program.usual)
    if "full" in words:
        words.drop(lambda word: _OF_ADAPTERS.match(word) is not None)
    if "targets all-linear" in words:
        words.drop(lambda word: word.startswith("targets ") and word != "targets all-linear")


def _packing(words: Words) -> str:
    """A packed format by who packed and the bits: `gptq` in 4, or bitsandbytes' own."""
    method, bits = words.own.get("quant", "").casefold(), words.count("bits")
    if method in ("gptq", "hqq"):
        return f"{method}{bits or 4}"
    if method in ("awq", "fp8", "mxfp4"):
        return method
    return f"{bits}bit" if bits in (4, 8) else ""


def settle_formats(words: Words, program: Program) -> None:
    """What weights are held in: packed ones in one format, others as wide as was said last."""
    if words.is_on("double"):
        for kind in ("nf4", "fp4"):
            words.swap(kind, f"{kind} dq")
    words.add(words.own.get("held", ""), _packing(words))
    twice = words.all_of(("4bit", "8bit"))
    words.swap("8bit", "int8")  # of the weights: an optimizer's `8bit` is its own
    if len(twice) > 1:
        words.swap("4bit", "nf4")
        return  # both cannot hold, and that is said
    if "int8" in words:
        words.drop_all(PACKED)
    elif words.all_of((*PACKED, "qlora")):
        words.drop_all(["4bit"])
    trains = "train" in program.says
    if trains and words.all_of((*NARROW, "int8")):
        computed = words.last_of(WIDE)
        words.drop_all(WIDE)
        if computed and not words.any_begins("compute "):
            words.add(f"compute {computed.removeprefix('pure ')}")
    wide = [word for word in words.whole() if word in WIDE]
    words.drop_all(wide[:-1])
    direct = words.own.get("held") == "bf16" or program.name == "axolotl"
    whole = "full" in words or (trains and not words.all_of(METHODS))
    if whole and direct and not words.any_begins("fsdp", "zero"):
        words.swap("bf16", "pure bf16")  # held so, with no wider copy
    if words.all_of(HELD_AS_THEY_ARE):
        words.swap("pure bf16", "bf16")
