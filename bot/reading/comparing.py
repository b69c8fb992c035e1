"""What a line compares: the same question, with one of several things in turn.

`lora vs qlora`, `compare Q4_K_M Q5_K_M`, `3090 or 4090`, `with and without packing`, and a
card's name that leaves its size open. Whatever else is said holds for each.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod

from bot.compiled import compiled
from bot.reading.axes import CARDS, MODEL, Axis, Facts, axes_of, varying
from bot.reading.facts import CardsSaid, Fact, Said
from bot.reading.keys import may_precede
from bot.reading.neighbours import GGUF_ENGINES
from bot.reading.number_lists import COMPARE, EITHER
from estimator import Catalog

CACHES, FORMATS = ("kv", "kv_k", "kv_v"), ("weights", "precision")
SIZE = compiled(r"(?:[-_: ]|(?<!\d))\d+(?:\.\d+)?\s?[bm](?![a-z]).*$", re.IGNORECASE)
BOTH, AND = "both", "and"
K_QUANT = compiled(r"Q([458])_K(?:_[SML])?")
GGML_CACHE = compiled(r"(?:gguf:)?I?Q\d_\w+")
PLAIN_CACHES = ("fp32", "fp16", "bf16")
PAIRED = ("method", "optimizer")  # fields of which one run has one
MOST_COMPARED = 8  # things side by side

Read = Callable[[str], Sequence[Fact]]  # the facts that a few words say by themselves


def alternatives(said: Said, catalog: Catalog, read: Read) -> list[Facts]:
    """The facts of a line once for each thing that it compares; none if it compares nothing.

    Of several things that vary each by itself it is the first; the others are still open.
    """
    facts = said.facts
    if is_joined(facts):
        if copies := _repositories(facts, read):
            return copies
        if axes := axes_of(varying(facts)):
            turns = _whole(axes[0], read)
            facts = [*facts, *_one_engine(axes[0], facts)]
            return _in_turn(replace(axes[0], turns=tuple(turns)), facts, last=len(axes) == 1)
    elif varying(facts):
        return []
    return _both_ways(facts, read) or _open_sizes(facts, catalog)


def count_compared(said: Said) -> int:
    """How many things a line compares, all crossed; 0 where nothing is."""
    axes = axes_of(varying(said.facts)) if is_joined(said.facts) else []
    return prod(len(axis.turns) for axis in axes) if axes else 0


def is_joined(facts: Sequence[Fact]) -> bool:
    """Whether a word says that things are compared."""
    return any(fact.field in (COMPARE, EITHER) for fact in facts)


def settle_caches(said: Said) -> None:
    """`kv q8_0 vs q4_0`, `fp16 vs fp8 kv`: a format on one side of the joint is the cache's too."""
    facts = said.facts
    for n in range(len(facts) - 2):
        one, joint, other = facts[n : n + 3]
        if joint.field != EITHER:
            continue
        if one.field in CACHES and other.field in FORMATS:
            facts[n + 2] = _as_cache(one.field, other)
        elif other.field in CACHES and _may_be_of(other.field, one):
            facts[n] = _as_cache(other.field, one)


def settle_pairs(said: Said) -> None:
    """`lora and qlora`: nobody wants both at once of what there can be only one of."""
    facts = said.facts
    for n in range(len(facts) - 2):
        one, joint, other = facts[n : n + 3]
        both = joint.field == BOTH and str(joint.text).casefold() == AND
        if both and one.field == other.field and one.field in PAIRED and one.value != other.value:
            facts[n + 1] = replace(joint, field=EITHER)


def settle_idle_cache(said: Said) -> None:
    """`kv cache for 70B at 128k, fp8 vs fp16`: where a cache is asked for, formats behind are its.

    Not where cards are named, nor where a format stands before, which is the weights'.
    """
    facts = said.facts
    places = [fact.value for fact in said.idle if fact.field in CACHES]
    if not places or any(fact.field in ("gpus", "world", *CACHES) for fact in facts):
        return
    found = [n for n, fact in enumerate(facts) if fact.field in FORMATS]
    first = places[0]
    if not found or not isinstance(first, int) or found[0] < first:
        return
    if all(may_precede("kv", str(facts[n].value), facts[n].text) for n in found):
        for n in found:
            facts[n] = _as_cache("kv", facts[n])


def _may_be_of(cache: str, said: Fact) -> bool:
    return said.field in FORMATS and may_precede(cache, str(said.value), said.text)


def _as_cache(field: str, said: Fact) -> Fact:
    """A format as a cache's: by `q4` people mean Q4_0 there, which `Q4_K_M` cannot be."""
    value = K_QUANT.sub(r"Q\1_0", str(said.value).removeprefix("gguf:"))
    return Fact(field, value, said.text)


def held_against_itself(said: Said) -> Fact | None:
    """`Qwen2.5-7B vs Qwen2.5-7B`: a model on both sides of a joint, where nothing else varies."""
    facts = said.facts
    if varying(facts) or not any(fact.field == EITHER for fact in facts):
        return None
    models = [fact for fact in facts if fact.field == "model"]
    if len({fact.text for fact in models}) > len({fact.value for fact in models}) == 1:
        return models[-1]  # an id stands before all else
    last: Fact | None = None
    joint = False
    for fact in facts:
        joint = joint or fact.field == EITHER
        if fact.field in MODEL:
            if joint and last is not None and last.value == fact.value:
                return fact
            last, joint = fact, False
    return None


def _in_turn(axis: Axis, facts: Facts, *, last: bool) -> list[Facts]:
    """Each thing in turn, with all that does not vary with it; joints stay while others vary."""
    if not 1 < len(axis.turns) <= MOST_COMPARED:
        return []
    fields = {name for group in axis.groups for name in group}
    fields |= {EITHER, COMPARE} if last else set()
    fields |= {"range"} if (CARDS,) in axis.groups else set()
    kept = [fact for fact in facts if fact.field not in fields]
    return [kept + own for own in axis.turns]


def _one_engine(axis: Axis, facts: Facts) -> Facts:
    """`kv bf16 vs kv q4_0`: what keeps the one cache keeps the other, in the same weights.

    By its cache alone the first would be of another engine, with whole weights.
    """
    if not any(set(group) & set(CACHES) for group in axis.groups):
        return []
    values = {str(fact.value) for own in axis.turns for fact in own if fact.field in CACHES}
    files = {value for value in values if GGML_CACHE.fullmatch(value)}
    told = any(fact.field in (*FORMATS, "engine") for fact in facts)
    mixed = files and values > files and values - files <= set(PLAIN_CACHES)
    return [Fact("engine", "llama.cpp", "")] if mixed and not told else []


def _repositories(facts: Facts, read: Read) -> list[Facts]:
    """Ids on the Hub, each with the formats that its own name says: an original and its copy."""
    models = {fact.text: fact for fact in facts if fact.field == "model" and "/" in fact.text}
    if len(models) < 2:  # noqa: PLR2004  (one is compared with nothing)
        return []
    own = {name: [f for f in read(name) if f.field in (*MODEL, *FORMATS)] for name in models}
    if not any(fact.field in FORMATS for said in own.values() for fact in said):
        return []
    theirs = [(fact.field, fact.value) for said in own.values() for fact in said]
    kept = [fact for fact in facts if (fact.field, fact.value) not in theirs]
    files = [said for said in own.values() if any(fact.value == "gguf" for fact in said)]
    if len(files) == 1:  # `… vs …-GGUF Q6_K`
        files[0] += [fact for fact in kept if str(fact.value).startswith("gguf:")]
        kept = [fact for fact in kept if fact not in files[0]]
        engines = [f for f in kept if f.field == "engine" and f.value not in GGUF_ENGINES]
        for said in own.values():  # what runs no such file runs the others
            said.extend([] if said is files[0] else engines)
        kept = [fact for fact in kept if fact not in engines]
    open_ = varying(kept)
    joints = () if open_ else (EITHER, COMPARE)
    kept = [fact for fact in kept if fact.field not in joints]
    return [kept + said for said in own.values()] if len(own) <= MOST_COMPARED else []


def _whole(axis: Axis, read: Read) -> list[Facts]:
    """`gemma 3 4b vs 12b`: the second is a Gemma too; nothing where a side is not told whole."""
    turns = list(axis.turns)
    if (CARDS,) in axis.groups:
        cards = [f.value for own in turns for f in own if isinstance(f.value, CardsSaid)]
        return turns if len({bool(said.name) for said in cards}) == 1 else []
    named = [f.text for own in turns for f in own if f.field in MODEL and f.field != "size"]
    if MODEL not in axis.groups or not named:
        return turns
    family = SIZE.sub("", named[0]).strip(" -_:")
    whole: list[Facts] = []
    for own in turns:
        told = [fact for fact in own if fact.field in MODEL]
        if told and all(fact.field == "size" for fact in told):
            meant = [f for f in read(f"{family} {told[0].text}") if f.field in MODEL]
            if not any(fact.field == "model" for fact in meant):
                return []
            own = [*meant, *(fact for fact in own if fact not in told)]  # noqa: PLW2901
        whole.append(own)
    return whole


def _both_ways(facts: Facts, read: Read) -> list[Facts]:
    """`with and without packing`."""
    turned = [fact for fact in facts if fact.field == "both_ways"]
    if len(turned) != 1:
        return []
    kept = [fact for fact in facts if fact is not turned[0]]
    return [kept + list(read(words)) for words in (turned[0].text, f"no {turned[0].text}")]


def _open_sizes(facts: Facts, catalog: Catalog) -> list[Facts]:
    """`8xA100`: a card of each size that it comes in; none where several are open."""
    named = dict.fromkeys(fact.value for fact in facts if fact.field == CARDS)
    found = {
        said: sizes
        for said in named
        if isinstance(said, CardsSaid) and len(sizes := list(_sizes(said, catalog))) > 1
    }
    if len(found) != 1:
        return []
    ((said, sizes),) = found.items()
    if len(sizes) > MOST_COMPARED:
        return []
    return [
        [replace(fact, value=one) if fact.value == said else fact for fact in facts]
        for one in sizes
    ]


def _sizes(said: CardsSaid, catalog: Catalog) -> Iterator[CardsSaid]:
    if said.gigabytes is None and said.name:
        same = (gpu for gpu in catalog.cards_sharing(said.name) if said.name in gpu.shared)
        sharing = {gpu.memory_gb for gpu in same}
        yield from (replace(said, gigabytes=float(size)) for size in sorted(sharing))
