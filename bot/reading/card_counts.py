"""Cards and memory with their numbers: `2x3090`, `A100 80GB x4`, `3x 24GB`, `64 GB RAM`."""

from collections.abc import Sequence
from dataclasses import replace

from bot.reading.atoms import Atom
from bot.reading.facts import CardsSaid
from bot.reading.quantity import Quantity, gigabytes_at, ram_at, size_of, unit_at
from bot.reading.vocabulary import SHORT_UNITS, Kind, Match, Vocabulary
from estimator import GB

MAKERS = ("nvidia", "amd", "intel", "apple", "google", "huawei")
FORMS = ("sxm", "pcie", "oam", "hbm")  # boards and memories, with a number or without
MOST_COUNTED = 4096  # a number before a card's bare name counts cards up to here


def counted_cards_at(
    atoms: Sequence[Atom],
    at: int,
    number: float,
    length: int,
    vocabulary: Vocabulary,
    *,
    claimed: bool = False,
    inner: bool = False,
) -> Quantity | None:
    """`2x3090`, `4 A100s 80GB`, `3x 24GB`; where `tp=` has `claimed` the number, only by ×."""
    behind = at + length
    times = unit_at(atoms, behind, vocabulary) == "times"
    behind += 1 if times else 0
    if not times and (claimed or number < 0):
        return None
    if behind < len(atoms) and (atoms[behind].apart or _is_range(atoms, behind, times=times)):
        return None
    if atoms[at].glued and not times and SHORT_UNITS.get(atoms[at - 1].text) != "times":
        return None  # the 40 of `M40 24GB` counts nothing
    several = _product_at(atoms, behind, number, vocabulary) if times and not inner else None
    if several is not None:
        return Quantity(behind - at + several.length, several.facts)
    behind += _maker_at(atoms, behind, vocabulary)
    cards = cards_at(atoms, behind, vocabulary, count=number, lead=behind - at)
    if times or number <= MOST_COUNTED or cards is None:
        return cards
    said = cards.facts[0][1]  # `16384 H100s`, `16384 H100 GPUs`; a context's length otherwise
    behind = at + cards.length
    named = isinstance(said, CardsSaid) and bool(said.name)
    many = unit_at(atoms, behind, vocabulary) == "of_card" and atoms[behind].text.endswith("s")
    plural = isinstance(said, CardsSaid) and not said.bare
    on = at > 0 and atoms[at - 1].text == "on" and not atoms[at].apart
    return cards if named and (plural or many or on) else None


def _product_at(
    atoms: Sequence[Atom], at: int, times: float, vocabulary: Vocabulary
) -> Quantity | None:
    """The `8xH100` of `2x8xH100`, counted as often as is said before it."""
    number = atoms[at].number if at < len(atoms) else None
    match = None if number is None else vocabulary.longest(atoms, at)
    if number is None or (match is not None and match.of(Kind.CARD) is not None):
        return None
    if unit_at(atoms, at + 1, vocabulary) in ("gigabytes", "megabytes"):
        return None
    cards = counted_cards_at(atoms, at, number, 1, vocabulary, inner=True)
    said = None if cards is None else cards.facts[0][1]
    if cards is None or not isinstance(said, CardsSaid):
        return None
    return Quantity(cards.length, (("gpus", replace(said, count=said.count * times)),))


def _maker_at(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> int:
    """Atoms of `NVIDIA`, `NVIDIA RTX`, `AMD` before a card's name."""
    match = vocabulary.longest(atoms, at) if at < len(atoms) else None
    if match is None or match.of(Kind.CARD) is not None:
        return 0
    makes = any("brand" in (m.value, m.field) for m in match.meanings)
    makes = makes or atoms[at].text in MAKERS
    if not makes and unit_at(atoms, at, vocabulary) != "of_card":
        return 0
    behind = at + match.length
    card = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
    named = card is not None and card.of(Kind.CARD) is not None and not atoms[behind].apart
    return match.length if named else 0


def _is_range(atoms: Sequence[Atom], at: int, *, times: bool) -> bool:
    """The 48 of `24/48GB` and `24-48GB`, which 24 does not count."""
    atom = atoms[at]
    return atom.numeric and atom.joined and not atom.glued and not times


def cards_at(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, *, count: float | None, lead: int
) -> Quantity | None:
    """A card's name with the size and count around it; `lead` atoms before it are its too."""
    if _maker_alone(atoms, at, vocabulary):
        at, lead = at + 1, lead + 1
    match = vocabulary.longest(atoms, at) if at < len(atoms) else None
    card = None if match is None else match.of(Kind.CARD)
    if match is None or card is None:
        return _class(atoms, at, vocabulary, count or 0, lead) if lead else None
    end = _past_unit(atoms, at + match.length, vocabulary)
    behind = _past_plural(atoms, _past_form(atoms, end))
    plural = behind > end
    if _goes_on(atoms, behind):
        return None
    own = unit_at(atoms, behind - 1, vocabulary) == "gigabytes"  # `A100 40GB` of `A100 40GB/80GB`
    size = None if own else gigabytes_at(atoms, behind, vocabulary)
    ram = 0
    if size is not None:
        ram = ram_at(atoms, behind + size[1], vocabulary)
        behind += size[1] + ram
    elif own:  # `M3 Max 64GB RAM`
        behind += ram_at(atoms, behind, vocabulary)
    if size is None and count is None:
        size, count, behind = _bracketed(atoms, behind, vocabulary)
    if count is None:
        count, behind = _count_after(atoms, behind, vocabulary)
    said = CardsSaid(
        1 if count is None else count,
        card.value,
        None if size is None else size[0],
        counted=count is not None,
        bare=bool(lead) and not plural and SHORT_UNITS.get(atoms[at - 1].text) != "times",
        as_ram=ram > 0,
    )
    return Quantity(behind - at + lead, (("gpus", said),))


def _maker_alone(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> bool:
    """Whether more is known of a card without its maker: `NVIDIA`, and then `A100 PCIe 80GB`."""
    if at >= len(atoms) or atoms[at].text not in MAKERS:
        return False
    whole = vocabulary.longest(atoms, at)
    rest = vocabulary.longest(atoms, at + 1) if at + 1 < len(atoms) else None
    known = whole is not None and whole.of(Kind.CARD) is not None
    longer = rest is not None and whole is not None and rest.length + 1 > whole.length
    return known and longer and rest is not None and rest.of(Kind.CARD) is not None


def _past_unit(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> int:
    """Behind the G of `V100 32G`, of which a name says the number alone."""
    glued = at < len(atoms) and atoms[at].glued and atoms[at - 1].numeric
    return at + 1 if glued and unit_at(atoms, at, vocabulary) == "gigabytes" else at


def _past_form(atoms: Sequence[Atom], at: int) -> int:
    """Past what kind of board or memory a card has: `H100 SXM5 80 GB`, `H100 HBM3`."""
    if at >= len(atoms) or atoms[at].apart or atoms[at].text not in FORMS:
        return at
    number = at + 1 < len(atoms) and atoms[at + 1].glued and atoms[at + 1].numeric
    return at + (2 if number else 1)


def _class(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, count: float, lead: int
) -> Quantity | None:
    """`2x 24GB`, and `2x 24GB 3090`, whose size stands before its name."""
    size = gigabytes_at(atoms, at, vocabulary)
    if size is None:
        return None
    cards = _sized(atoms, at + size[1], size[0], vocabulary, count)
    if cards is not None:
        return Quantity(lead + size[1] + cards.length, cards.facts)
    return Quantity(size[1] + lead, (("gpus", CardsSaid(count, "", size[0], counted=True)),))


def _sized(
    atoms: Sequence[Atom], at: int, size: float, vocabulary: Vocabulary, count: float | None
) -> Quantity | None:
    """The card named behind its size, over words such as `VRAM` and `cards`: `24GB card 3090`."""
    start = at
    while unit_at(atoms, at, vocabulary) == "of_card":
        match = vocabulary.longest(atoms, at)
        at += 1 if match is None else match.length
    if at >= len(atoms) or atoms[at].apart:
        return None
    cards = cards_at(atoms, at, vocabulary, count=count, lead=0)
    said = None if cards is None else cards.facts[0][1]
    if cards is None or not isinstance(said, CardsSaid):
        return None
    if said.gigabytes not in (None, size):
        return None
    return Quantity(
        at - start + cards.length, (("gpus", replace(said, gigabytes=size, bare=False)),)
    )


def _count_after(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary
) -> tuple[float | None, int]:
    """`3090 x2`, `H100x8`: a count behind the card."""
    if unit_at(atoms, at, vocabulary) == "times" and at + 1 < len(atoms):
        number = atoms[at + 1].number
        if atoms[at + 1].numeric and number is not None:
            return number, at + 2
    return None, at


def _bracketed(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary
) -> tuple[tuple[float, int] | None, float | None, int]:
    """`(24GB) x 2` behind a card's name: its size and its count; where both are there."""
    if at + 3 >= len(atoms) or not atoms[at].apart or not atoms[at + 2].apart:
        return None, None, at
    size = size_of(atoms[at].number or 0, unit_at(atoms, at + 1, vocabulary))
    times = SHORT_UNITS.get(atoms[at + 2].text) == "times"
    number = atoms[at + 3].number
    if size is None or not times or number is None or atoms[at + 3].apart:
        return None, None, at
    return (size, 2), number, at + 4


def _past_plural(atoms: Sequence[Atom], at: int) -> int:
    return at + 1 if at < len(atoms) and atoms[at].text == "s" and atoms[at].glued else at


def _goes_on(atoms: Sequence[Atom], at: int) -> bool:
    """Whether letters hang on a card's name, so that it is none: the A10 of `A10B`."""
    if at >= len(atoms) or not atoms[at].glued or atoms[at].numeric:
        return False
    return SHORT_UNITS.get(atoms[at].text) != "times"


def memory_at(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`80GB`: a class of cards, unless it is host memory, activations, or a card's size."""
    size = size_of(number, unit_at(atoms, at + length, vocabulary))
    if size is None:
        return None
    number, behind = size, at + length + 1
    match = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
    if match is not None and not atoms[behind].apart and _is_key(match, "rule_activation_bytes"):
        after = behind + match.length
        if gigabytes_at(atoms, after, vocabulary) is not None:
            return Quantity(after - at, (("between", "rule_activation_bytes"),))
        return Quantity(after - at, (("rule_activation_bytes", round(number * GB)),))
    ram = ram_at(atoms, behind, vocabulary)
    if ram:
        return Quantity(behind + ram - at, (("ram", number),))
    cards = _sized(atoms, behind, number, vocabulary, None)
    if cards is not None:
        return Quantity(behind - at + cards.length, cards.facts)
    return Quantity(
        behind - at,
        (("gpus", CardsSaid(1, "", number)),),
        number=float(round(number * GB)),
        may_be=("rule_activation_bytes",),
    )


def _is_key(match: Match, name: str) -> bool:
    key = match.of(Kind.KEY)
    return key is not None and key.field == name
