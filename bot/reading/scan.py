"""Atoms → facts: walks a line once and takes the longest thing that it can read.

At each atom either a number leads (`2x3090`, `7B`, `8k ctx`, `4 users`), or a key takes
the number beside it (`bs 4`), or a phrase of the vocabulary says something by itself.
Nothing is refused here: what cannot be is noted, and the walk goes on.
"""

from dataclasses import dataclass, replace

from bot.reading.alternatives import is_behind_slash, note_range, take_bare_size
from bot.reading.aside import doubt, take_silent, take_unknown
from bot.reading.blocks import take_last
from bot.reading.denials import NEGATING, begin, denial, go_on, is_denied, reach, take_denied
from bot.reading.devices import (
    DEVICE,
    UNKNOWN_CARD,
    counts_sizes,
    goes_on,
    is_geforce,
    is_owned,
    is_plain_memory,
    is_vram,
    take_device,
)
from bot.reading.facts import CardsSaid, Fact, Value
from bot.reading.first_glance import take_code, take_filler
from bot.reading.fitting import fitting, without_number
from bot.reading.images import field_of_images
from bot.reading.keys import FULL_CONTEXT, hint, take_idle_number, take_key
from bot.reading.line import Line
from bot.reading.listing import LISTED, is_listed
from bot.reading.mend import Mender
from bot.reading.names import VARIANT, take_model, take_variant, take_version
from bot.reading.nodes import EACH, NODES, field_of_nodes, take_each
from bot.reading.number_lists import note_slash, take_number
from bot.reading.quantity import Quantity, unit_at
from bot.reading.rooms import take_room, take_room_ahead
from bot.reading.saving import PLAIN_MODULES, take_saved
from bot.reading.switches import SWITCHED, both_behind, is_usual, off, switch_at
from bot.reading.totals import take_batch
from bot.reading.vocabulary import Kind, Match, Meaning

PREFERRED = (
    "negation",
    "switch",
    "precision",
    "optimizer_kind",
    "optimizer",
    "method",
    "weights",
    "objective",
)
SHORT_WORD = 3  # letters that leave open whether a word is a thing to count


@dataclass(slots=True)
class Scanner:
    """One walk over one line."""

    line: Line
    mender: Mender
    families: frozenset[str]

    def run(self) -> None:
        """Read the whole line; every step goes on by an atom at least."""
        at = 0
        while at < len(self.line.atoms):
            denied = at in (self.line.no_end, self.line.denied_end)
            taken = self._turned(at) if denied else take_filler(self.line, at)
            at += taken or max(1, self._step(at))

    def _turned(self, at: int) -> int:
        """What a denial before `at` reaches; 0 where there is none."""
        go_on(self.line, at)
        if not is_denied(self.line, at):
            return 0
        return reach(self.line, at, self.line.match(at)) or take_denied(self.line, at, self._step)

    def _step(self, at: int) -> int:
        line = self.line
        if not line.atoms[at].numeric and (taken := take_code(line, at)):
            return taken
        if line.match(at) is not None and (taken := take_last(line, at) or take_saved(line, at)):
            return taken
        match, quantity = line.match(at), line.quantity(at)
        if match is None and not line.atoms[at].numeric:
            match = self._mended(at)
            if match is None:
                return take_unknown(line, at, self.families)
            quantity = line.quantity(at)
        if match is not None:
            match = fitting(line, at, without_number(line, at, match))
        if quantity is not None and (match is None or quantity.length > match.length):
            return self._take_quantity(at, quantity)
        if match is not None:
            return self._take_phrase(at, match)
        return take_idle_number(line, at) or line.bad_number(at)

    def _mended(self, at: int) -> Match | None:
        """Put the word that a typing error means in its place; what stands there then."""
        meant = self.mender.meant(self.line.atoms[at].text)
        if meant is not None:
            self.line.said.corrections.append((self.line.text(at, 1), meant))
            self.line.respell(at, meant)
        return self.line.match(at)

    def _take_quantity(self, at: int, quantity: Quantity) -> int:
        nothing = not quantity.facts or counts_sizes(self.line, at, quantity)
        if nothing and is_geforce(self.line, at):
            return take_device(self.line, at, 1, UNKNOWN_CARD)
        taken = take_room(self.line, at, quantity)
        if taken:
            return taken
        length = quantity.length
        note_slash(self.line, at)
        for name, value in quantity.facts:
            if name == "gpus" and isinstance(value, CardsSaid):
                self._note_list(at, value)
            length += self._add(at, name, value, quantity)
        if not quantity.facts and self._is_filler(at, length):  # the `single` of `single 8xH100`
            self.line.said.fillers += 1
        elif not quantity.facts:
            doubt(self.line, at)
            length = take_number(self.line, at, quantity)
        return length

    def _is_filler(self, at: int, length: int) -> bool:
        match = self.line.match(at)
        return match is not None and match.length == length and bool(match.of(Kind.FILLER))

    def _note_list(self, at: int, cards: CardsSaid) -> None:
        """How the cards at `at` stand to those before them."""
        note_range(self.line, at)
        if not cards.name:
            take_bare_size(self.line, at)
        if is_listed(self.line, at):
            self.line.said.facts.append(Fact(LISTED, "", self.line.between(at)))
        if is_behind_slash(self.line, at):
            self.line.said.facts.append(Fact("either", "/", "/"))

    def _add(self, at: int, name: str, value: Value, quantity: Quantity) -> int:
        """Add one fact of a quantity; atoms behind it that belong to it as well."""
        line, end = self.line, at + quantity.length
        if name == "batch" and isinstance(value, (int, float)):
            return take_batch(line, name, value, at, end)
        if name == "length" and self._counts_unread(at, quantity):
            line.said.loose.append(line.text(at, quantity.length))
            return 0
        name = field_of_nodes(line, at) if name == NODES else name
        name = field_of_images(line, name, at, value, end)
        if isinstance(value, CardsSaid):
            plain = not (value.name or value.counted) and is_plain_memory(line, end)
            if plain or is_owned(line, at, end):
                owned = is_owned(line, at, end)
                value = replace(value, owned=owned, as_ram=value.as_ram or plain)
        line.add(name, value, at, quantity.length)
        if name == "size":
            line.name_end = end
        if name == "gpus" and is_vram(line, end):
            line.said.facts.append(Fact("vram", "vram", "vram"))
        return 0

    def _counts_unread(self, at: int, quantity: Quantity) -> bool:
        """`20k widgets`: a bare length that counts a word nobody knows here is none."""
        line, after = self.line, at + quantity.length
        if not quantity.plain or after >= len(line.atoms) or line.atoms[after].apart:
            return False
        atom = line.atoms[after]
        word = not atom.numeric and len(atom.text) > SHORT_WORD
        known = atom.text in self.families or self.mender.meant(atom.text) is not None
        return word and not known and not line.joined(after) and line.match(after) is None

    def _take_phrase(self, at: int, match: Match) -> int:
        key = match.of(Kind.KEY)
        taken = 0 if key is None else take_key(self.line, at, match, key)
        if taken:
            return taken
        taken = take_room_ahead(self.line, at, match.length)
        if taken:
            return taken
        take_each(self.line, at)
        if unit_at(self.line.atoms, at, self.line.vocabulary) == EACH:
            self.line.said.fillers += 1
            return self.line.add(EACH, EACH, at, match.length)
        value = _preferred(match)
        if value is not None and value.field == DEVICE and goes_on(self.line, at, value.value):
            return take_unknown(self.line, at, self.families)
        if value is not None and value.field == DEVICE:
            return take_device(self.line, at, match.length, value.value)
        if value is not None:
            return self._take_turn(at, match, value) or self._take_value(at, match, value)
        if match.of(Kind.CARD) or match.of(Kind.NUMBER):
            return self._take_card(at, match)
        return take_silent(self.line, at, match)

    def _take_turn(self, at: int, match: Match, value: Meaning) -> int:
        """A word that turns what follows (`no`, `with and without`), and what it has turned."""
        line = self.line
        if value.field == "both_ways":
            line.both_end = at + match.length
            return match.length
        if line.both_end == at and not line.atoms[at].apart:
            return line.add("both_ways", line.text(at, match.length), at, match.length)
        if value.field == "negation":
            begin(line, at, match.length, verb=value.value == "verb")
        if value.field in ("negation", "switch"):
            return take_silent(line, at, match)
        return 0

    def _take_value(self, at: int, match: Match, value: Meaning) -> int:
        line = self.line
        if value.kind is Kind.MODEL:
            return take_model(line, at, match.length, value.value)
        if value.field == VARIANT:
            return take_variant(line, at, match)
        if value.value == FULL_CONTEXT and line.may_train(at, at + match.length):
            return self._take_full(at, match)
        if value.field in SWITCHED:
            if both := both_behind(line, at + match.length):
                return line.add("both_ways", line.text(at, match.length), at, match.length) + both
            switched = self._take_switched(at, match, value)
            if switched:
                return switched
        length, state = switch_at(line, at + match.length)
        if state is False:  # `lora: false` says what it is not
            whole = line.text(at, match.length + length)
            line.said.unread.append(denial(whole, value.field, value.value))
            return match.length + length
        if value.field == "module":
            if value.value in PLAIN_MODULES and line.list_end != at:
                return take_silent(line, at, match)
            line.list_end = at + match.length
        self._note_hints(at, match, value)
        line.add(value.field, value.value, at, match.length)
        if line.atoms[at].text in NEGATING:
            line.denied_end = at + match.length
        if value.field in ("engine", "engine_version"):
            return match.length + take_version(line, at + match.length, value.value)
        return match.length

    def _note_hints(self, at: int, match: Match, value: Meaning) -> None:
        """`lora targets attention` speaks of LoRA; `4bit adam 8bit` leaves open which is whose."""
        line = self.line
        if value.field == "targets":
            hint(line, at, match.length)
        if value.field != "optimizer_kind":
            return
        start = line.crossing(at, at + match.length)
        other = None if start is None else line.match(start)
        other_kind = None if other is None else _preferred(other)
        if start is None or other_kind is None or other_kind.field != value.field:
            return
        if other_kind.value != value.value:
            line.add("between", value.field, start, at + match.length - start)

    def _take_switched(self, at: int, match: Match, value: Meaning) -> int:
        """A setting with a switch behind it or a `no` before it; 0 if there is neither."""
        length, state = switch_at(self.line, at + match.length)
        denied = is_denied(self.line, at) and not self.line.no_verb
        on = state is not False and not denied
        if (state is None and not denied) or (not on and is_usual(value)):
            return 0
        meant = value if on else off(value)
        if meant is not None:
            self.line.add(meant.field, meant.value, at, match.length + length)
        if not on:
            self.line.denied_end = at + match.length + length
        return match.length + length

    def _take_full(self, at: int, match: Match) -> int:
        """`full ctx 8k`: all of the window, or full training with one of 8k; both are noted."""
        self.line.add("flag", FULL_CONTEXT, at, match.length)
        self.line.add("method_hint", "full", at, 1)
        return 1

    def _take_card(self, at: int, match: Match) -> int:
        quantity = self.line.quantity(at)
        if quantity is not None:
            return self._take_quantity(at, quantity)
        if match.of(Kind.FILLER) is None:
            self.line.said.loose.append(self.line.text(at, match.length))
        return match.length


def _preferred(match: Match) -> Meaning | None:
    """The phrase's value, or the model it names; the more general of two readings."""
    values = [m for m in match.meanings if m.kind in (Kind.VALUE, Kind.MODEL)]
    for name in PREFERRED:
        for meaning in values:
            if meaning.field == name:
                return meaning
    return values[0] if values else None
