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
NUMBERS = {"0": False, "1": True}  # where they are assigned: `packing=1`


def switch_at(line: Line, at: int) -> tuple[int, bool | None]:
    """(atoms, on or off) of a switch behind a setting; none where there is no switch."""
    if at >= len(line.atoms) or line.atoms[at].apart:
        return 0, None
    atom, match = line.atoms[at], line.match(at)
    if atom.assigned and atom.text in NUMBERS:
        return 1, NUMBERS[atom.text]
    switch = None if match is None or match.length > 1 else _switch(match.meanings)
    if switch is None:
        return 0, None
    negates = any(m.field == "negation" for m in (match.meanings if match else ()))
    if negates and not atom.assigned and _goes_on(line, at + 1):
        return 0, None  # `grad ckpt, no flash`: it takes back what follows
    return 1, switch == "on"


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
