"""Fields of a request → the canonical line that says them, to be typed again.

Reading that line gives the same fields; `unsaid` names the few that no line can say.
Fields that say the same request twice over (`lora` on `nf4` is `qlora`) read as its
usual form.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from bot.compiled import compiled
from bot.reading.clean import echo
from bot.reading.facts import Fact
from bot.reading.keys import may_precede
from estimator import GB, MIB

UNSAID = (
    *("architecture", "mp_policy", "reward_model", "value_model", "variant"),
    *("compile", "activations"),
)
NUMBERS = {
    "rank": "r={}",
    "alpha": "alpha {}",
    "lora_dropout": "dropout {}",
    "virtual_tokens": "virtual tokens {}",
    "batch": "bs {}",
    "seq": "seq {}",
    "accumulation": "accum {}",
    "active_blocks": "active blocks {}",
    "users": "users {}",
    "context": "ctx {}",
    "prompt": "prompt {}",
    "new_tokens": "new tokens {}",
    "world": "world {}",
    "tp": "tp {}",
    "replicas": "replicas {}",
    "pp": "pp {}",
    "cp": "cp {}",
    "ep": "ep {}",
    "dp": "dp {}",
    "images": "images={}",  # `350M images` would be a data set
    "image_tokens": "image tokens {}",
    "generations": "generations {}",
    "group_size": "group size {}",
    "utilization": "util {}",
    "engine_share": "util {}",
    "max_batched_tokens": "max batched tokens {}",
    "max_num_seqs": "max num seqs {}",
    "max_model_len": "longest request {}",
    "shared_prefix": "shared prefix {}",
    "lora_adapters": "loras {}",
    "weight_bytes": "weight bytes {}",
    "gpu_layers": "ngl {}",
    "cpu_moe_layers": "n cpu moe {}",
    "ubatch": "ubatch {}",
    "slots": "np {}",
    "bpw": "bpw {}",
    "checkpoints_kept": "save total limit {}",
    "dataset_tokens": "dataset tokens {}",
    "dataset_samples": "dataset samples {}",
    "rule_bytes_per_parameter": "bytes per parameter {}",
}
FORMATS = {
    "adapter": "adapter {}",
    "grads": "grads {}",
    "states": "states {}",
    "main_grads": "main grads {}",
    "embedding_states": "embedding states {}",
    "kv": "kv {}",
    "kv_k": "kv k {}",
    "kv_v": "kv v {}",
}
WORDS = {
    "method": {
        "lora_fa": "lora fa",
        "prompt": "prompt tuning",
        "prefix": "prefix tuning",
        "ptuning": "p tuning",
        "ln_tuning": "ln tuning",
        "llama_adapter": "llama adapter",
    },
    "optimizer": {"lomo": "optimizer lomo", "apollo": "optimizer apollo"},
    "checkpointing": {
        "none": "no checkpointing",
        "full": "grad ckpt",
        "every_2": "checkpoint every 2",
        "selective": "selective checkpointing",
        "unsloth": "unsloth checkpointing",
        "offloaded": "offloaded checkpointing",
    },
    "attention": {},
    "loss": {
        "stock": "stock loss",
        "stock_4": "transformers 4 loss",
        "fused_ce": "fused ce",
        "cce": "cut cross entropy",
        "chunked": "chunked loss",
    },
    "objective": {"reward": "reward model"},
    "reference": {
        "model": "reference model",
        "adapters_off": "reference adapters off",
        "none": "precomputed reference",
    },
    "strategy": {"single": "strategy single", "tp": "tensor parallel", "pp": "pipeline parallel"},
    "offload": {
        "none": "no offload",
        "params": "offload params",
        "optimizer": "offload optimizer",
        "both": "offload both",
        "activations": "offload activations",
    },
    "find": {
        "context": "longest context",
        "users": "how many users",
        "weights": "best quant",
        "batch": "largest batch",
        "seq": "longest seq",
        "rank": "highest rank",
    },
    "prefill_logits": {"last": "last logits", "all": "all logits"},
    "mask": {"full": "full mask", "linear": "linear mask"},
    "kv_layout": {"mla": "mla cache", "heads": "full heads cache"},
    "targets": {"attention": "targets attention"},
    "master": {"none": "no master", "fp32": "master fp32"},
    "framework": {
        "transformers": "framework transformers",
        "unsloth": "framework unsloth",
        "litgpt": "framework litgpt",
        "litgpt-2023": "framework litgpt 2023",
        "torchtune": "framework torchtune",
        "megatron": "framework megatron",
        "torchtitan": "framework torchtitan",
        "fsdp_qlora": "framework fsdp_qlora",
    },
}
FLAGS = {
    "autocast": "autocast",
    "kbit_prepare": "kbit prepare",
    "packing": "packing",
    "outputs_kept": "outputs kept",
    "optimizer_in_backward": "optimizer in backward",
    "reshard": "reshard",
    "sp": "sequence parallel",
    "engine_asleep": "engine asleep",
    "enforce_eager": "enforce eager",
    "experts_on_cpu": "experts on cpu",
    "swa_full": "swa full",
    "disk": "disk size",
}
OWN_OPTIMIZERS = ("galore", "apollo", "lomo")  # methods that an optimizer behind may turn into one
_PLACED = ("method", "optimizer", "master")  # words with a place of their own
CARD_LIKE = compiled(r"[1-9]0[5-9]0|16[56]0|6000")  # as GeForce and RTX 6000 are called
_CLASS = compiled(r"class-(\d+)")


def write_line(fields: Mapping[str, Any]) -> str:
    """The line for `fields`: task, model, method, precision, optimizer, numbers, cards."""
    said = {name: value for name, value in fields.items() if value is not None}
    parts = [str(said[name]) for name in ("task", "model") if name in said]
    if "method" in said:
        apart = "," if said["method"] in OWN_OPTIMIZERS and "optimizer" in said else ""
        parts.append(_word("method", said["method"]) + apart)
    parts += _precision(said)
    parts += [_word(name, said[name]) for name in ("optimizer", "engine") if name in said]
    if "engine" in said and "engine_version" in said:
        parts.append(str(said["engine_version"]))
    parts += [_word(name, said[name]) for name in WORDS if name in said and name not in _PLACED]
    parts += [_number(shape, _plain(said[n])) for n, shape in NUMBERS.items() if n in said]
    parts += [shape.format(said[n]) for n, shape in FORMATS.items() if n in said]
    parts += [words if said[n] else f"no {words}" for n, words in FLAGS.items() if n in said]
    if said.get("modules_to_save"):
        parts.append(f"modules to save {' '.join(map(str, said['modules_to_save']))}")
    if said.get("layer_split"):
        parts.append(f"layer split {','.join(map(_plain, said['layer_split']))}")
    if "rule_activation_bytes" in said:
        parts.append(f"activations {_plain(Decimal(said['rule_activation_bytes']) / GB)}GB")
    if "in_use_bytes" in said:
        parts.append(f"in use {said['in_use_bytes'] // MIB}MiB")
    line = " ".join(_parted(said, [part for part in parts if part]))
    cards = [f"{role} {said[role]}" for role in ("teacher", "draft") if role in said]
    if "draft_weights" in said:
        cards.append(f"draft weights {said['draft_weights']}")
    cards += _cards(said) if said.get("gpus") else []
    return ", ".join(part for part in (line, *cards) if part)


def _parted(said: Mapping[str, Any], parts: list[str]) -> list[str]:
    """A comma behind the weights, where the key behind could take their format."""
    weights = str(said.get("weights") or "")
    at = parts.index(_typed_weights(weights)) if weights else len(parts)
    key = parts[at + 1].rsplit(" ", 1)[0].replace(" ", "_") if at + 1 < len(parts) else ""
    claimed = key in (*FORMATS, "compute") and may_precede(key, weights, weights)
    if claimed or (weights == "fp8" and key.startswith("adam")):  # `fp8 adamw` is an optimizer
        parts[at] += ","
    return parts


def unsaid(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Fields that are set and that no line can say."""
    return tuple(name for name in UNSAID if fields.get(name) is not None)


def _plain(value: object) -> str:
    """A number without exponent and trailing zeros."""
    if isinstance(value, (float, Decimal)):
        text = format(Decimal(str(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)


def _number(shape: str, number: str) -> str:
    """`bs 4`; `bs=4090`, which would be a card otherwise."""
    return (shape.replace(" {}", "={}") if CARD_LIKE.fullmatch(number) else shape).format(number)


def _word(name: str, value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"targets {' '.join(map(str, value))}"
    return WORDS.get(name, {}).get(str(value), str(value))


def _typed_weights(weights: str) -> str:
    plain = weights in ("gguf:F32", "gguf:F16", "gguf:BF16")
    return weights if plain else weights.removeprefix("gguf:")


def _precision(said: Mapping[str, Any]) -> list[str]:
    weights = _typed_weights(str(said.get("weights") or ""))
    compute = f"compute {said['compute']}" if "compute" in said else ""
    apart = "," if compute else ""  # `compute` could take the master's format
    master = _word("master", said["master"]) + apart if "master" in said else ""
    return [weights, master, compute]  # compute last: `fp32 master` is a phrase


def _cards(said: Mapping[str, Any]) -> list[str]:
    """`2x rtx-3090`; a class by its size, counted where a card could take it for its own."""
    several = len(said["gpus"]) > 1
    return [_card(entry, several=several) for entry in said["gpus"]]


def _card(entry: Mapping[str, Any], *, several: bool) -> str:
    name, count = str(entry["id"]), entry.get("count", 1)
    size = _CLASS.match(name)
    if size is not None:
        name = f"{size[1]}GB"
    return f"{count}x {name}" if count > 1 or (several and size is not None) else name


def key_of_number(fact: Fact, name: str) -> str:
    """What a number was said of, in the line's words; a field's own name for its usual word."""
    usual = NUMBERS.get(name, "").partition(" {")[0]
    return name if fact.key in ("", usual) else echo(fact.key)


def typed(value: object) -> str:
    """A value as it is typed: 4, not 4.0."""
    whole = isinstance(value, float) and value.is_integer()
    return f"{value:.0f}" if whole else str(value)
