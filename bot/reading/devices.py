"""Devices by other names than a card's: Macs, laptops, phones, cards that no table has.

Their memory is never taken for a class of cards. What they mean is settled once the whole
line is read: see `device_cards`.
"""

from bot.compiled import compiled
from bot.reading.facts import CardsSaid, Fact, Unread
from bot.reading.line import Line
from bot.reading.quantity import Quantity, gigabytes_at, unit_at
from bot.reading.vocabulary import Kind

DEVICE = "device"  # the field of a fact; its kind stands in `whole`
CHIP, MAC, LAPTOP, BRAND, UNKNOWN_CARD = "chip", "mac", "laptop", "brand", "card"
PREFIXES = ("a", "b", "gb", "gh", "gt", "h", "k", "l", "m", "mi", "p", "t")  # of names as `K80`
LONGEST_PREFIX = 2  # letters
LEAST_DIGITS = 2  # of such a name: `a16`, but not the `t5` of a model
SUFFIXES = ("ti", "super", "xt", "xtx", "xe", "nx", "agx", "nano", "pro", "max", "plus", "mini",
            "gre", "ada", "laptop", "mobile", "orin")  # fmt: skip
MAC_SIZES = (16, 18, 24, 32, 36, 48, 64, 96, 128, 192, 256, 512)
CARD_WORDS = ("gpu", "card", "gpus", "cards")

_GEFORCE = compiled(r"9[5-8]0|(?:10|20|30|40|50)[5-9]0|16[3-6]0")


def is_chip(line: Line, at: int) -> bool:
    """`h800`, `K80`: letters that begin cards' names glued to a number, and no name known."""
    atom, after = line.atoms[at], at + 1
    if atom.text not in PREFIXES or atom.glued or after >= len(line.atoms):
        return False
    number, match = line.atoms[after], line.match(at)
    whole = number.glued and number.whole is not None and len(number.text) >= LEAST_DIGITS
    if not whole or (match is not None and match.length > 1) or line.quantity(at) is not None:
        return False
    return after + 1 >= len(line.atoms) or not line.atoms[after + 1].glued


def is_geforce(line: Line, at: int) -> bool:
    """`3050`, `1660 ti`: a number as GeForce cards have it, of a card that no table has."""
    atom = line.atoms[at]
    return _GEFORCE.fullmatch(atom.text) is not None and not (atom.glued or atom.assigned)


def is_vram(line: Line, at: int) -> bool:
    """`8GB VRAM`, `8GB of VRAM`: a card's memory, whatever holds the card."""
    words = [atom.text for atom in line.atoms[at : at + 2]]
    return words[:1] == ["vram"] or words == ["of", "vram"]


def is_owned(line: Line, at: int, end: int) -> bool:
    """`on my 4gb`, `with 4 GB of VRAM`, `a 7gb card`: a size that is a card's beyond doubt."""
    words = [atom.text for atom in line.atoms[max(0, at - 2) : at]]
    before = words[-1:] == ["on"] or any(word in ("my", "our", "have", "got") for word in words)
    of_card = unit_at(line.atoms, end, line.vocabulary) == "of_card"
    return before or is_vram(line, end) or (of_card and line.atoms[end].text in CARD_WORDS)


def is_plain_memory(line: Line, end: int) -> bool:
    """`32 GB memory`: the host's, where a card is named beside it."""
    return end < len(line.atoms) and line.atoms[end].text in ("memory", "mem")


def goes_on(line: Line, at: int, kind: str) -> bool:
    """Whether a device's word is part of another name: the m3 of `bge-m3`, of `somename m3`."""
    together = kind == CHIP and line.unread_end == at and not line.atoms[at].apart
    return line.joined(at) or together


def take_device(line: Line, at: int, length: int, kind: str) -> int:
    """Atoms of the device at `at` with what belongs to its name, and its memory."""
    if kind == BRAND and _is_card(line, at + length):
        return length  # `NVIDIA RTX 3090`
    end = _end_of_name(line, at + length, kind)
    size = None if kind == LAPTOP else gigabytes_at(line.atoms, end, line.vocabulary)
    if kind == BRAND and end == at + length and size is None:  # `rtx` alone names no card
        line.said.unread.append(Unread(line.text(at, length)))
        return length
    if size is None and kind == MAC:
        size = _bare_size(line, end)
    name = line.text(at, end - at)
    count = _take_count(line, at)
    before = None if kind == LAPTOP or size is not None else _size_before(line, at)
    gigabytes = before if size is None else size[0]
    end += 0 if size is None else size[1]
    text = line.text(at, end - at)
    line.said.facts.append(Fact(DEVICE, CardsSaid(count, name, gigabytes), text, kind))
    line.fact_end = end
    return end - at


def _is_card(line: Line, at: int) -> bool:
    match = line.match(at)
    return match is not None and match.of(Kind.CARD) is not None and not line.atoms[at].apart


def _end_of_name(line: Line, end: int, kind: str) -> int:
    """The end of `tpu v4`, `rtx 3050 ti`, `raspberry pi 5`, `arc a770`."""
    if kind in (CHIP, MAC, LAPTOP):
        return end
    while end < len(line.atoms) and not line.atoms[end].apart:
        length = _part_of_name(line, end)
        if not length:
            break
        end += length
    return end


def _part_of_name(line: Line, at: int) -> int:
    """Atoms at `at` that go on with a device's name: `v4`, `3050`, `ti`, the e of `v5e`."""
    atom, after = line.atoms[at], at + 1
    if atom.text in SUFFIXES or (atom.numeric and _counts_nothing(line, at)):
        return 1
    if atom.numeric:
        return 0
    glued_number = after < len(line.atoms) and line.atoms[after].glued and line.atoms[after].numeric
    if glued_number and len(atom.text) <= LONGEST_PREFIX and line.quantity(at) is None:
        return 2
    return 1 if atom.glued and unit_at(line.atoms, at, line.vocabulary) is None else 0


def _counts_nothing(line: Line, at: int) -> bool:
    """Whether a number counts nothing behind it, but the 580 of `580 8GB` no sizes either."""
    quantity = line.quantity(at)
    if quantity is None or not quantity.facts:
        return quantity is not None and quantity.plain
    return counts_sizes(line, at, quantity)


def counts_sizes(line: Line, at: int, quantity: Quantity) -> bool:
    """`3050 8GB`: a number right before a size, without × between."""
    said = quantity.facts[0][1] if quantity.facts else None
    sized = isinstance(said, CardsSaid) and said.counted and not said.name
    return sized and at + 1 < len(line.atoms) and line.atoms[at + 1].numeric


def _take_count(line: Line, at: int) -> float:
    """The 8 and × of `8x H800`, which are left with no other meaning; 1 if there are none."""
    said, count = line.said, 1.0
    if at and line.atoms[at - 1].text == "x" and said.unread and said.unread[-1].text == "x":
        said.unread.pop()
        if said.loose and at > 1 and line.atoms[at - 2].numeric:
            said.loose.pop()
            count = line.atoms[at - 2].number or count
    return count


def _bare_size(line: Line, at: int) -> tuple[float, int] | None:
    """The 512 of `mac studio 512`: a number without a word that a Mac's memory may be."""
    quantity = line.quantity(at) if at < len(line.atoms) and line.atoms[at].numeric else None
    if quantity is None or not quantity.plain or quantity.length != 1 or line.atoms[at].apart:
        return None
    number = line.atoms[at].number
    return (number, 1) if number is not None and number in MAC_SIZES else None


def _size_before(line: Line, at: int) -> float | None:
    """The 16 of `16GB MacBook`, which is no card then."""
    last = line.said.facts[-1] if line.said.facts else None
    if last is None or line.fact_end != at or line.atoms[at].apart:
        return None
    if not isinstance(last.value, CardsSaid) or last.value.name or last.field != "gpus":
        return None
    line.said.facts.pop()
    return last.value.gigabytes
