"""What one rule of thumb says, and what it says it of."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

ABOUT = {  # what a rule counts, where that is not the whole of the run
    "whole": "were every weight trained",
    "at_once": "were every weight trained at once",
    "student": "of the student alone",
    "policy": "of the policy alone",
}


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What a rule of thumb says. `bytes` is none where the rule names cards only.

    `formula` over `terms` gives `bytes`, as in a line of the estimate. `about`: keys of
    `ABOUT` that its name has to be read with; its note says them too.
    """

    rule: str
    bytes: int | None
    source: str
    note: str
    formula: str = ""
    terms: Mapping[str, int] = field(default_factory=dict)
    caveat: str = ""  # what else the rule says, and where it contradicts itself
    about: tuple[str, ...] = ()


def said(opinion: SecondOpinion, key: str) -> SecondOpinion:
    """The rule with what it is about in its note; behind the cards where it names cards only."""
    if opinion.bytes is not None:
        return replace(opinion, note=f"{ABOUT[key]}; {opinion.note}")
    cards, _, rest = opinion.note.partition(". ")
    words = ABOUT[key]
    return replace(opinion, note=f"{cards}. {words[0].upper()}{words[1:]}. {rest}")


def named(opinion: SecondOpinion, key: str) -> SecondOpinion:
    """Likewise, for its name too: a surface may show no notes."""
    return replace(said(opinion, key), about=(key, *opinion.about))
