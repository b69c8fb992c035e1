"""Words that switch a setting on or off: `gradient_checkpointing: no`, `disable packing`.

What is switched off has a value of its own where the request has one; any other setting
is just not made, which is what leaving it out means.
"""

from bot.reading.line import Line
from bot.reading.vocabulary import Kind, Meaning

OFF: dict[str, dict[str, str]] = {
    "checkpointing": {
        "full": "none",
        "every_2": "none",
        "selective": "none",
        "unsloth": "none",
        "offloaded": "none",
    },
    "attention": {"flash": "eager", "sdpa": "eager"},
}
SWITCHED = ("checkpointing", "attention", "loss", "flag", "strategy", "offload", "precision",
            "optimizer_kind", "objective")  # fmt: skip
USUAL = {
    "precision": ("fp32", "bf16", "fp16"),
    "loss": ("stock",),
    "strategy": ("ddp",),
    "objective": ("sft",),
    "optimizer_kind": ("fused",),
}
BEING = (
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "being",
    "set",
    "to",
    "turned",
    "switched",
    "has",
)
USED = ("used", "supported", "available", "enabled", "possible", "needed", "working", "work",
        "works", "active", "allowed", "installed", "wanted", "required", "there", "option",
        "true", "yes")  # fmt: skip
MOST_WORDS = 5  # between a setting and what it is
OPEN = ("without", "w", "o", "not")  # of which what stands behind may be said
NUMBERS = {"0": False, "1": True}  # where they are assigned: `packing=1`


def switch_at(line: Line, at: int) -> tuple[int, bool | None]:
    """(atoms, on or off) of a switch behind a setting; none where there is no switch."""
    if at >= len(line.atoms) or line.atoms[at].apart:
        return 0, None
    atom, match = line.atoms[at], line.match(at)
    if atom.assigned and atom.text in NUMBERS:
        return 1, NUMBERS[atom.text]
    switch = None if match is None else _switch(match.meanings)
    if match is None or switch is None:
        return _switch_of_verb(line, at)
    if atom.text == "no" and not atom.assigned and _goes_on(line, at + 1):
        return 0, None  # `grad ckpt, no flash`: it takes back what follows
    return match.length, switch == "on"


def both_behind(line: Line, at: int) -> int:
    """Atoms of `on vs off`, `vs without` behind a setting; 0 where they are said of another."""
    match = line.match(at)
    if match is None or line.atoms[at].apart:
        return 0
    if not any(m.field == "both_ways" and m.value == "behind" for m in match.meanings):
        return 0
    last = line.atoms[at + match.length - 1].text
    after = line.match(at + match.length)
    goes_on = after is not None and after.of(Kind.VALUE) is not None
    of_other = goes_on and last in OPEN and not line.atoms[at + match.length].apart
    return 0 if of_other else match.length


def _switch_of_verb(line: Line, at: int) -> tuple[int, bool | None]:
    """`is off`, `is not used`, `isn't supported`, `turned off`, behind a setting."""
    end, off_said = at, False
    while end < len(line.atoms) and not line.atoms[end].apart and end - at < MOST_WORDS:
        match = line.match(end)
        meanings = () if match is None else match.meanings
        if _switch(meanings) is not None and line.atoms[end].text != "no":
            break
        if match is not None and any(m.field == "negation" for m in meanings):
            off_said = True
            end += match.length
        elif line.atoms[end].text in BEING:
            end += 1
        else:
            break
    if end == at or end >= len(line.atoms) or line.atoms[end].apart:
        return 0, None
    last = line.match(end)
    switch = None if last is None else _switch(last.meanings)
    if off_said and line.atoms[end].text in USED:
        return end + 1 - at, False
    if last is None or switch is None or off_said:
        return 0, None
    return end + last.length - at, switch == "on"


def is_usual(value: Meaning) -> bool:
    """Whether leaving `value` out would mean it all the same, so that its denial says nothing."""
    return value.value in USUAL.get(value.field, ())


def off(value: Meaning) -> Meaning | None:
    """What is meant where `value` is switched off; none where it is just left out."""
    if value.field == "flag":
        return Meaning(Kind.VALUE, "flag", _other_flag(value.value))
    other = OFF.get(value.field, {}).get(value.value)
    return None if other is None else Meaning(Kind.VALUE, value.field, other)


def _other_flag(flag: str) -> str:
    return flag.removeprefix("no_") if flag.startswith("no_") else f"no_{flag}"


def _switch(meanings: tuple[Meaning, ...]) -> str | None:
    return next((m.value for m in meanings if m.field == "switch"), None)


def _goes_on(line: Line, at: int) -> bool:
    return at < len(line.atoms) and not line.atoms[at].apart
