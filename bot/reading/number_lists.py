"""Bare numbers that are compared: `bs 1 vs 2 vs 4`, `2 or 4 h100`, `r=8/16/32`.

A number without a word is that of the number on the other side of its joint. While a line
is walked such numbers are facts of their own (`NUMBER`); here each gets its word, or goes.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.reading.facts import CardsSaid, Fact, Said
from bot.reading.line import Line
from bot.reading.numbers import LENGTHS
from bot.reading.quantity import Quantity
from estimator import KIB

NUMBER = "number"  # a fact: a number that nothing was said of
EITHER, COMPARE = "either", "compare"  # facts: a joint of two things, a word that asks for it
BOTH = "both"  # a joint, where things are compared
COUNTS = (
    *("rank", "alpha", "lora_dropout", "batch", "total_batch", "accumulation", "users", "world"),
    *("tp", "pp", "cp", "ep", "dp", "generations", "virtual_tokens", "active_blocks", "images"),
    *("gpu_layers", "cpu_moe_layers", "ubatch", "slots", "bpw", "utilization", "group_size"),
    *("lora_adapters", "max_num_seqs", "image_tokens", "nodes"),
)
FARTHEST = 3  # facts that a bare number may stand before its word
OF_BITS = ("precision", "optimizer_kind")
TOKENS = ("length", *LENGTHS)
COUNTING = frozenset((*COUNTS, *TOKENS))
BEFORE_SLASH = (NUMBER, *TOKENS)
OF_TOKENS = frozenset(TOKENS)


def take_number(line: Line, at: int, quantity: Quantity) -> int:
    """Keep the number at `at`, which has no word, and the slash before it; its atoms."""
    text, length = line.text(at, quantity.length), quantity.length
    length += _is_times(line, at + length)
    if line.unread_end == at and line.between(at) == "(" and line.said.unread:
        word = line.said.unread[-1]  # the 1 of `alert(1)` is no number of anything
        line.said.unread[-1] = replace(word, text=f"{word.text}({text}")
        return length
    facts = line.said.facts
    before = _past_hints(facts, len(facts) - 1)
    last = facts[before] if before >= 0 else None
    counted = last is not None and last.field in COUNTING and line.fact_end == at
    listed = counted or (last is not None and last.field == NUMBER)
    if listed and _is_behind_slash(line, at):
        facts.append(Fact(EITHER, "/", "/"))
    if quantity.number is not None:
        facts.append(Fact(NUMBER, quantity.number, text))
    line.said.loose.append(text)
    line.loose_end = at + length
    return length


def _is_times(line: Line, at: int) -> bool:
    """The x of `1x or 2x 4090`, whose card stands behind the joint."""
    if at >= len(line.atoms) or not line.atoms[at].glued or line.atoms[at].text != "x":
        return False
    joint = line.match(at + 1)
    return joint is not None and any(m.field == EITHER for m in joint.meanings)


def note_slash(line: Line, at: int) -> None:
    """The slash before a number that has its word: `8/16/32k`, `1/2/4 gpus`."""
    facts = line.said.facts
    if facts and facts[-1].field in BEFORE_SLASH and _is_behind_slash(line, at):
        facts.append(Fact(EITHER, "/", "/"))


def _is_behind_slash(line: Line, at: int) -> bool:
    return "/" in line.between(at)


def settle_numbers(said: Said) -> None:
    """Give each bare number the word of what it stands against; the rest are as they were."""
    facts = said.facts
    bare = {fact.text for fact in facts if fact.field == NUMBER}
    listed = any(fact.field == COMPARE for fact in facts)
    at = 0 if bare else len(facts)
    while at < len(facts):  # what one becomes may be the word of one a little before it
        taken = facts[at].field == NUMBER and _take(said, at, listed=listed)
        at = max(0, at - FARTHEST) if taken else at + 1
    for n in range(len(facts) - 2, -1, -1) if bare else ():  # `1, 2 or 4 h100`: not together
        alone = facts[n].text in bare and isinstance(facts[n].value, CardsSaid)
        if alone and facts[n + 1].field == facts[n].field:
            facts.insert(n + 1, Fact(EITHER, "", ""))
    for n in range(len(facts) - 2, 0, -1):  # `ctx 8/16/32k`
        if facts[n].field != EITHER:
            continue
        one, other = facts[n - 1], facts[n + 1]
        if {one.field, other.field} <= OF_TOKENS:
            facts[n - 1] = _in_thousands(one, other)
        if (one.field, other.field) == ("length", "dataset"):
            facts[n - 1] = replace(one, field="dataset")  # `10k or 20k samples`
    said.facts = [fact for fact in facts if fact.field != NUMBER]


def _take(said: Said, n: int, *, listed: bool) -> bool:
    """Whether the bare number at `n` is another value of what stands beside it; it is then that."""
    facts, text = said.facts, said.facts[n].text
    other = _beside(facts, n, listed=listed)
    number = facts[n].value
    taken = _as(other, number, text) if other and isinstance(number, float) else None
    if taken is None:
        return False
    facts[n] = taken
    if text in said.loose:
        said.loose.remove(text)
    return True


def _beside(facts: Sequence[Fact], n: int, *, listed: bool) -> Fact | None:
    """What the number at `n` stands against: `bs 1 vs 2`, `2 or 4 h100`, `bs 1, 2 or 4`."""
    at, after = _past_hints(facts, n - 1), n + 1
    joints = (EITHER, BOTH) if listed else (EITHER,)
    joined = at >= 0 and facts[at].field in joints
    before = _past_hints(facts, at - 1) if joined else at
    followed = after < len(facts) and facts[after].field == EITHER
    behind = after + 1 if followed else after
    one = facts[before] if before >= 0 and _counts(facts[before]) else None
    other = facts[behind] if behind < len(facts) and _counts(facts[behind], behind=True) else None
    if joined and one is not None:
        return one
    if followed and other is not None:
        return other
    if one is not None and (listed or followed):
        return one
    return other if listed or _is_listed(facts, behind) else None


def _is_listed(facts: Sequence[Fact], at: int) -> bool:
    """Whether what stands at `at` is one of several: `1, 4 or 16 users`."""
    return at + 1 < len(facts) and facts[at + 1].field == EITHER


def _past_hints(facts: Sequence[Fact], at: int) -> int:
    """The fact before what only colours others: `lora r 8` says LoRA as well."""
    while at >= 0 and facts[at].field.endswith("_hint"):
        at -= 1
    return at


def _counts(fact: Fact, *, behind: bool = False) -> bool:
    """Whether a bare number may be another value of what `fact` says."""
    if isinstance(fact.value, CardsSaid):  # `2 or 4 h100`, `4x h100 or 8`
        return bool(fact.value.name) and fact.value.counted
    if fact.field in ("size", *OF_BITS):
        return behind and fact.text[:1].isdigit()
    return fact.field in COUNTING


def _as(other: Fact, number: float, text: str) -> Fact | None:
    if isinstance(other.value, CardsSaid):
        return Fact(other.field, replace(other.value, count=number), text)
    if other.field == "size":  # `7 or 13B`
        return Fact("size", f"{text}{str(other.value)[-1]}", text)
    if other.field in OF_BITS:  # `4 or 8 bit`
        said = str(other.value)
        return Fact(other.field, f"{number:g}bit", text) if said.endswith("bit") else None
    return Fact(other.field, number, text)


def _in_thousands(one: Fact, other: Fact) -> Fact:
    """The 8 of `8/32k` as 8k."""
    if not (isinstance(one.value, (int, float)) and isinstance(other.value, (int, float))):
        return one
    thousands = "k" in other.text.casefold() and other.value >= KIB > one.value
    return replace(one, value=one.value * KIB, text=f"{one.text}k") if thousands else one
