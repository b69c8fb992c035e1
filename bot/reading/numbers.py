"""Numbers with what they count: `7B`, `8x7b`, `2x3090`, `80GB`, `8k`, `4 users`."""

from collections.abc import Sequence

from bot.reading.atoms import Atom
from bot.reading.card_counts import cards_at, counted_cards_at, memory_at
from bot.reading.quantity import BadNumberError, Quantity, unit_at
from bot.reading.vocabulary import Kind, Match, Vocabulary
from estimator import KIB, THOUSAND

FORMAT_KEYS = ("kv", "kv_k", "kv_v", "compute", "grads", "states", "adapter")
LENGTHS = ("seq", "context", "prompt", "new_tokens")
LETTERS = {"billion": "B", "million": "M", "trillion": "T"}
BINARY_STEP = 8  # 8k, 16k, 24k are 1024s; 10k is said of thousands


def quantity_at(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, *, keyed: bool = True
) -> Quantity | None:
    """The longest quantity that starts at `at`; raises BadNumberError.

    Not `keyed`: a number that a key before it has claimed; keys behind it are others'.
    """
    cards = cards_at(atoms, at, vocabulary, count=None, lead=0)
    if cards is not None:
        return cards
    lead = _lead(atoms, at, vocabulary)
    if lead is None:
        return None
    number, length = lead
    return (
        _size(atoms, at, number, length, vocabulary)
        or counted_cards_at(atoms, at, number, length, vocabulary, claimed=not keyed)
        or memory_at(atoms, at, number, length, vocabulary)
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
    if unit_at(atoms, behind, vocabulary) == "thousand" or (
        behind < len(atoms) and atoms[behind].text == "thousand"
    ):
        return number * THOUSAND, match.length + 1
    return number, match.length


def _size(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`7B`, `7 billion`, `350M`, `8x7b`; not `7b tokens`, which is a data set."""
    behind = at + length
    unit = unit_at(atoms, behind, vocabulary)
    if unit == "times" and behind + 2 < len(atoms) and atoms[behind + 1].numeric:
        one = None
        if atoms[behind + 1].glued and unit_at(atoms, behind + 2, vocabulary) in LETTERS:
            one = _size(atoms, behind + 1, atoms[behind + 1].number or 0, 1, vocabulary)
        if one is not None and one.facts[0][0] == "size" and number.is_integer():
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
        window = _keyed(atoms, at, tokens, behind - at, vocabulary, of=LENGTHS)
        if window is not None and not _waits(atoms, at + window.length, vocabulary):
            return window
    if unit_at(atoms, behind, vocabulary) in ("tokens", "trainable"):
        return Quantity(behind + 1 - at, (("dataset", number),))
    if unit_at(atoms, behind, vocabulary) == "parameters":
        behind += 1
    text = f"{atoms[at].text if atoms[at].numeric else f'{number:g}'}{LETTERS[unit]}"
    may_be = LENGTHS if tokens else ()
    return Quantity(behind - at, (("size", text),), float(tokens), may_be=may_be)


def _waits(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> bool:
    """Whether a number stands at `at` that has no unit of its own."""
    if at >= len(atoms) or not atoms[at].numeric or atoms[at].apart:
        return False
    return unit_at(atoms, at + 1, vocabulary) not in ("billion", "gigabytes")


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
    thousands = unit_at(atoms, behind, vocabulary) == "thousand" and atoms[behind].glued
    if thousands:
        number, behind = _thousands(number), behind + 1
    counted = unit_at(atoms, behind, vocabulary) == "tokens"
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
    atoms: Sequence[Atom],
    at: int,
    number: float,
    length: int,
    vocabulary: Vocabulary,
    *,
    of: Sequence[str] = (),
) -> Quantity | None:
    """`4 users`, `8k ctx`: a number before its key, unless the key holds one: `bs=4`."""
    behind = at + length
    match: Match | None = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
    key = None if match is None else match.of(Kind.KEY)
    if match is None or key is None or key.field in FORMAT_KEYS or atoms[behind].apart:
        return None
    if of and key.field not in of:
        return None
    after = behind + match.length
    if after < len(atoms) and atoms[after].numeric:
        own = atoms[after].joined and not atoms[after].apart
        if own or atoms[after].assigned:
            return None
    return Quantity(after - at, ((key.field, number),), number)
