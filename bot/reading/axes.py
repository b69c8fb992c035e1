"""What of a line varies, and what varies together with what.

An axis is one thing that is said in several ways: `lora vs qlora`. Two that are said side by
side go together (`7B lora vs 13B qlora`); two that each have joints of their own are crossed
(`lora vs qlora, 7B or 13B`: four things).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.compiled import compiled
from bot.reading.facts import Fact
from bot.reading.listing import LISTED
from bot.reading.number_lists import COMPARE, COUNTS, EITHER
from bot.reading.rooms import USED

CARDS = "gpus"
MODEL = ("model", "half_name", "size")
PLUS = ("+", "&")
BOTH, ANDS = "both", ("and", "&")  # a fact, and words of it that also part a list
PAGED = "paged"
NAMED = compiled("adam|lion", re.IGNORECASE)  # in the words of a kind that names its optimizer
TOGETHER_AGAIN = ("module", "optimizer_kind")  # `q_proj v_proj`, `paged adamw 8bit`
TOGETHER = (  # facts that say one thing between them
    MODEL,
    ("optimizer", "optimizer_id", "optimizer_kind"),
    ("method", "method_hint"),
    ("engine", "engine_version"),
    ("targets", "module"),
    (CARDS,),
)
FORMATS = ("weights", "precision")
APART = (  # facts of which each says another thing
    FORMATS,
    ("seq", "context", "length"),
    *[(name,) for name in ("strategy", "offload", "checkpointing", "attention", "loss")],
    *[(name,) for name in ("kv", "kv_k", "kv_v", "objective", "framework", "trainer", "task")],
    *[(name,) for name in ("prompt", "new_tokens", "grads", "states", "master", "adapter")],
    *[(name,) for name in (*COUNTS, USED)],
)
GROUPS = (*TOGETHER, *APART)

Group = tuple[str, ...]
Facts = list[Fact]


@dataclass(frozen=True, slots=True)
class Span:
    """What is said of one group at once: behind how many joints, where, and in which facts."""

    place: int
    start: int
    facts: Facts

    @property
    def said(self) -> list[tuple[str, object]]:
        """Fields and values; the 8 bits of Lion are not those of Adam."""
        return [(fact.field, _told(fact)) for fact in self.facts]


@dataclass(frozen=True, slots=True)
class Axis:
    """Groups that vary together, and what is said of them in each turn."""

    groups: tuple[Group, ...]
    turns: tuple[Facts, ...]


def varying(facts: Sequence[Fact]) -> list[tuple[Group, list[Span]]]:
    """Groups of facts of which more than one thing is said; of each all that is said."""
    line = _Line.of(facts)
    several = (group for group in GROUPS if sum(len(line.at.get(name, ())) for name in group) > 1)
    found = ((group, _spans(group, line)) for group in several)
    return [(group, spans) for group, spans in found if len(_distinct(spans)) > 1]


def axes_of(found: Sequence[tuple[Group, list[Span]]]) -> list[Axis]:
    """What varies together with what, in the order of the line."""
    left = sorted(found, key=lambda one: one[1][0].start)
    axes: list[Axis] = []
    while left:
        first, *left = left
        beside = [other for other in left if _go_together(first[1], other[1])]
        left = [other for other in left if other not in beside]
        axes.append(_axis([first, *beside]))
    return axes


def _axis(found: Sequence[tuple[Group, list[Span]]]) -> Axis:
    groups = tuple(group for group, _ in found)
    if len(found) == 1:
        return Axis(groups, tuple(span.facts for span in _distinct(found[0][1])))
    places = sorted({span.place for _, spans in found for span in spans})
    if len(places) == 1:  # a list without joints: the first of each, the second of each
        rows = zip(*(spans for _, spans in found), strict=True)
        return Axis(groups, tuple([f for span in row for f in span.facts] for row in rows))
    turns: dict[int, Facts] = {place: [] for place in places}
    for _, spans in found:
        for span in spans:
            turns[span.place] += span.facts
    return Axis(groups, tuple(turns.values()))


def _go_together(one: list[Span], other: list[Span]) -> bool:
    """Whether two groups are said side by side: between the same joints, or by turns."""
    places, others = [span.place for span in one], [span.place for span in other]
    if len(set(places)) == len(places) and len(set(others)) == len(others):
        return set(places) <= set(others) or set(others) <= set(places)
    if len({*places, *others}) > 1 or len(one) != len(other):
        return False
    starts = sorted([*((s.start, 0) for s in one), *((s.start, 1) for s in other)])
    turns = [which for _, which in starts]
    return turns[::2] == turns[:1] * len(one)


def _distinct(spans: Sequence[Span]) -> list[Span]:
    """Each thing once."""
    found: dict[tuple[tuple[str, object], ...], Span] = {}
    for span in spans:
        found.setdefault(tuple(span.said), span)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Line:
    """The facts of a line, gone through once: where each field stands, and behind what.

    `places`, `pluses`: how many joints, and words such as `and`, stand up to each fact.
    """

    facts: Sequence[Fact]
    at: dict[str, list[int]]
    places: list[int]
    pluses: list[int]

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> "_Line":
        at: dict[str, list[int]] = {}
        for n, fact in enumerate(facts):
            at.setdefault(fact.field, []).append(n)
        joints = (EITHER, BOTH) if COMPARE in at and EITHER not in at else (EITHER,)
        places, pluses = [0], [0]
        place = plus = 0
        for fact in facts:
            name = fact.field
            if name in joints:
                place += name == EITHER or fact.text.casefold() in ANDS
            if name in (BOTH, LISTED):
                plus += name == BOTH or fact.text in PLUS
            places.append(place)
            pluses.append(plus)
        return cls(facts, at, places, pluses)


def _spans(group: Group, line: _Line) -> list[Span]:
    """What is said of `group`, span by span; what is only said again right there is left out."""
    spans: list[Span] = []
    for at in sorted(n for name in group for n in line.at.get(name, ())):
        fact, place = line.facts[at], line.places[at + 1]
        last = spans[-1] if spans else None
        if last is not None and last.place == place and _goes_on(group, fact, last, line, at):
            last.facts.append(fact)
        elif last is None or last.place != place or last.said != [(fact.field, fact.value)]:
            spans.append(Span(place, at, [fact]))
    return spans


def _goes_on(group: Group, fact: Fact, last: Span, line: _Line, at: int) -> bool:
    """Whether a fact is said of the same thing as those before it: `adamw` and `8bit`."""
    if group == (CARDS,):  # `2x3090 and a 4090`, unless a list of cards is to be compared
        if COMPARE not in line.at:
            return True
        plus = line.pluses[at] > line.pluses[min(last.start + len(last.facts), at)]
        return EITHER in line.at and plus
    if group == FORMATS and fact.value == "gguf":  # `Q5_K_M gguf`: what file it is
        return str(last.facts[-1].value).startswith("gguf:")
    if group == FORMATS and [one.value for one in last.facts] == ["gguf"]:  # `GGUF Q6_K`
        return str(fact.value).startswith("gguf:")
    if _names_its_own(fact):  # `adam, adamw 8bit`
        return all(other.field != "optimizer" for other in last.facts)
    if fact.field == "optimizer" and any(map(_names_its_own, last.facts)):
        return False
    if fact.field in TOGETHER_AGAIN and last.facts[-1].field == fact.field:
        return fact.field == "module" or PAGED in (fact.value, last.facts[-1].value)
    return group in TOGETHER and fact.field not in [other.field for other in last.facts]


def _told(fact: Fact) -> object:
    """What a fact says, with the optimizer that only its words name."""
    named = NAMED.search(fact.text) if fact.field == "optimizer_kind" else None
    return fact.value if named is None else f"{named[0].casefold()} {fact.value}"


def _names_its_own(fact: Fact) -> bool:
    """Whether a kind of optimizer says of which: `adamw 8bit`, but not `8bit`."""
    return fact.field == "optimizer_kind" and NAMED.search(fact.text) is not None
