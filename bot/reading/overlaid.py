"""What is kept of a question that is changed: all that still goes with what the words say."""

from collections.abc import Mapping
from typing import Any

from bot.reading.compose import OWN_OPTIMIZER, Fields
from bot.reading.facts import Said
from bot.reading.follow_up import Reply

LORA_LIKE = ("lora", "qlora", "dora", "rslora", "lora_fa")  # that a rank, an alpha and targets suit
ADAPTERS = ("rank", "alpha", "targets", "adapter", "lora_dropout", "modules_to_save")
OF_METHOD = ("virtual_tokens", "kbit_prepare", "active_blocks")
OF_FULL = ("master", "grads", "main_grads")
OVER_CARDS = ("strategy", "tp", "pp", "cp", "ep", "dp", "replicas", "sp")
FOUR_BITS = ("nf4", "nf4_dq", "fp4", "int4", "4bit")
EITHER_TASK = ("model", "gpus")  # fields that both tasks have


def kept_of(old: Mapping[str, Any], reply: Reply) -> Fields:
    """The fields of a question that the words of a reply leave as they are."""
    task = reply.task
    if task is not None and old.get("task") not in (None, task):
        return of_other_task(old, reply, task)
    replaced = reply.replaced
    kept = {name: value for name, value in old.items() if name not in replaced}
    if task is not None:
        kept = {"task": task} | kept
    _settle_method(kept, old, reply)
    _settle_cards(kept, old, reply)
    if "find" in kept and str(kept["find"]) in replaced:
        kept.pop("find")
    return kept


def of_other_task(old: Mapping[str, Any], reply: Reply, task: str) -> Fields:
    """What both tasks have of it: the model and the cards."""
    kept = {n: old[n] for n in EITHER_TASK if n in old and n not in reply.replaced}
    kept = {"task": task} | kept
    _settle_cards(kept, old, reply)
    return kept


def _settle_method(kept: Fields, old: Mapping[str, Any], reply: Reply) -> None:
    """What belongs to a method goes with it; without lora it is full, QLoRA's format is LoRA's."""
    before, after = old.get("method"), _method(reply.said)
    if before is not None and "method" in reply.denied:
        after = kept["method"] = "full"
    if before == "qlora" and after is None and _is_wide(reply):
        after = kept["method"] = "lora"
    if after is None or after == before:
        return
    gone = [*OF_METHOD, "method"] if "method" not in kept else [*OF_METHOD]
    gone += [] if before in LORA_LIKE and after in LORA_LIKE else ADAPTERS
    gone += [] if after == "full" else OF_FULL
    gone += ["weights"] if "qlora" in (before, after) else []
    gone += ["optimizer"] if before in OWN_OPTIMIZER.values() else []
    for name in gone:
        kept.pop(name, None)


def _method(said: Said) -> str | None:
    found = said.all_of("method") or said.all_of("method_hint")
    return str(found[0].value) if found else None


def _is_wide(reply: Reply) -> bool:
    """Whether the words take QLoRA's 4 bits away, or name other ones."""
    if "weights" in reply.denied:
        return True
    said = [*reply.said.all_of("precision"), *reply.said.all_of("weights")]
    return bool(said) and not any(str(fact.value) in FOUR_BITS for fact in said)


def _settle_cards(kept: Fields, old: Mapping[str, Any], reply: Reply) -> None:
    """`2 gpus` are two of the same; one card shares nothing with others."""
    cards = [dict(card) for card in old.get("gpus") or ()]
    counts = reply.said.all_of("world")
    if counts and not reply.said.all_of("gpus") and len(cards) == 1:
        count = counts[0].value
        if isinstance(count, int | float) and count >= 1 and float(count).is_integer():
            kept["gpus"] = [cards[0] | {"count": int(count)}]
    named = [getattr(fact.value, "count", 1) for fact in reply.said.all_of("gpus")]
    alone = len(named) == 1 and named[0] == 1
    if alone or (counts and counts[0].value == 1):
        for name in OVER_CARDS:
            kept.pop(name, None)
