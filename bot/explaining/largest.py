"""A bare `why?` below an answer: which parts of it are largest, and the topic of the first."""

from collections.abc import Mapping

from bot.locale import Locale
from bot.presenting.difference import by_part, difference, part_named
from estimator import Answer, Method, TrainSetup, show_gib

MOST_NAMED = 3  # parts
LEAST = 50  # a part below a fiftieth of the peak is not named
OF_PART = {"gradients": "sixteen_bytes", "optimizer": "sixteen_bytes", "logits": "logits",
           "cache": "kv_cache"}  # fmt: skip
SIXTEEN_BITS = ("bf16", "fp16")
ADAM = "adamw"  # how ids of its kinds begin; 16 bytes are its


def largest(answers: Mapping[str, Answer], locale: Locale) -> tuple[str, str]:
    """A topic's id and the sentence before it: of one answer's peak, or of what two differ in.

    `answers`: one or more by their names; of several, those with the least and the highest peak.
    """
    ranked = sorted(answers.items(), key=lambda named: named[1].estimate.peak.bytes)
    low, high = ranked[0], ranked[-1]
    parts, less = by_part(high[1]), by_part(low[1])
    if said := difference(low, high, locale):
        part = max(parts, key=lambda one: parts[one] - less.get(one, 0))
        return _topic(part, (low if part == "weights" else high)[1]), said
    whole = high[1].estimate.peak.bytes
    named = sorted(parts, key=lambda one: -parts[one])[:MOST_NAMED]
    said = ", ".join(
        f"{part_named(one, locale)} {show_gib(parts[one])}"
        for one in named
        if parts[one] * LEAST >= whole
    )
    return _topic(named[0], high[1]), locale.say("largest", peak=show_gib(whole), parts=said)


def _topic(part: str, found: Answer) -> str:
    setup = found.setup
    if part == "weights":
        return _of_weights(found)
    if part == "activations":
        trained = isinstance(setup, TrainSetup) and setup.method is Method.FULL
        return "checkpointing" if trained else "lora_activations"
    if part == "optimizer" and isinstance(setup, TrainSetup):
        return OF_PART[part] if setup.optimizer.id.startswith(ADAM) else "optimizers"
    return OF_PART.get(part, "peak")


def _of_weights(found: Answer) -> str:
    counts, name = found.estimate.parameters, found.setup.numbers.format.id
    if counts.active < counts.total:
        return "moe"
    if name in SIXTEEN_BITS:
        return "weights_rule"
    return "four_bit" if "4" in name else "precision"
