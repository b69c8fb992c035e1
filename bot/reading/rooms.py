"""What of a card's memory is free or in use: `6 GB free of 8 GB`. It is no card of its own.

What is in use is taken off the card, see `in_use`; where nothing else tells the card, what
is available is taken for it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.data_sets import is_unit
from bot.reading.facts import CardsSaid, Fact, Said
from bot.reading.line import Line
from bot.reading.quantity import Quantity, gigabytes_at, unit_at
from bot.reading.scope import OTHER_KIND

ROOM, USED = "room", "in_use"  # fields of facts: memory that is free, and memory that is not
SHARE = "_share"  # ends the fields of parts in per cent
STATES = (ROOM, USED, ROOM + SHARE, USED + SHARE)
BETWEEN = ("of", "vram", "is", "are", "still", "already", "currently", "being", "only", "now",
           "memory", "mem", "gpu", "the", "on", "it", "card", "my", "each")  # fmt: skip
ABOUT = ("about", "around", "roughly", "approx", "approximately", "up", "to", "already",
         "currently", "some", "of", "nearly", "almost", "a", "is", "are", "now")  # fmt: skip
HOLDING = ("uses", "use", "using", "takes", "take", "taking", "took", "holds", "hold", "holding",
           "has", "have", "occupies", "occupying", "eats", "eating", "needs", "reserves",
           "consumes", "consuming", "wants", "got", "keeps")  # fmt: skip
GOING = ("by", "goes", "used", "taken", "held", "going", "occupied", "reserved")
BESIDE = "beside"  # the field of who else may hold memory: a desktop, another process
SIZE_ATOMS = 2  # of `2 GB`
FARTHEST = 4  # atoms between an amount and the verb of who holds it, and from there to them
MOST_BETWEEN = 3  # words between a size and what is said of it
SECOND_HAND = "used"  # of a card, where it stands before it
OWN = ("my", "the", "a", "an", "your", "our")


def take_room(line: Line, at: int, quantity: Quantity) -> int:
    """Atoms of a size at `at` that is free or in use; 0 where it is a card's."""
    end = at + quantity.length
    if not quantity.facts and line.atoms[at].percent:
        return _take_share(line, at, quantity)
    if not quantity.facts or quantity.facts[0][0] != "gpus":
        return 0
    if _is_size(quantity) and (others := _held_by_others(line, at, end)):
        return line.add(USED, _size(quantity), at, quantity.length + others - 1)
    state, length = _state_behind(line, end)
    tool = _is_tool(line, at, end)
    if _part_before(line, at) or ((state or tool) and _is_behind_slash(line, at)):
        _leave_part(line, state or (USED if tool else ROOM))
        known = tool and line.said.all_of("gpus")  # `3090, 1234MiB / 24576MiB`
        for name, value in () if known else quantity.facts:
            line.add(name, value, at, quantity.length)
        return quantity.length + length
    if behind := _size_behind_card(line, at, quantity):
        return behind
    if not state or not _is_size(quantity):
        return 0
    return line.add(state, _size(quantity), at, end + length - at)


def take_room_ahead(line: Line, at: int, length: int) -> int:
    """`free vram: 6 GB`: atoms of a word for free memory at `at` with the size behind it."""
    match = line.match(at)
    state = next((one for one in (ROOM, USED) if match is not None and is_unit(match, one)), None)
    if state is None or line.text(at, length).casefold() == SECOND_HAND:
        return 0
    place = at + length
    while place < min(len(line.atoms), at + length + MOST_BETWEEN) and _is_between(line, place):
        place += 1
    size = gigabytes_at(line.atoms, place, line.vocabulary)
    return 0 if size is None else line.add(state, size[0], at, place + size[1] - at)


def _size_behind_card(line: Line, at: int, quantity: Quantity) -> int:
    """`3090 2GB in use`: the size behind a card's name is not the card's; 0 for any other."""
    said, end = quantity.facts[0][1], at + quantity.length
    if not isinstance(said, CardsSaid) or not said.name or said.gigabytes is None:
        return 0
    state, length = _state_behind(line, end)
    others = _held_by_others(line, end, end)
    plain = line.text(end, length).casefold() == SECOND_HAND if length else True
    if quantity.length <= SIZE_ATOMS or (not others and (not state or plain)):
        return 0
    line.add("gpus", replace(said, gigabytes=None), at, quantity.length - SIZE_ATOMS)
    held = length if state else 0
    held = others - 1 if others else held
    start = end - SIZE_ATOMS
    line.add(USED if others else state, said.gigabytes, start, SIZE_ATOMS + held)
    return quantity.length + held


def _take_share(line: Line, at: int, quantity: Quantity) -> int:
    """`20% in use`, `80% of it free`."""
    state, length = _state_behind(line, at + quantity.length)
    if not state or quantity.number is None:
        return 0
    return line.add(state + SHARE, quantity.number, at, quantity.length + length)


def _held_by_others(line: Line, at: int, end: int) -> int:
    """One more than the atoms behind a size that say who holds it; 1 where that is before it.

    `my desktop uses 1.2 GB`, `2GB used by chrome`.
    """
    place = at - 1
    while place > 0 and at - place <= FARTHEST and line.atoms[place].text in ABOUT:
        place -= 1
    if place > 0 and line.atoms[place].text in HOLDING and not line.atoms[at].apart:
        for start in range(place - 1, max(-1, place - 1 - FARTHEST), -1):
            if _is_other(line, start):
                _as_program(line, start)
                return 1
    place, gone = end, False
    while place < min(len(line.atoms), end + FARTHEST) and not line.atoms[place].apart:
        match = line.match(place)
        if gone and match is not None and _is_other(line, place):
            return place + match.length - end + 1
        word = line.atoms[place].text
        gone = gone or word in GOING or (word == "for" and line.cards_end >= 0)
        place += 1
    return 0


def _is_other(line: Line, at: int) -> bool:
    match = line.match(at)
    return match is not None and any(m.field == BESIDE for m in match.meanings)


def _as_program(line: Line, at: int) -> None:
    """Who holds memory is no model that is asked about: `comfyui is using 9GB`."""
    match = line.match(at)
    name = "" if match is None else line.text(at, match.length)
    facts = line.said.facts
    facts[:] = [fact for fact in facts if (fact.field, fact.text) != (OTHER_KIND, name)]


def _is_tool(line: Line, at: int, end: int) -> bool:
    """The `24576MiB` of `1234MiB / 24576MiB`, as nvidia-smi shows what is used of all."""
    units = [unit_at(line.atoms, n, line.vocabulary) for n in (at - 1, end - 1)]
    return at > 0 and units == ["megabytes", "megabytes"]


def settle_rooms(said: Said, locale: Locale) -> None:
    """Where no card is named, what is available is taken for one."""
    free = said.all_of(ROOM)
    if said.all_of("gpus") or len(free) != 1 or said.all_of(USED):
        return
    size = free[0].value
    if isinstance(size, float):
        said.facts.append(Fact("gpus", CardsSaid(1, "", size), free[0].text))
        said.remarks.append(locale.say("room_taken", words=echo(free[0].text)))


def rooms_aside(said: Said, fields: Mapping[str, Any]) -> list[str]:
    """What was said to be free or in use, and is not counted."""
    if "in_use_bytes" in fields:
        return []
    cards = [fact.text for fact in said.all_of("gpus")]
    return [f.text for f in said.facts if f.field in STATES and f.text not in cards]


def _size(quantity: Quantity) -> float:
    said = quantity.facts[0][1]
    return said.gigabytes or 0 if isinstance(said, CardsSaid) else 0


def _is_size(quantity: Quantity) -> bool:
    said = quantity.facts[0][1]
    return isinstance(said, CardsSaid) and not (said.name or said.counted)


def _state_behind(line: Line, end: int) -> tuple[str, int]:
    """What is said of the size that ends at `end`, and the atoms up to the end of that."""
    at = end
    for _ in range(MOST_BETWEEN + 1):
        unit = unit_at(line.atoms, at, line.vocabulary)
        match = line.match(at)
        if unit in STATES and match is not None:
            behind = gigabytes_at(line.atoms, at + match.length, line.vocabulary)
            if behind is not None and match.length > 1:  # `24gb in use 4GB`: it is of those
                return "", 0
            return str(unit), at + match.length - end
        if at >= len(line.atoms) or not _is_between(line, at):
            break
        at += 1
    return "", 0


def _is_between(line: Line, at: int) -> bool:
    return line.atoms[at].text in BETWEEN and not line.atoms[at].apart


def _part_before(line: Line, at: int) -> bool:
    """Whether the cards at `at` are what a part was said `of`: `6gb of 8gb`, `6 of my 24gb`."""
    place = at - 1
    while place > 0 and line.atoms[place].text in OWN:
        place -= 1
    if place <= 0 or line.atoms[place].text != "of" or line.atoms[at].apart:
        return False
    place -= line.atoms[place - 1].text == "out"
    return place in (line.room_end, line.cards_end, line.loose_end) and place > 0


def _is_behind_slash(line: Line, at: int) -> bool:
    """`6/8gb free`: a part and the whole."""
    return line.parted(at) and not line.atoms[at].apart and at in (line.cards_end, line.loose_end)


def _leave_part(line: Line, state: str) -> None:
    """The part before `of`, which is no card, nor a number without a word."""
    said = line.said
    last = said.facts[-1] if said.facts else None
    if line.loose_end > max(line.cards_end, line.room_end) and said.loose:
        said.facts.append(Fact(state, said.loose[-1], f"{said.loose.pop()} GB"))
        return
    size = last.value if last is not None and last.field == "gpus" else None
    if last is not None and isinstance(size, CardsSaid) and not size.name:
        said.facts[-1] = Fact(state, size.gigabytes or 0, last.text)
