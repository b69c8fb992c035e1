"""What a line of text says, one fact a phrase, and how a line fails to be understood."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from operator import is_
from typing import Any

from bot.compiled import compiled

NUMBER = compiled(r"(?<![\w.])[-−]?\d[\w.,]*%?|[=:]")


@dataclass(frozen=True, slots=True)
class CardsSaid:
    """`count` cards of a kind.

    `name`: a table's id, a word that several cards share, or nothing. `gigabytes`: the
    size on the box, where one was said. `counted`: whether the count was; `bare`: without
    × and plural, so that it may be a size; `as_ram`: whether the size was said of RAM,
    which is the host's where no such card has that much; `owned`: whether a size without a name
    is that of a card: `on my 4gb`, `4 GB of VRAM`.
    """

    count: float
    name: str = ""
    gigabytes: float | None = None
    counted: bool = False
    bare: bool = False
    as_ram: bool = False
    owned: bool = False


Value = str | int | float | CardsSaid


@dataclass(frozen=True, slots=True)
class Fact:
    """`field` was said to be `value`, in the words `text`.

    `whole`: the whole name as typed, where it goes on beyond what is known
    (`qwen2.5-vl-7b`), so that it is another's.
    """

    field: str
    value: Value
    text: str
    whole: str = ""

    @property
    def key(self) -> str:
        """Its words without a number: the `slots` of `slots 0`."""
        words = NUMBER.sub(" ", self.text)
        return " ".join(words.split())


@dataclass(frozen=True, slots=True)
class Unread:
    """A word that means nothing here.

    `near_slot`: the announcing word that it stands beside. `key`: the field of a key
    whose number is missing. `named`: the word with the size right behind it, which it may
    be the name of. `denied`: the field of which it says what it is not, and what it
    may be `instead`, where else it would be just that. `behind`: whether a model's name stands
    right before it, which it may go on with.
    """

    text: str
    near_slot: str | None = None
    key: str | None = None
    named: str | None = None
    denied: str | None = None
    instead: Sequence[str] = ()
    behind: bool = False

    @property
    def needs_number(self) -> bool:
        return self.key is not None


class NotUnderstoodError(Exception):
    """A line that cannot be answered: what was understood, what is wrong, what to type.

    `understood` are the request's fields read so far. `names` could stand for `field`,
    or where that is none, be added to the line; `lines` can be typed as they are. `choices`:
    what was read with each of the things that the line compares; `told`: it says itself that it
    is one of them. `strange`: the Hub id that no table has, where that is what is wrong.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        understood: Mapping[str, Any] | None = None,
        lines: Sequence[str] = (),
        field: str | None = None,
        names: Sequence[str] = (),
        choices: Sequence[Any] = (),
        told: bool = False,
        strange: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.understood = dict(understood or {})
        self.lines = tuple(lines)
        self.field = field
        self.names = tuple(names)
        self.choices = tuple(choices)
        self.told = told
        self.strange = strange

    def again(self) -> "NotUnderstoodError":
        """The same, to be raised: one that was raised keeps all that it passed through."""
        return NotUnderstoodError(
            self.code, self.message, understood=self.understood, lines=self.lines,
            field=self.field, names=self.names, choices=self.choices, told=self.told,
            strange=self.strange,
        )  # fmt: skip


_LISTS = ("unread", "idle", "loose", "doubted", "amounts", "remarks", "corrections", "faults")


@dataclass(slots=True)
class Said:
    """Everything that was found in a line, before it is put together."""

    facts: list[Fact] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    idle: list[Fact] = field(default_factory=list)  # keys without a value
    loose: list[str] = field(default_factory=list)  # numbers without a word
    doubted: list[Fact] = field(default_factory=list)  # with a number behind that is nobody's
    amounts: list[str] = field(default_factory=list)  # of memory, that are no cards
    fillers: int = 0
    settled: set[str] = field(default_factory=set)  # options that were given: no word adds to them
    remarks: list[str] = field(default_factory=list)  # how something was taken, in whole sentences
    corrections: list[tuple[str, str]] = field(default_factory=list)  # typed, meant
    faults: list[NotUnderstoodError] = field(default_factory=list)  # numbers that cannot be
    typed: dict[str, str] = field(default_factory=dict)  # English words → as they were typed
    _looked_at: list[Fact] = field(default_factory=list, repr=False, compare=False)
    _by_field: dict[str, list[Fact]] = field(default_factory=dict, repr=False, compare=False)

    def with_facts(self, facts: Sequence[Fact]) -> "Said":
        """The same with other facts, to be put together apart from this."""
        other = copy(self)
        for name in _LISTS:
            setattr(other, name, list(getattr(self, name)))
        other.facts, other.settled = list(facts), set(self.settled)
        return other

    def as_typed(self, text: str) -> str:
        """`text` in the language of the question, as far as its words were put into English."""
        whole = self.typed.get(text.casefold())
        return whole or " ".join(self.typed.get(w.casefold(), w) for w in text.split(" "))

    def add(self, name: str, value: Value, text: str) -> None:
        self.facts.append(Fact(name, value, text))

    def all_of(self, name: str) -> list[Fact]:
        """The distinct facts about `name`, in order."""
        facts, seen = self.facts, self._looked_at
        if len(facts) != len(seen) or not all(map(is_, facts, seen)):  # some came or went
            self._looked_at = list(facts)
            self._by_field = {}
            for fact in facts:
                self._by_field.setdefault(fact.field, []).append(fact)
        same = self._by_field.get(name, [])
        return same[:] if len(same) <= 1 else _distinct(same)


def _distinct(facts: Sequence[Fact]) -> list[Fact]:
    """The first of each value."""
    seen: dict[Value, Fact] = {}
    for fact in facts:
        seen.setdefault(fact.value, fact)
    return list(seen.values())
