"""One line while it is read: its atoms, what they may mean, and what was found so far."""

from dataclasses import dataclass, field

from bot.locale import Locale
from bot.reading.atoms import Atom
from bot.reading.facts import Fact, NotUnderstoodError, Said, Value
from bot.reading.numbers import quantity_at
from bot.reading.quantity import BadNumberError, Quantity
from bot.reading.recalling import Recalling
from bot.reading.vocabulary import Kind, Match

MOST_ECHOED = 40  # characters of a bad number that are shown


@dataclass(slots=True)
class Line:
    """`fact_end` and `name_end`: the atom after the last fact, and after the last name.

    `cards_end`: after the last cards; `room_end`: after memory said to be free or in use;
    `list_end`: after a list of modules; `both_end`: after a `with and without`; `loose_end`:
    after a number without a word; `unread_start`, `unread_end`: of the last words together
    that mean nothing. `matches`, `quantities`: what was found at an atom, to be found once.
    `no_start`, `no_end`: of a `no`, and how far it reaches; `no_verb`:
    whether it may be a question's; `denied_end`: after what was denied last.
    """

    atoms: list[Atom]
    source: str
    vocabulary: Recalling
    locale: Locale
    said: Said
    fact_end: int = -1
    name_end: int = -1
    list_end: int = -1
    no_start: int = -1
    no_end: int = -1
    no_verb: bool = False
    denied_end: int = -1
    both_end: int = -1
    cards_end: int = -1
    room_end: int = -1
    loose_end: int = -1
    unread_start: int = -1
    unread_end: int = -1
    matches: dict[int, Match | None] = field(default_factory=dict)
    quantities: dict[tuple[int, bool], Quantity | None] = field(default_factory=dict)

    def respell(self, at: int, word: str) -> None:
        """Put `word` in the place of the atom at `at`; what was found around it is forgotten."""
        self.atoms[at] = self.atoms[at]._replace(text=word)
        self.vocabulary.forget()
        self.matches.clear()
        self.quantities.clear()

    def text(self, at: int, length: int) -> str:
        """What was typed for `length` atoms from `at`."""
        return self.source[self.atoms[at].start : self.atoms[at + length - 1].end]

    def match(self, at: int) -> Match | None:
        """The longest phrase at `at` that breaks no name; none behind the end."""
        if at in self.matches:
            return self.matches[at]
        self.matches[at] = match = self._match(at) if at < len(self.atoms) else None
        return match

    def _match(self, at: int) -> Match | None:
        match = self.vocabulary.longest(self.atoms, at)
        if match is None or match.length == 1 or not self.joined(at + match.length):
            return match
        return match if match.of(Kind.MODEL) else self._unbroken(at, match)

    def crossing(self, at: int, end: int) -> int | None:
        """Where a phrase starts, between `at` and `end`, that goes on beyond `end`."""
        for start in range(at + 1, end):
            match = self.vocabulary.longest(self.atoms, start)
            if match is not None and match.of(Kind.VALUE) and start + match.length > end:
                return start
        return None

    def _unbroken(self, at: int, match: Match) -> Match:
        """`fused` of `fused adamw_8bit`: no phrase ends inside a joined name that is known."""
        start = self.crossing(at, at + match.length)
        if start is None or not all(self.joined(n) for n in range(start + 1, at + match.length)):
            return match
        return self.vocabulary.longest(self.atoms, at, below=start - at + 1) or match

    def quantity(self, at: int, *, keyed: bool = True) -> Quantity | None:
        """The quantity at `at`; what is no number at all is none, see `fault`."""
        if (at, keyed) not in self.quantities:
            try:
                found = quantity_at(self.atoms, at, self.vocabulary, keyed=keyed)
            except BadNumberError:
                found = None
            self.quantities[at, keyed] = found
        return self.quantities[at, keyed]

    def add(self, name: str, value: Value, at: int, length: int) -> int:
        """Take `length` atoms from `at` as the fact that `name` is `value`."""
        self.said.facts.append(Fact(name, value, self.text(at, length)))
        self.fact_end = at + length
        if name == "gpus":
            self.cards_end = at + length
        if name in ("room", "in_use"):
            self.room_end = at + length
        return length

    def fault(self, code: str, sentence: str, /, **values: object) -> None:
        """Something that cannot be, kept until the rest of the line is read."""
        self.said.faults.append(NotUnderstoodError(code, self.locale.say_wrong(sentence, **values)))

    def bad_number(self, at: int) -> int:
        """Take the atom at `at`, a number that nothing can have."""
        self.fault("bad_number", "bad_number", number=self.atoms[at].text[:MOST_ECHOED])
        return 1

    def between(self, at: int) -> str:
        """What stands between the atom at `at` and the one before, without spaces."""
        return self.source[self.atoms[at - 1].end : self.atoms[at].start].strip() if at else ""

    def joined(self, at: int) -> bool:
        """Whether the atom at `at` hangs on the one before, as in one word."""
        return at < len(self.atoms) and self.atoms[at].joined and not self.atoms[at].apart

    def parted(self, at: int) -> bool:
        """Whether a comma, a slash or the like stands before the atom at `at`."""
        between = self.source[self.atoms[at - 1].end : self.atoms[at].start] if at else ""
        return self.atoms[at].apart or "/" in between

    def may_train(self, at: int, end: int) -> bool:
        """Whether `full` at `at` may be said of training: `full ctx 8k`, but not `max ctx 8B`."""
        return self.atoms[at].text == "full" and self.is_numeric(end)

    def is_numeric(self, at: int) -> bool:
        return at < len(self.atoms) and self.atoms[at].numeric

    def is_key(self, at: int) -> bool:
        match = self.match(at)
        return match is not None and match.of(Kind.KEY) is not None
