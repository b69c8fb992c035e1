"""The words of a reply to an answer: what they speak of, and whether they stand alone.

`and the same for 405B`, `2 of them`, `without lora`, `vs qlora`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.compiled import compiled
from bot.reading.facts import Fact, Said
from bot.reading.keys import FULL_CONTEXT
from bot.reading.number_lists import BOTH, COMPARE, EITHER
from bot.reading.options import FACTS
from bot.reading.sides import is_varied
from bot.reading.thanks import is_thanks
from bot.reading.trainers import TRAINER
from bot.reading.walk import Scanned
from bot.reading.whatfits import OPEN

# Words that speak of the answer: a question that holds one of them is none by itself.
ON = compiled(
    r"\b(?:the )?same\b|\binstead\b|\bas well\b|^(?:and|but|or|vs|versus|what about|how about"
    r"|what if|also|now|then)\b",
    re.IGNORECASE,
)
# What is said of those words, and nothing that could be changed.
SILENT = compiled(
    r"\b(?:instead of|rather than)\b[^,.;?!]*(?=$|[,.;?!])|\b(?:but )?(?:the )?same\b"
    r"|\binstead\b|\bas well\b|^(?:and|but|also|now|then|ok|okay)\b",
    re.IGNORECASE,
)
OF_THEM = compiled(
    r"\b(\d{1,4}|two|three|four|five|six|eight|ten)(?: ?x)? of (?:them|those|these|it)\b"
    r"|^(?:with |on |and )?(?:(\d{1,4})x|x(\d{1,4}))\W*$",
    re.IGNORECASE,
)
LENGTHS = ("seq", "context")
CARDS = ("gpus", "world", "in_use_bytes", "layer_split")
MODEL = ("model", "weight_bytes")
REPLACED = {  # by what a fact is about: the fields that it takes the place of, where it is not one
    **dict.fromkeys(FACTS["model"], MODEL),
    **dict.fromkeys(FACTS["optimizer"], ("optimizer", "states", "embedding_states")),
    **dict.fromkeys(("precision", "weights", "bpw"), ("weights", "bpw", "group_size", "master")),
    **dict.fromkeys(("length", *LENGTHS), LENGTHS),
    **dict.fromkeys(("batch", "users"), ("batch", "users")),
    **dict.fromkeys(("gpus", "device"), CARDS),
    "total_batch": ("batch", "accumulation"),
    "engine": ("engine", "engine_version"),
    "server": ("engine", "engine_version"),
    "method": ("method",),
    "method_hint": ("method",),
    "module": ("targets",),
    "kv": ("kv", "kv_k", "kv_v"),
    TRAINER: ("framework",),
}
JOINTS = (EITHER, COMPARE, BOTH)
HINTS = ("task_hint", "method_hint")


@dataclass(frozen=True, slots=True)
class Reply:
    """`words`: what is to be read behind the line; `said`: all of it. `task`: that it turns to.

    `denied`: the fields of which it says that they shall not hold. `strange`: Hub ids that no
    table has. `is_whole`: it is a question by itself. `thanks`: it only says that it is good.
    """

    words: str
    said: Said
    task: str | None
    denied: tuple[str, ...]
    strange: bool
    is_whole: bool
    thanks: bool

    @property
    def says_something(self) -> bool:
        """Whether some of it is known, and no name that is not: `frobnicator-7b`."""
        named = any(one.named is not None for one in self.said.unread)
        return bool(self.replaced or self.task) and not named

    @property
    def says_nothing(self) -> bool:
        """Whether no word of it could change anything, nor be wrong."""
        told = [fact for fact in self.said.facts if fact.field not in (*JOINTS, "task_hint")]
        other = self.said.unread or self.said.loose or self.said.faults or self.said.amounts
        return not (told or other or self.denied or self.strange or self.task)

    @property
    def beside_cards(self) -> str:
        """The words without a number of cards, for where the cards themselves tell it."""
        words = self.words
        for fact in self.said.all_of("world"):
            words = words.replace(fact.text, " ", 1)
        return " ".join(words.split())

    @property
    def replaced(self) -> frozenset[str]:
        """The fields that the words say themselves."""
        facts = [fact for fact in self.said.facts if fact.field not in (*JOINTS, "task_hint")]
        names = {name for fact in facts for name in _replaced_by(fact)}
        return frozenset(names | set(self.denied) | (set(MODEL) if self.strange else set()))


def reply_of(plain: str, scan: Callable[[str], Scanned]) -> Reply:
    """What the words `plain` of a reply say; `scan` finds their facts."""
    spelled = OF_THEM.sub(lambda found: f"{found[1] or found[2] or found[3]} gpus", plain)
    words = " ".join(SILENT.sub(" ", spelled).split()).strip(" ,;.")
    scanned = scan(words)
    said = scanned.said
    words = _without_joints(words, said)
    denied = [(str(one.denied), one.text) for one in said.unread if one.denied is not None]
    for _, text in denied:
        words = words.replace(text, " ")
    said.unread[:] = [one for one in said.unread if one.denied is None]
    return Reply(
        " ".join(words.split()),
        said,
        _task(said),
        tuple(name for field, _ in denied for name in REPLACED.get(field, (field,))),
        bool(scanned.strange),
        _is_whole(spelled, scanned),
        is_thanks(plain),
    )


def _is_whole(plain: str, scanned: Scanned) -> bool:
    """Whether it is a question by itself: task and model are said, or it asks what fits."""
    said = scanned.said
    model = bool(scanned.strange) or any(said.all_of(name) for name in FACTS["model"])
    task = bool(said.all_of("task") or said.all_of("server"))
    asks = bool(said.all_of(OPEN)) and bool(said.all_of("gpus"))
    return (scanned.fit or asks or (task and model)) and not ON.search(plain)


def _task(said: Said) -> str | None:
    """The task that the words turn to; a hint of it only where they say nothing else."""
    if told := said.all_of("task"):
        return str(told[0].value)
    idle = {fact.text for fact in said.idle}
    others = [fact for fact in said.facts if fact.field not in (*HINTS, *JOINTS)]
    hints = [fact for fact in said.all_of("task_hint") if fact.text not in idle]
    return str(hints[0].value) if hints and not others else None


def _without_joints(words: str, said: Said) -> str:
    """The words without a joint that has nothing on its other side: the `vs` of `vs qlora`."""
    if is_varied(said):
        return words
    for fact in said.facts:
        if fact.field in JOINTS and fact.text:
            words = re.sub(rf"(?<!\w){re.escape(fact.text)}(?!\w)", " ", words, count=1)
    return words


def _replaced_by(fact: Fact) -> tuple[str, ...]:
    """The fields that a fact takes the place of."""
    if fact.field == "flag":
        name = str(fact.value)
        return LENGTHS if name == FULL_CONTEXT else (name.removeprefix("no_"),)
    if fact.field == "find":
        return ("find", *REPLACED.get(str(fact.value), (str(fact.value),)))
    return REPLACED.get(fact.field, (fact.field,))
