"""Which task a line is about, and words that mean different things in the two."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bot.compiled import compiled
from bot.reading.bits import odd_widths, packs_8bit
from bot.reading.facts import Fact, Said
from bot.reading.keys import FULL_CONTEXT
from bot.reading.seeking import FIND, SERVED_WISHES, TRAINED_WISHES, is_foreign_wish, settle_wish
from bot.reading.trainers import TRAINER
from estimator import ServeRequest, TrainRequest

Fields = dict[str, Any]
Whole = Callable[[str, Fact], None]
Conflict = Callable[[list[Fact]], None]

RANK = {"rank"}  # of what is trained, where no adapters are served
TRAIN_ONLY = tuple(sorted(set(TrainRequest.model_fields) - set(ServeRequest.model_fields) | RANK))
OF_ROLLOUTS = {"engine", "prompt", "new_tokens"}  # serving's, where no policy generates for itself
SERVE_ONLY = tuple(
    sorted(set(ServeRequest.model_fields) - set(TrainRequest.model_fields) | OF_ROLLOUTS)
)
GENERATING = ("grpo", "ppo")
PROMPTED = ("sft", "dpo", "reward")  # that train on prompts with what was answered
PARTS = ("prompt", "new_tokens")  # of a sequence
CACHES = ("kv", "kv_k", "kv_v")
SHARED_WORDS = ("batch", "seq", "accumulation")  # of training, but read in serving too
TRAINED = ("batch", "total_batch", "seq", "strategy")  # of training, where nothing else is said
SERVED_FORMATS = ("gguf:", "awq", "gptq", "exl2", "mxfp4", "nvfp4")
TAKEN = "taken_to_run"  # a fact: the task that nobody said
OF_WHAT_RUNS = ("gpus", "weights", "precision")  # beside a model, where nothing else is said
TAG = compiled(r"[\w.-]+:[\w.-]+")  # a model as Ollama calls it: `qwen3:8b`
IMPLYING_LORA = ("rank", "alpha", "lora_dropout", "adapter", "kbit_prepare", "targets",
                 "modules_to_save")  # fmt: skip
RANKED_OPTIMIZERS = ("galore_adamw", "apollo")  # they have a rank of their own


def task_of(fields: Fields, said: Said) -> str | None:
    """The task said, or the one that the other words can only be about."""
    if "task" in fields:
        return str(fields["task"])
    cache = any(fact.field in CACHES for fact in said.idle)
    _drop_other_words(fields, said, cache=cache)
    if "lora_adapters" in fields or _is_laid_out(fields, said):
        return "infer"
    if any(name in fields for name in TRAIN_ONLY if name not in SHARED_WORDS) or (
        "accumulation" in fields or fields.get(FIND) in TRAINED_WISHES
    ):
        return "train"
    served = any(name in fields for name in SERVE_ONLY) or fields.get(FIND) in SERVED_WISHES
    if cache or served or _is_served(said):
        return "infer"
    hints = said.all_of("task_hint")
    if hints:
        return str(hints[0].value)
    if any(name in fields for name in (*TRAINED, FIND)) or said.all_of(TRAINER):
        return "train"
    if said.all_of("server") or any(TAG.fullmatch(fact.text) for fact in said.all_of("model")):
        return "infer"
    if any(fact.value == FULL_CONTEXT for fact in said.all_of("flag")):
        return "infer"
    named = any(said.all_of(name) for name in ("model", "half_name", "size"))
    if named and any(map(said.all_of, OF_WHAT_RUNS)):  # `r1 32b on a 4080?`: who trains says so
        said.facts.append(Fact(TAKEN, "infer", ""))
        return "infer"
    return None


def _drop_other_words(fields: Fields, said: Said, *, cache: bool) -> None:
    """Words of training that say something else here: "full context", "8 bit" of weights."""
    generates = fields.get("objective") in GENERATING  # by an engine of its own
    served = any(name in fields for name in ("engine", "users", *CACHES)) and not generates
    alone = all(fact.text.casefold() == "full" for fact in said.all_of("method"))
    if alone and fields.get("method") == "full" and (cache or served or _is_window(said)):
        fields.pop("method")  # "full context", "full fp8": not a way to train
    if packs_8bit(said) and served:
        fields.pop("optimizer", None)


def _is_laid_out(fields: Fields, said: Said) -> bool:
    """`mixtral device_map auto`: layers dealt out to cards to run, where nothing else trains."""
    if fields.get("strategy") != "device_map" or said.all_of(TRAINER) or said.all_of("method_hint"):
        return False
    other = set(TRAIN_ONLY) - {"strategy", *SHARED_WORDS}
    if other & set(fields) or "accumulation" in fields:
        return False
    fields.setdefault("engine", "transformers")
    return True


def _is_window(said: Said) -> bool:
    """Whether `full` is of a window: packed weights beside a context are not trained whole."""
    lengths = said.all_of("context") or said.all_of("length")
    return bool(lengths) and _is_served(said)


def _is_served(said: Said) -> bool:
    weights = [str(fact.value) for fact in said.all_of("weights")]
    gguf = any(fact.value == "gguf" for fact in said.all_of("precision"))
    return (
        gguf or bool(odd_widths(said)) or any(name.startswith(SERVED_FORMATS) for name in weights)
    )


def imply_lora(fields: Fields) -> None:
    """A rank without a method is LoRA's, unless the optimizer has one of its own."""
    named = any(name in fields for name in IMPLYING_LORA) or fields.get(FIND) == "rank"
    own = fields.get("optimizer") in RANKED_OPTIMIZERS
    if fields.get("task") == "train" and named and not own:
        fields.setdefault("method", "lora")


def foreign_fields(fields: Fields) -> tuple[str, ...]:
    """Fields that were said and that the task does not have."""
    training = fields.get("task") == "train"
    other = SERVE_ONLY if training else TRAIN_ONLY
    known: tuple[str, ...] = ("context",) if training else SHARED_WORDS
    if training and fields.get("objective") in GENERATING:
        known = (*known, *OF_ROLLOUTS)
    if not training and "lora_adapters" in fields:
        known = (*known, *RANK)
    foreign = tuple(name for name in other if name in fields and name not in known)
    return (*foreign, FIND) if is_foreign_wish(fields) else foreign


def settle_lengths(fields: Fields, said: Said, whole: Whole, conflict: Conflict) -> None:
    """`8k` is the sequence in training and the window in serving; `batch` is users there.

    So is what is sought of them.
    """
    task = fields.get("task")
    if task == "train":
        merge: dict[str, Sequence[str]] = {"seq": ("seq", "context", "length")}
    elif task == "infer":
        merge = {"context": ("context", "seq", "length"), "users": ("users", "batch")}
        fields.pop("accumulation", None)
    else:
        return
    settle_wish(fields)
    _leave_prompts(fields, said)
    for name, words in merge.items():
        facts = _all_as(name, words, said)
        for word in words:
            fields.pop(word, None)
        if len(facts) > 1:
            conflict(facts)
        if facts:
            whole(name, facts[0])


def _leave_prompts(fields: Fields, said: Said) -> None:
    """`max_length 1024, prompts 512` of DPO: the prompt is a part of the length, and is left.

    `prompt 512, completion 256` without a length are together one.
    """
    if fields.get("objective") not in PROMPTED or not said.all_of("prompt"):
        return
    parts = [*said.all_of("prompt")[:1], *said.all_of("new_tokens")[:1]]
    for name in PARTS:
        fields.pop(name, None)
    lengths = [part.value for part in parts if isinstance(part.value, (int, float))]
    if len(lengths) == len(PARTS) and not any(map(said.all_of, ("seq", "context", "length"))):
        words = " + ".join(part.text for part in parts)
        said.facts[:] = [fact for fact in said.facts if fact.field not in PARTS]
        said.facts += [Fact("seq", sum(lengths), words), Fact("remarked", "one_sequence", words)]
        return
    said.facts[:] = [replace(f, field="unused") if f.field in PARTS else f for f in said.facts]


def _all_as(name: str, words: Sequence[str], said: Said) -> list[Fact]:
    """The distinct facts of all `words`, as facts about `name`."""
    found: dict[object, Fact] = {}
    for word in words:
        for fact in said.all_of(word):
            found.setdefault(fact.value, Fact(name, fact.value, fact.text))
    return list(found.values())
