"""What a line compares: the same question, with one of several things in turn.

`lora vs qlora`, `compare Q4_K_M Q5_K_M`, `3090 or 4090`, `with and without packing`, and a
card's name that leaves its size open. Whatever else is said holds for each.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from bot.reading.facts import CardsSaid, Fact, Said
from estimator import Catalog

COMPARE, EITHER = "compare", "either"  # facts: a word that asks for it, a joint of two things
CARDS = "gpus"
MODEL = ("model", "half_name", "size")
CACHES, FORMATS = ("kv", "kv_k", "kv_v"), ("weights", "precision")
TOGETHER = (  # facts that say one thing between them
    MODEL,
    ("optimizer", "optimizer_id", "optimizer_kind"),
    ("method", "method_hint"),
    ("engine", "engine_version"),
    (CARDS,),
)
APART = (  # facts of which each says another thing
    ("weights", "precision"),
    ("seq", "context", "length"),
    *[(name,) for name in ("strategy", "offload", "checkpointing", "attention", "loss", "kv")],
    *[
        (name,)
        for name in ("objective", "targets", "batch", "rank", "alpha", "users", "accumulation")
    ],
    *[(name,) for name in ("world", "tp", "generations", "bpw", "utilization")],
)
SIZE = re.compile(r"[-_: ]?\d+(?:\.\d+)?\s?[bm](?![a-z]).*$", re.IGNORECASE)
MOST_COMPARED = 8  # things side by side

Facts = list[Fact]
Span = tuple[int, Facts]  # between which joints they stand, and what is said there


def alternatives(
    said: Said, catalog: Catalog, read: Callable[[str], Sequence[Fact]]
) -> list[list[Fact]]:
    """The facts of a line once for each thing that it compares; none if it compares nothing.

    `read`: the facts that a few words say by themselves.
    """
    facts = said.facts
    joined = any(fact.field in (COMPARE, EITHER) for fact in facts)
    varying = [(group, _whole_names(group, spans, read)) for group, spans in _varying(facts)]
    if joined and varying:
        whole = all(spans for _, spans in varying)
        return _in_turn(varying, facts) if whole else []
    if not varying:
        return _both_ways(facts, read) or _open_sizes(facts, catalog)
    return []


def settle_caches(said: Said) -> None:
    """`kv q8_0 vs q4_0`: the format behind the joint is the cache's as well."""
    facts = said.facts
    for n in range(len(facts) - 2):
        cache, joint, other = facts[n : n + 3]
        if cache.field in CACHES and joint.field == EITHER and other.field in FORMATS:
            value = str(other.value).removeprefix("gguf:")
            facts[n + 2] = Fact(cache.field, value, other.text)


def held_against_itself(said: Said) -> Fact | None:
    """`Qwen2.5-7B vs Qwen2.5-7B`: a model on both sides of a joint, where nothing else varies."""
    models = [fact for fact in said.facts if fact.field == "model"]
    copies = len({fact.text for fact in models}) > len({fact.value for fact in models}) == 1
    if copies and any(fact.field == EITHER for fact in said.facts):  # an id stands before all else
        return None if _varying(said.facts) else models[-1]
    last: Fact | None = None
    joint = False
    for fact in said.facts:
        joint = joint or fact.field == EITHER
        if fact.field in MODEL:
            if joint and last is not None and last.value == fact.value:
                return None if _varying(said.facts) else fact
            last, joint = fact, False
    return None


def _varying(facts: Facts) -> list[tuple[tuple[str, ...], list[Span]]]:
    """Groups of facts of which more than one thing is said."""
    groups = (*TOGETHER, *APART)
    return [(group, found) for group in groups if len(found := _spans(group, facts)) > 1]


def _in_turn(varying: list[tuple[tuple[str, ...], list[Span]]], facts: Facts) -> list[Facts]:
    """Each thing in turn; what varies with it stands between the same joints."""
    places = [[place for place, _ in spans] for _, spans in varying]
    if any(other != places[0] for other in places[1:]) or len(places[0]) > MOST_COMPARED:
        return []
    fields = {name for group, _ in varying for name in group} | {EITHER, COMPARE}
    if any(group == (CARDS,) for group, _ in varying):
        fields |= {"range"}
    kept = [fact for fact in facts if fact.field not in fields]
    spans = zip(*(spans for _, spans in varying), strict=True)
    return [kept + [fact for _, own in together for fact in own] for together in spans]


def _spans(group: tuple[str, ...], facts: Facts) -> list[Span]:
    """What is said of `group`, once for each different thing that is said of it."""
    place, last = 0, -1
    spans: list[Span] = []
    for fact in facts:
        place += fact.field == EITHER
        if fact.field not in group:
            continue
        if spans and last == place and _goes_on(group, fact, spans[-1][1], facts):
            spans[-1][1].append(fact)
        else:
            spans.append((place, [fact]))
        last = place
    distinct: list[Span] = []
    for span in spans:
        if _said(span) not in [_said(other) for other in distinct]:
            distinct.append(span)
    return distinct


def _whole_names(
    group: tuple[str, ...], spans: list[Span], read: Callable[[str], Sequence[Fact]]
) -> list[Span]:
    """`gemma 3 4b vs 12b`: the second is a Gemma too; nothing where a side is not told whole."""
    if group == (CARDS,):
        named = {isinstance(f.value, CardsSaid) and bool(f.value.name) for _, s in spans for f in s}
        return spans if len(named) == 1 else []
    if group != MODEL or not any(fact.field != "size" for _, own in spans for fact in own):
        return spans
    name = next(fact.text for _, own in spans for fact in own if fact.field != "size")
    family = SIZE.sub("", name).strip(" -_:")
    whole: list[Span] = []
    for place, own in spans:
        facts = own
        if all(fact.field == "size" for fact in own):
            facts = [f for f in read(f"{family} {own[0].text}") if f.field in MODEL]
            if not any(fact.field == "model" for fact in facts):
                return []
        whole.append((place, facts))
    return whole


def _goes_on(group: tuple[str, ...], fact: Fact, before: Facts, facts: Facts) -> bool:
    """Whether a fact is said of the same thing as those `before` it: `adamw` and `8bit`."""
    if group == (CARDS,):  # `2x3090 and a 4090`, unless cards are to be compared
        return not any(one.field == COMPARE for one in facts)
    return group in TOGETHER and fact.field not in [other.field for other in before]


def _said(span: Span) -> list[tuple[str, object]]:
    return [(fact.field, fact.value) for fact in span[1]]


def _both_ways(facts: Facts, read: Callable[[str], Sequence[Fact]]) -> list[Facts]:
    """`with and without packing`."""
    turned = [fact for fact in facts if fact.field == "both_ways"]
    if len(turned) != 1:
        return []
    kept = [fact for fact in facts if fact is not turned[0]]
    return [kept + list(read(words)) for words in (turned[0].text, f"no {turned[0].text}")]


def _open_sizes(facts: Facts, catalog: Catalog) -> list[Facts]:
    """`8xA100`: a card of each size that it comes in; none where several are open."""
    found = {
        fact.value: sizes
        for fact in facts
        if fact.field == CARDS and isinstance(fact.value, CardsSaid)
        if len(sizes := list(_sizes(fact.value, catalog))) > 1
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
        sharing = {gpu.memory_gb for gpu in catalog.gpus.rows if said.name in gpu.shared}
        yield from (replace(said, gigabytes=float(size)) for size in sorted(sharing))
