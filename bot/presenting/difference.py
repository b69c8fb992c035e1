"""Why one answer takes more than another: the part of it that differs most, and its cause.

Lines of the two peaks are summed by part (weights, optimizer, activations, …), and the part
that differs most is named with both amounts. The cause is what differs in what was asked,
where that explains the part.
"""

from collections.abc import Iterable, Iterator, Mapping

from bot.locale import Locale
from bot.presenting.names import formats_named, line_name
from bot.presenting.sentences import inner
from estimator import (
    Answer,
    Checkpointing,
    Line,
    Method,
    ServeSetup,
    Strategy,
    TrainSetup,
    show_gib,
)

PARTS: Mapping[str, tuple[str, ...]] = {  # by how their lines' keys begin
    "weights": ("weights", "tower"),
    "optimizer": ("optimizer_", "master_weights"),
    "gradients": ("gradients", "main_gradients", "passing_gradient", "unsharded_gradients"),
    "activations": (
        *("activations", "checkpoints", "recomputed_block", "forward_temporaries"),
        *("backward_temporaries", "attention_scores", "adapter_temporaries"),
        "pass_activations",
    ),
    "logits": ("logits", "head_", "capped_logits", "fused_gradients"),
    "cache": ("kv_cache", "cache_"),
}
WHOLE: Mapping[str, tuple[Strategy, ...]] = {  # strategies that leave the part whole on each card
    "weights": (Strategy.SINGLE, Strategy.DDP, Strategy.ZERO1, Strategy.ZERO2),
    "gradients": (Strategy.SINGLE, Strategy.DDP, Strategy.ZERO1),
    "optimizer": (Strategy.SINGLE, Strategy.DDP),
}
LEAST = 100  # a difference below a hundredth of the whole has no cause worth a word
COUNTER = 5  # a part that goes the other way is said from a fifth of the whole difference on


def difference(low: tuple[str, Answer], high: tuple[str, Answer], locale: Locale) -> str:
    """By how much the one takes less, and in what: "mostly weights, 4.4 GiB instead of 13.5 GiB".

    `low` and `high`: names and answers, the first with the smaller peak. Empty where both
    take about the same.
    """
    (one, less), (other, more) = low, high
    whole = more.estimate.peak.bytes - less.estimate.peak.bytes
    if whole * LEAST <= more.estimate.peak.bytes:
        return ""
    here, there = by_part(less), by_part(more)
    change = {key: there.get(key, 0) - here.get(key, 0) for key in {**here, **there}}
    part = max(change, key=lambda key: change[key])
    said = locale.say(
        "difference",
        gap=show_gib(whole),
        part=part_named(part, locale),
        low=show_gib(here.get(part, 0)),
        high=show_gib(there.get(part, 0)),
        least=one,
        most=other,
        cause=_cause(part, less, more, locale),
    )
    against = min(change, key=lambda key: change[key])
    if -change[against] * COUNTER > whole:
        said += " " + locale.say(
            "difference_against",
            part=part_named(against, locale),
            low=show_gib(here.get(against, 0)),
            high=show_gib(there.get(against, 0)),
        )
    return said


def by_part(answer: Answer) -> dict[str, int]:
    """The bytes of each part at the peak."""
    return parts_of(answer.estimate.peak.lines)


def parts_of(lines: Iterable[Line]) -> dict[str, int]:
    """The bytes of each part; lines of no part stand for themselves."""
    found: dict[str, int] = {}
    for line in lines:
        part = next((p for p, starts in PARTS.items() if line.key.startswith(starts)), line.key)
        found[part] = found.get(part, 0) + line.bytes
    return found


def part_named(part: str, locale: Locale) -> str:
    """A part, or a line of none, as a sentence names it."""
    known = locale.reply.sentences.get(f"part_{part}")
    if known is not None:
        return known
    name = line_name(part, locale)
    return inner(name, locale)


def _cause(part: str, less: Answer, more: Answer, locale: Locale) -> str:
    """What was asked otherwise and explains the part, in brackets; empty where nothing does."""
    return next((f" ({words})" for words in _causes(part, less, more, locale)), "")


def _causes(part: str, less: Answer, more: Answer, locale: Locale) -> Iterator[str]:
    one, other = less.setup, more.setup
    if one.shape.name != other.shape.name:
        return
    formats = one.numbers.format.id, other.numbers.format.id
    if part == "weights" and formats[0] != formats[1]:
        low, high = map(formats_named, formats)
        yield locale.say("cause_weights", low=low, high=high)
    elif isinstance(one, TrainSetup) and isinstance(other, TrainSetup):
        yield from _of_training(part, one, other, locale)
    elif isinstance(one, ServeSetup) and isinstance(other, ServeSetup):
        yield from _of_serving(part, one, other, locale)
    if one.world > other.world and part in ("weights", "optimizer", "gradients", "cache"):
        yield locale.say("cause_world", low=one.world, high=other.world)


def _of_training(part: str, one: TrainSetup, other: TrainSetup, locale: Locale) -> Iterator[str]:
    trained = one.adapter is not None and other.method is Method.FULL
    if part in ("optimizer", "gradients") and trained:
        yield locale.say("cause_adapters")
    elif part == "optimizer" and one.optimizer.id != other.optimizer.id:
        yield locale.say("cause_optimizer", low=one.optimizer.id, high=other.optimizer.id)
    whole = WHOLE.get(part, ())
    if other.strategy in whole and one.strategy not in whole:
        yield locale.say("cause_strategy", low=one.strategy, high=other.strategy)
    if part not in ("activations", "logits"):
        return
    if one.checkpointing is not other.checkpointing and other.checkpointing is Checkpointing.NONE:
        yield locale.say("cause_checkpointing")
    elif one.tokens != other.tokens:
        yield locale.say("cause_tokens", low=f"{one.tokens:,}", high=f"{other.tokens:,}")
    elif one.attention is not other.attention:
        yield locale.say("cause_attention", low=one.attention, high=other.attention)


def _of_serving(part: str, one: ServeSetup, other: ServeSetup, locale: Locale) -> Iterator[str]:
    if part != "cache":
        return
    cached = one.users * one.context, other.users * other.context
    if cached[0] != cached[1]:
        yield locale.say("cause_cache", low=f"{cached[0]:,}", high=f"{cached[1]:,}")
    elif one.kv_k.id != other.kv_k.id:
        yield locale.say("cause_kv", low=one.kv_k.id, high=other.kv_k.id)
