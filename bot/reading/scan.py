"""Atoms → facts: walks a line once and takes the longest thing that it can read.

At each atom either a number leads (`2x3090`, `7B`, `8k ctx`, `4 users`), or a key takes
the number beside it (`bs 4`), or a phrase of the vocabulary says something by itself.
"""

from dataclasses import dataclass, field, replace

from rapidfuzz.distance import OSA

from bot.locale import Locale
from bot.reading.atoms import Atom
from bot.reading.facts import Fact, NotUnderstoodError, Said, Unread
from bot.reading.numbers import (
    BadNumberError,
    Quantity,
    quantity_at,
)
from bot.reading.vocabulary import Kind, Match, Meaning, Vocabulary

CONNECTORS = ("of", "is", "to", "at", "set", "size", "length", "len", "per")
IDLE_KEYS = ("world", "users", "kv", "prompt", "context", "seq", "batch", "ignored", "gpu_layers")
ADAPTERS = ("lora", "qlora", "dora")
SHORT, LONG = 5, 8  # letters from which one, and two, typing errors are forgiven


@dataclass(slots=True)
class Scanner:
    """One walk over one line."""

    atoms: tuple[Atom, ...]
    vocabulary: Vocabulary
    locale: Locale
    families: frozenset[str]
    said: Said
    source: str
    corrected: set[int] = field(default_factory=set)  # places where a typing error was mended

    def run(self) -> Said:
        at = 0
        while at < len(self.atoms):
            at += self._step(at)
        return self.said

    def _step(self, at: int) -> int:
        match = self.vocabulary.longest(self.atoms, at)
        quantity = self._quantity(at)
        if quantity is not None and (match is None or quantity.length > match.length):
            return self._take_quantity(at, quantity)
        if match is not None:
            return self._take_phrase(at, match)
        atom = self.atoms[at]
        if atom.numeric:
            self.said.loose.append(atom.text)
            return 1
        return self._take_unknown(at)

    def _quantity(self, at: int) -> Quantity | None:
        try:
            return quantity_at(self.atoms, at, self.vocabulary)
        except BadNumberError as error:
            message = self.locale.say_wrong("bad_number", number=error.text[:40])
            raise NotUnderstoodError("bad_number", message) from None

    def _take_quantity(self, at: int, quantity: Quantity) -> int:
        text = self._text(at, quantity.length)
        for name, value in quantity.facts:
            self.said.add(name, value, text)
        if not quantity.facts:
            self.said.loose.append(text)
        return quantity.length

    def _take_phrase(self, at: int, match: Match) -> int:
        key = match.of(Kind.KEY)
        if key is not None:
            taken = self._take_key(at, match, key)
            if taken:
                return taken
        value = _preferred(match)
        if value is not None and value.kind is Kind.MODEL:
            return self._take_model(at, match.length, value.value)
        if value is not None:
            self.said.add(value.field, value.value, self._text(at, match.length))
            return match.length
        if match.of(Kind.CARD) or match.of(Kind.NUMBER):
            # a card or number word alone: counted as one, or said to be loose
            return self._take_card(at, match)
        if match.of(Kind.FILLER) or match.of(Kind.SLOT):
            self.said.fillers += 1 if match.of(Kind.FILLER) else 0
            return match.length
        if key is not None and key.field in IDLE_KEYS:
            if key.field == "context":
                self.said.add("task_hint", "infer", self._text(at, match.length))
            return match.length
        return self._take_unknown(at, match.length)

    def _take_model(self, at: int, length: int, model: str) -> int:
        """A model's name; whatever is joined to it must be readable too, or it is another."""
        end = at + length
        text = self._text(at, length)
        tail = self._tail(end)
        self.said.facts.append(Fact("model", model, text, tail))
        return length

    def _tail(self, end: int) -> str:
        """What stands joined behind a name and is no word, format, or number with a unit."""
        if end and self.source[self.atoms[end - 1].end :][:1] == "+":
            return "+"
        while end < len(self.atoms) and self.atoms[end].joined and not self.atoms[end].apart:
            match = self.vocabulary.longest(self.atoms, end)
            if match is None:
                quantity = self._quantity(end)
                if quantity is None or quantity.plain:
                    return self._text(end, 1)
                end += quantity.length
            else:
                end += match.length
        return ""

    def _take_card(self, at: int, match: Match) -> int:
        quantity = self._quantity(at)
        if quantity is not None:
            return self._take_quantity(at, quantity)
        if match.of(Kind.FILLER) is None:
            self.said.loose.append(self._text(at, match.length))
        return match.length

    def _take_key(self, at: int, match: Match, key: Meaning) -> int:
        """A key with the value after it; 0 if there is none."""
        behind = at + match.length
        while behind < len(self.atoms) and self.atoms[behind].text in CONNECTORS:
            behind += 1
        if key.field == "kv":
            return self._take_kv(at, behind)
        if behind >= len(self.atoms) or self.atoms[behind].apart:
            return 0
        atom = self.atoms[behind]
        if not atom.numeric and self._number_word(behind) is None:
            if atom.text in ("nan", "inf", "infinity", "infinite"):
                raise NotUnderstoodError(
                    "no_value", self.locale.say_wrong("no_value", key=self._text(at, match.length))
                )
            return 0
        quantity = self._quantity(behind)
        if quantity is not None and not quantity.plain and key.field not in quantity.may_be:
            return 0
        length, number = (
            (1, atom.number) if quantity is None else (quantity.length, quantity.number)
        )
        if number is None and self._number_word(behind) is not None:
            number = self._number_word(behind)
        if number is None:
            message = self.locale.say_wrong("bad_number", number=atom.text[:40])
            raise NotUnderstoodError("bad_number", message)
        text = self._text(at, behind + length - at)
        self.said.add(key.field, number, text)
        if self.atoms[at].text in ADAPTERS:  # `lora_r: 32` speaks of the method, weakly
            self.said.add("method_hint", self.atoms[at].text, text)
        return behind + length - at

    def _take_kv(self, at: int, behind: int) -> int:
        """`kv q8`, `kv cache fp8`; and before it: `fp8 kv`, read when the format was taken."""
        match = self.vocabulary.longest(self.atoms, behind) if behind < len(self.atoms) else None
        value = None if match is None else _preferred(match)
        if match is not None and value is not None and value.field in ("weights", "precision"):
            length = behind + match.length - at
            self.said.add("kv", value.value, self._text(at, length))
            return length
        last = self.said.facts[-1] if self.said.facts else None
        if last is not None and last.field in ("weights", "precision"):
            self.said.facts[-1] = type(last)("kv", last.value, last.text)
        return behind - at

    def _number_word(self, at: int) -> float | None:
        match = self.vocabulary.longest(self.atoms, at)
        number = None if match is None else match.of(Kind.NUMBER)
        return None if number is None else float(number.value)

    def _take_unknown(self, at: int, length: int = 1) -> int:
        text = self._text(at, length)
        meant = self._meant(self.atoms[at].text) if length == 1 else None
        if meant is not None and at not in self.corrected:
            self.corrected.add(at)
            self.said.corrections.append((text, meant))
            mended = replace(self.atoms[at], text=meant)
            self.atoms = (*self.atoms[:at], mended, *self.atoms[at + 1 :])
            return 0
        if self.atoms[at].text in self.families:
            return self._take_half_name(at)
        while at + length < len(self.atoms) and self.atoms[at + length].glued:
            length += 1
        text = self._text(at, length)
        self.said.unread.append(Unread(text, self._slot_beside(at, length)))
        return length

    def _take_half_name(self, at: int) -> int:
        """A family's name without a model of the table: `qwen`, `llama 9`."""
        end = at + 1
        while end < len(self.atoms) and self.atoms[end].numeric:
            if self._quantity(end) is not None:
                break
            end += 1
        text = self._text(at, end - at)
        self.said.facts.append(Fact("half_name", text, text, self._tail(end)))
        return end - at

    def _meant(self, word: str) -> str | None:
        """The one known word that `word` may be a typing error of."""
        if word in self.families:
            return None
        most = 2 if len(word) >= LONG else 1
        near = [
            known
            for known in self.vocabulary.words
            if known[0] == word[0]
            and abs(len(known) - len(word)) <= most
            and len(known) >= SHORT - 1
            and OSA.distance(word, known, score_cutoff=most) <= most
        ]
        if len(word) < SHORT:
            near = [known for known in near if sorted(known) == sorted(word)]
        return near[0] if len(near) == 1 else None

    def _slot_beside(self, at: int, length: int) -> str | None:
        for place in (at - 1, at + length):
            if 0 <= place < len(self.atoms):
                match = self.vocabulary.longest(self.atoms, place)
                slot = None if match is None else match.of(Kind.SLOT)
                if slot is not None and slot.field not in ("gpus", "model", "weights", "method"):
                    return slot.field
        return None

    def _text(self, at: int, length: int) -> str:
        return self.source[self.atoms[at].start : self.atoms[at + length - 1].end]


PREFERRED = ("precision", "optimizer_kind", "optimizer", "method", "weights")


def _preferred(match: Match) -> Meaning | None:
    """The phrase's value, or the model it names; the more general of two readings."""
    values = [m for m in match.meanings if m.kind in (Kind.VALUE, Kind.MODEL)]
    for name in PREFERRED:
        for meaning in values:
            if meaning.field == name:
                return meaning
    return values[0] if values else None
