"""Numbers with what they count: `7B`, `8x7b`, `2x3090`, `80GB`, `8k`, `4 users`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.reading.atoms import Atom
from bot.reading.facts import CardsSaid, Value
from bot.reading.vocabulary import Kind, Match, Vocabulary
from estimator import GB, KIB, THOUSAND

MOST_COUNTED = 4096  # a number before a card's name counts cards up to here
FORMAT_KEYS = ("kv", "kv_k", "kv_v", "compute", "grads", "states", "adapter")
LENGTHS = ("seq", "context", "prompt", "new_tokens")
LETTERS = {"billion": "B", "million": "M", "trillion": "T"}
BINARY_STEP = 8  # 8k, 16k, 24k are 1024s; 10k is said of thousands


class BadNumberError(Exception):
    """A number that no quantity can have: negative, hexadecimal, endless."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


@dataclass(frozen=True, slots=True)
class Quantity:
    """`length` atoms that say `facts`; `number` and `may_be` for the key that may take it.

    `plain`: a number that has no word of its own (also `8k`, which needs a key or a task).
    """

    length: int
    facts: tuple[tuple[str, Value], ...]
    number: float | None = None
    plain: bool = False
    may_be: tuple[str, ...] = ()


def quantity_at(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, *, keyed: bool = True
) -> Quantity | None:
    """The longest quantity that starts at `at`; raises BadNumberError.

    Not `keyed`: a number that a key before it has claimed; keys behind it are others'.
    """
    cards = _cards(atoms, at, vocabulary, count=None, lead=0)
    if cards is not None:
        return cards
    lead = _lead(atoms, at, vocabulary)
    if lead is None:
        return None
    number, length = lead
    return (
        _size(atoms, at, number, length, vocabulary)
        or _counted_cards(atoms, at, number, length, vocabulary)
        or _memory(atoms, at, number, length, vocabulary)
        or _tokens(atoms, at, number, length, vocabulary, keyed=keyed)
        or (_keyed(atoms, at, number, length, vocabulary) if keyed else None)
        or Quantity(length, (), number, plain=True)
    )


def _lead(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> tuple[float, int] | None:
    """The number at `at`, in digits or words, with thousands multiplied."""
    atom = atoms[at]
    if atom.numeric:
        if atom.number is None:
            raise BadNumberError(atom.text)
        return atom.number, 1
    match = vocabulary.longest(atoms, at)
    word = None if match is None else match.of(Kind.NUMBER)
    if match is None or word is None:
        return None
    number = float(word.value)
    behind = at + match.length
    if _unit(atoms, behind, vocabulary) == "thousand" or (
        behind < len(atoms) and atoms[behind].text == "thousand"
    ):
        return number * THOUSAND, match.length + 1
    return number, match.length


SHORT_UNITS = {
    "k": "thousand",
    "x": "times",
    "b": "billion",
    "m": "million",
    "t": "trillion",
    "g": "gigabytes",
}


def _unit(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> str | None:
    """The unit at `at`; a letter glued to a number behind it (`B200`) is none."""
    if at >= len(atoms) or atoms[at].apart:
        return None
    short = SHORT_UNITS.get(atoms[at].text)
    if short is not None:
        name = at + 1 < len(atoms) and atoms[at + 1].numeric and atoms[at + 1].glued
        return None if name and short != "times" else short
    match = vocabulary.longest(atoms, at)
    unit = None if match is None else match.of(Kind.UNIT)
    return None if unit is None else unit.field


def _size(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`7B`, `7 billion`, `350M`, `8x7b`; not `7b tokens`, which is a data set."""
    behind = at + length
    unit = _unit(atoms, behind, vocabulary)
    if unit == "times" and behind + 2 < len(atoms) and atoms[behind + 1].numeric:
        one = _size(atoms, behind + 1, atoms[behind + 1].number or 0, 1, vocabulary)
        if one is not None and one.facts and atoms[behind + 1].glued and number.is_integer():
            return Quantity(length + 1 + one.length, (("size", f"{number:g}x{one.facts[0][1]}"),))
        return None
    if unit not in LETTERS:
        return None
    short = len(atoms[behind].text) == 1
    if short and not atoms[behind].glued and (unit != "billion" or not atoms[at].numeric):
        return None
    behind += 1
    tokens = round(number * THOUSAND * THOUSAND) if unit == "million" else 0
    if tokens:  # `1M context` is a length
        window = _keyed(atoms, at, tokens, behind - at, vocabulary)
        if window is not None and window.facts[0][0] in LENGTHS:
            return window
    if _unit(atoms, behind, vocabulary) in ("tokens", "trainable"):
        return Quantity(behind + 1 - at, (("dataset", number),))
    if _unit(atoms, behind, vocabulary) == "parameters":
        behind += 1
    text = f"{atoms[at].text if atoms[at].numeric else f'{number:g}'}{LETTERS[unit]}"
    may_be = LENGTHS if tokens else ()
    return Quantity(behind - at, (("size", text),), float(tokens), may_be=may_be)


def _counted_cards(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`2x3090`, `4 A100s 80GB`, `3x 24GB`."""
    behind = at + length
    times = _unit(atoms, behind, vocabulary) == "times"
    behind += 1 if times else 0
    if not 0 <= number <= MOST_COUNTED and not times:
        return None
    if behind < len(atoms) and atoms[behind].apart:
        return None
    return _cards(atoms, behind, vocabulary, count=number, lead=behind - at)


def _cards(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, *, count: float | None, lead: int
) -> Quantity | None:
    """A card's name with the size and count around it; `lead` atoms before it are its too."""
    match = vocabulary.longest(atoms, at) if at < len(atoms) else None
    card = None if match is None else match.of(Kind.CARD)
    if match is None or card is None:
        return _class(atoms, at, vocabulary, count or 0, lead) if lead else None
    behind = _past_plural(atoms, at + match.length)
    size = _gigabytes(atoms, behind, vocabulary)
    if size is not None:
        behind += size[1]
    if count is None:
        count, behind = _count_after(atoms, behind, vocabulary)
    said = CardsSaid(
        1 if count is None else count,
        card.value,
        None if size is None else size[0],
        counted=count is not None,
    )
    return Quantity(behind - at + lead, (("gpus", said),))


def _class(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, count: float, lead: int
) -> Quantity | None:
    size = _gigabytes(atoms, at, vocabulary)
    if size is None:
        return None
    return Quantity(size[1] + lead, (("gpus", CardsSaid(count, "", size[0], counted=True)),))


def _count_after(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> tuple[float | None, int]:
    """`3090 x2`, `H100x8`: a count behind the card."""
    if _unit(atoms, at, vocabulary) == "times" and at + 1 < len(atoms):
        number = atoms[at + 1].number
        if atoms[at + 1].numeric and number is not None:
            return number, at + 2
    return None, at


def _past_plural(atoms: Sequence[Atom], at: int) -> int:
    return at + 1 if at < len(atoms) and atoms[at].text == "s" and atoms[at].glued else at


def _gigabytes(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary
) -> tuple[float, int] | None:
    """(`GB`, atoms) of a size such as `80GB`, `24 gig`."""
    if at >= len(atoms) or atoms[at].apart or atoms[at].number is None:
        return None
    if _unit(atoms, at + 1, vocabulary) != "gigabytes":
        return None
    return atoms[at].number or 0, 2


def _memory(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`80GB`: a class of cards, unless it is host memory, activations, or a card's size."""
    if _unit(atoms, at + length, vocabulary) != "gigabytes":
        return None
    behind = at + length + 1
    match = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
    if match is not None and not atoms[behind].apart and _is_key(match, "rule_activation_bytes"):
        after = behind + match.length
        if _gigabytes(atoms, after, vocabulary) is not None:
            return Quantity(after - at, (("between", "rule_activation_bytes"),))
        return Quantity(after - at, (("rule_activation_bytes", round(number * GB)),))
    if _unit(atoms, behind, vocabulary) == "ram":
        return Quantity(behind + 1 - at, (("ram", number),))
    if match is not None and match.of(Kind.CARD) and not atoms[behind].apart:
        cards = _cards(atoms, behind, vocabulary, count=None, lead=0)
        said = None if cards is None else cards.facts[0][1]
        if cards is not None and isinstance(said, CardsSaid) and said.gigabytes is None:
            sized = replace(said, gigabytes=number)
            return Quantity(behind - at + cards.length, (("gpus", sized),))
    return Quantity(
        behind - at,
        (("gpus", CardsSaid(1, "", number)),),
        number=number * GB,
        may_be=("rule_activation_bytes",),
    )


def _tokens(
    atoms: Sequence[Atom],
    at: int,
    number: float,
    length: int,
    vocabulary: Vocabulary,
    *,
    keyed: bool,
) -> Quantity | None:
    """`8k`, `2048 tokens`, `8k ctx`: a length; which one, a key or the task says."""
    behind = at + length
    thousands = _unit(atoms, behind, vocabulary) == "thousand" and atoms[behind].glued
    if thousands:
        number, behind = _thousands(number), behind + 1
    counted = _unit(atoms, behind, vocabulary) == "tokens"
    behind += 1 if counted else 0
    whose = _keyed(atoms, at, number, behind - at, vocabulary) if keyed else None
    if whose is not None:
        return whose
    if not thousands and not counted:
        return None
    return Quantity(behind - at, (("length", number),), number, plain=not counted, may_be=LENGTHS)


def _thousands(number: float) -> float:
    binary = number.is_integer() and (
        number % BINARY_STEP == 0 or int(number) & (int(number) - 1) == 0
    )
    return number * (KIB if binary else THOUSAND)


def _keyed(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`4 users`, `8k ctx`: a number before its key, unless the key holds one: `bs=4`."""
    behind = at + length
    match: Match | None = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
    key = None if match is None else match.of(Kind.KEY)
    if match is None or key is None or key.field in FORMAT_KEYS or atoms[behind].apart:
        return None
    after = behind + match.length
    if after < len(atoms) and atoms[after].numeric:
        own = atoms[after].joined and not atoms[after].apart
        if own or atoms[after].assigned:
            return None
    return Quantity(after - at, ((key.field, number),), number)


def _is_key(match: Match, name: str) -> bool:
    key = match.of(Kind.KEY)
    return key is not None and key.field == name
