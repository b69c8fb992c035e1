"""What of a card's memory is free or in use: `6 GB free of 8 GB`. It is no card of its own.

An estimate is held against the whole card, so it is said and left aside; where nothing
else tells the card, what is available is taken for it.
"""

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import CardsSaid, Fact, Said
from bot.reading.line import Line
from bot.reading.quantity import Quantity, gigabytes_at, unit_at

ROOM, USED = "room", "in_use"  # fields of facts: memory that is free, and memory that is not
STATES = (ROOM, USED)
BETWEEN = ("of", "vram", "is", "are", "still", "already", "currently", "being", "only", "now",
           "memory", "mem", "gpu", "the", "on", "it")  # fmt: skip
MOST_BETWEEN = 3  # words between a size and what is said of it
SECOND_HAND = "used"  # of a card, where it stands before it
OWN = ("my", "the", "a", "an", "your", "our")


def take_room(line: Line, at: int, quantity: Quantity) -> int:
    """Atoms of a size at `at` that is free or in use; 0 where it is a card's."""
    if not quantity.facts or quantity.facts[0][0] != "gpus":
        return 0
    end = at + quantity.length
    state, length = _state_behind(line, end)
    if _part_before(line, at) or (state and _is_behind_slash(line, at)):
        _leave_part(line, state or ROOM)
        for name, value in quantity.facts:
            line.add(name, value, at, quantity.length)
        return quantity.length + length
    if not state or not _is_size(quantity):
        return 0
    return line.add(state, _size(quantity), at, end + length - at)


def take_room_ahead(line: Line, at: int, length: int) -> int:
    """`free vram: 6 GB`: atoms of a word for free memory at `at` with the size behind it."""
    if unit_at(line.atoms, at, line.vocabulary) != ROOM:
        return 0
    place = at + length
    while place < min(len(line.atoms), at + length + MOST_BETWEEN) and _is_between(line, place):
        place += 1
    size = gigabytes_at(line.atoms, place, line.vocabulary)
    return 0 if size is None else line.add(ROOM, size[0], at, place + size[1] - at)


def settle_rooms(said: Said, locale: Locale) -> None:
    """Where no card is named, what is available is taken for one."""
    free = said.all_of(ROOM)
    if said.all_of("gpus") or len(free) != 1 or said.all_of(USED):
        return
    size = free[0].value
    if isinstance(size, float):
        said.facts.append(Fact("gpus", CardsSaid(1, "", size), free[0].text))
        said.remarks.append(locale.say("room_taken", words=echo(free[0].text)))


def rooms_aside(said: Said) -> list[str]:
    """What was said to be free or in use, and is not counted."""
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
