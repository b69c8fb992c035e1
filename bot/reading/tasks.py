"""Which task a line is about, and words that mean different things in the two."""

from collections.abc import Callable
from typing import Any

from bot.reading.facts import Fact, Said
from estimator import ServeRequest, TrainRequest

Fields = dict[str, Any]

TRAIN_ONLY = tuple(sorted(set(TrainRequest.model_fields) - set(ServeRequest.model_fields)))
SERVE_ONLY = tuple(sorted(set(ServeRequest.model_fields) - set(TrainRequest.model_fields)))
SHARED_WORDS = ("batch", "seq", "accumulation")  # of training, but read in serving too
SERVED_FORMATS = ("gguf:", "awq", "gptq", "exl2", "mxfp4", "nvfp4")
IMPLYING_LORA = ("rank", "alpha", "lora_dropout", "adapter", "kbit_prepare", "targets")
RANKED_OPTIMIZERS = ("galore_adamw", "apollo")  # they have a rank of their own


def task_of(fields: Fields, said: Said) -> str | None:
    """The task said, or the one that the other words can only be about."""
    if "task" in fields:
        return str(fields["task"])
    if fields.get("method") == "full" and any(
        name in fields for name in ("engine", "users", "kv", "kv_k", "kv_v")
    ):
        fields.pop("method")  # "full context", "full fp8": not a way to train
    if any(name in fields for name in TRAIN_ONLY if name not in SHARED_WORDS) or (
        "accumulation" in fields
    ):
        return "train"
    if any(name in fields for name in SERVE_ONLY) or _is_served(said):
        return "infer"
    hints = said.all_of("task_hint")
    if hints:
        return str(hints[0].value)
    if "batch" in fields or "seq" in fields or "strategy" in fields:
        return "train"
    return None


def _is_served(said: Said) -> bool:
    weights = [str(fact.value) for fact in said.all_of("weights")]
    gguf = any(fact.value == "gguf" for fact in said.all_of("precision"))
    return gguf or any(name.startswith(SERVED_FORMATS) for name in weights)


def imply_lora(fields: Fields) -> None:
    """A rank without a method is LoRA's, unless the optimizer has one of its own."""
    named = any(name in fields for name in IMPLYING_LORA)
    own = fields.get("optimizer") in RANKED_OPTIMIZERS
    if fields.get("task") == "train" and named and not own:
        fields.setdefault("method", "lora")


def foreign_fields(fields: Fields) -> tuple[str, ...]:
    """Fields that were said and that the task does not have."""
    training = fields.get("task") == "train"
    other = SERVE_ONLY if training else TRAIN_ONLY
    known = ("context",) if training else SHARED_WORDS
    return tuple(name for name in other if name in fields and name not in known)


def settle_lengths(
    fields: Fields, said: Said, whole: Callable[[str, Fact], None], conflict: Callable[..., None]
) -> None:
    """`8k` is the sequence in training and the window in serving; `batch` is users there."""
    task, lengths = fields.get("task"), said.all_of("length")
    name = "seq" if task == "train" else "context"
    if lengths and task is not None and name not in fields:
        if len(lengths) > 1:
            conflict(lengths)
        whole(name, Fact(name, lengths[0].value, lengths[0].text))
    if task == "train" and "context" in fields:
        fields.setdefault("seq", fields.pop("context"))
        fields.pop("context", None)
    if task == "infer":
        for typed, meant in (("seq", "context"), ("batch", "users")):
            if typed in fields:
                fields.setdefault(meant, fields[typed])
                del fields[typed]
        fields.pop("accumulation", None)
