"""Numbers with what they count: `7B`, `8x7b`, `2x3090`, `80GB`, `8k`, `4 users`."""

from collections.abc import Sequence
from dataclasses import replace

from bot.compiled import compiled
from bot.reading.atoms import Atom
from bot.reading.card_counts import cards_at, counted_cards_at, memory_at
from bot.reading.data_sets import samples_at, speed_at
from bot.reading.quantity import (
    BadNumberError,
    Quantity,
    is_alone,
    mixture_at,
    unit_at,
)
from bot.reading.vocabulary import Kind, Match, Vocabulary
from estimator import KIB, THOUSAND

COUNTING = ("ignored", "unused")  # keys of any number
SHARES = ("lora_dropout", "utilization", *COUNTING)  # keys of a number in per cent
MOST_LINKS = 6  # numbers and keys in turn, that are looked through
FORMAT_KEYS = ("kv", "kv_k", "kv_v", "compute", "grads", "states", "adapter", "main_grads",
               "embedding_states", "draft_weights")  # fmt: skip
LENGTHS = ("seq", "context", "prompt", "new_tokens", "max_batched_tokens", "max_model_len",
           "shared_prefix")  # fmt: skip
LARGE = {"million": THOUSAND**2, "billion": THOUSAND**3, "trillion": THOUSAND**4}
LETTERS = {"billion": "B", "million": "M", "trillion": "T"}
PHRASED_BITS = (4, 8, 16, 32)  # whose words are in the vocabulary
FEWEST_PARAMETERS = THOUSAND * THOUSAND  # that are said in full
GEFORCE = compiled(r"(?:[1-5]0[5-9]|16[3-6])0")  # cards' numbers that are no lengths: `3090 ctx?`
LEADING_ZEROS = compiled(r"^0+(?=\d)")
BINARY_STEP = 8  # 8k, 16k, 24k are 1024s; 10k is said of thousands
POWERS = {KIB * n // THOUSAND: KIB * n for n in (64, 128, 256, 512, KIB)}  # said as 65k, 131k


def quantity_at(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary, *, keyed: bool = True
) -> Quantity | None:
    """The longest quantity that starts at `at`; raises BadNumberError.

    Not `keyed`: a number that a key before it has claimed; keys behind it are others'.
    """
    counted = atoms[at].numeric and (
        unit_at(atoms, at + 1, vocabulary) == "tokens"
        or (
            keyed
            and _names_length(atoms, at + 1, vocabulary)
            and GEFORCE.fullmatch(atoms[at].text) is None
        )
    )
    cards = None if counted else cards_at(atoms, at, vocabulary, count=None, lead=0)
    if cards is not None:  # `6000` names cards, `6000 tokens` and `6000 ctx` none
        return cards
    lead = _lead(atoms, at, vocabulary)
    if lead is None:
        return None
    number, length = lead
    if atoms[at].percent:
        return _share(atoms, at, number, length, vocabulary, keyed=keyed)
    if is_alone(atoms, at + length, vocabulary):
        return Quantity(length, (), number, plain=True)
    return (
        speed_at(atoms, at, number, length, vocabulary)
        or _bits(atoms, at, number, length, vocabulary)
        or _in_full(atoms, at, number, length, vocabulary)
        or _size(atoms, at, number, length, vocabulary)
        or _nodes(atoms, at, number, length, vocabulary)
        or counted_cards_at(atoms, at, number, length, vocabulary, claimed=not keyed)
        or memory_at(atoms, at, number, length, vocabulary)
        or _tokens(atoms, at, number, length, vocabulary, keyed=keyed)
        or Quantity(length, (), number, plain=True)
    )


def _names_length(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> bool:
    """Whether a key of lengths stands at `at`, which has no number of its own behind it."""
    if at >= len(atoms) or atoms[at].apart:
        return False
    match = vocabulary.longest(atoms, at)
    key = None if match is None else match.of(Kind.KEY)
    if match is None or key is None or key.field not in LENGTHS or match.of(Kind.VALUE):
        return False  # `max context` seeks the longest as well
    behind = at + match.length
    return behind >= len(atoms) or not atoms[behind].numeric


def _bits(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`5 bit`, `2.5bits`; the usual widths are phrases of their own."""
    if number in PHRASED_BITS or unit_at(atoms, at + length, vocabulary) != "bits":
        return None
    if not number:
        raise BadNumberError(atoms[at].text)
    return Quantity(length + 1, (("precision", f"{number:g}bit"),))


def _nodes(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`4 nodes`, `two machines`: what stands behind is in each of them."""
    if unit_at(atoms, at + length, vocabulary) != "nodes" or not number.is_integer():
        return None
    end = at + length + 1
    if unit_at(atoms, end, vocabulary) == "times":  # `2 nodes x 8 H100`
        end += 1
    return Quantity(end - at, (("nodes", number),))


def _share(
    atoms: Sequence[Atom],
    at: int,
    number: float,
    length: int,
    vocabulary: Vocabulary,
    *,
    keyed: bool,
) -> Quantity:
    """`5% dropout`; per cent of anything else are no number of things."""
    whose = _keyed(atoms, at, number / 100, length, vocabulary, of=SHARES) if keyed else None
    return whose or Quantity(length, (), number / 100, plain=True)


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
    if mixture := mixture_at(atoms, at, number, behind):
        return Quantity(length + mixture[1], (("size", mixture[0]),))
    unit = unit_at(atoms, behind, vocabulary)
    if unit == "times" and behind + 2 < len(atoms) and atoms[behind + 1].numeric:
        one = None
        if atoms[behind + 1].glued and unit_at(atoms, behind + 2, vocabulary) in LETTERS:
            one = _size(atoms, behind + 1, atoms[behind + 1].number or 0, 1, vocabulary)
        if one is not None and one.facts[0][0] == "size" and number.is_integer():
            return Quantity(length + 1 + one.length, (("size", f"{number:.0f}x{one.facts[0][1]}"),))
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
    samples = samples_at(atoms, at, number, behind - at, vocabulary, thousands=True)
    if samples is not None and unit != "billion":
        return replace(samples, facts=(("dataset", number * LARGE[unit]),))
    if unit_at(atoms, behind, vocabulary) in ("tokens", "trainable"):
        return Quantity(behind + 1 - at, (("dataset", number * LARGE[unit]),))
    if unit_at(atoms, behind, vocabulary) == "parameters":
        behind += 1
    typed = atoms[at].text if atoms[at].numeric else f"{number:g}"
    text = f"{LEADING_ZEROS.sub('', typed)}{LETTERS[unit]}"
    may_be = LENGTHS if tokens else ()
    return Quantity(behind - at, (("size", text),), float(tokens), may_be=may_be)


def _in_full(
    atoms: Sequence[Atom], at: int, number: float, length: int, vocabulary: Vocabulary
) -> Quantity | None:
    """`7,000,000,000 parameters`."""
    if unit_at(atoms, at + length, vocabulary) != "parameters" or number < FEWEST_PARAMETERS:
        return None
    billions = number / (THOUSAND * THOUSAND * THOUSAND)
    typed = f"{billions:f}".rstrip("0").rstrip(".")
    return Quantity(length + 1, (("size", f"{typed}B"),))


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
    thousands = unit_at(atoms, behind, vocabulary) == "thousand"  # `32k`, and `32 k`
    if thousands:
        number, behind = _thousands(number), behind + 1
    samples = samples_at(atoms, at, number, behind - at, vocabulary, thousands=thousands)
    if samples is not None and keyed:  # `batch of 4 samples` is a batch
        return samples
    counted = unit_at(atoms, behind, vocabulary) == "tokens"
    behind += 1 if counted else 0
    of = (*LENGTHS, *COUNTING) if thousands or counted else ()
    whose = _keyed(atoms, at, number, behind - at, vocabulary, of=of) if keyed else None
    if whose is not None:
        return whose
    if not thousands and not counted:
        return None
    return Quantity(behind - at, (("length", number),), number, plain=not counted, may_be=LENGTHS)


def _thousands(number: float) -> float:
    binary = number.is_integer() and (
        number % BINARY_STEP == 0 or int(number) & (int(number) - 1) == 0
    )
    return POWERS.get(int(number)) or number * (KIB if binary else THOUSAND)


def _keyed(
    atoms: Sequence[Atom],
    at: int,
    number: float,
    length: int,
    vocabulary: Vocabulary,
    *,
    of: Sequence[str] = (),
) -> Quantity | None:
    """`4 users`, `8k ctx`: a number before its key, unless the key has one behind it."""
    behind = at + length
    match: Match | None = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
    key = None if match is None else match.of(Kind.KEY)
    if match is None or key is None or key.field in FORMAT_KEYS or atoms[behind].apart:
        return None
    if of and key.field not in of:
        return None
    after = behind + match.length
    if _has_own(atoms, after, key.field, vocabulary):
        return None
    return Quantity(after - at, ((key.field, number),), number)


def _has_own(atoms: Sequence[Atom], at: int, name: str, vocabulary: Vocabulary) -> bool:
    """Whether the number at `at` is that of the key before it: `bs 4`, but not `bs 4 users`.

    In `4 bs 8 ga` each number is of the key behind it; in `8k ga 4 bs 2`, of the one before.
    """
    for _ in range(MOST_LINKS):
        if at >= len(atoms) or not atoms[at].numeric or atoms[at].apart:
            return False
        if atoms[at].joined or atoms[at].assigned or atoms[at].number is None:
            return True
        length = _plain_length(atoms, at, name, vocabulary)
        if not length or _counts_samples(atoms, at, length, vocabulary):
            return False
        behind = at + length
        match = vocabulary.longest(atoms, behind) if behind < len(atoms) else None
        key = None if match is None else match.of(Kind.KEY)
        if match is None or key is None or key.field in FORMAT_KEYS or atoms[behind].apart:
            return True
        at, name = behind + match.length, key.field
    return False


def _counts_samples(atoms: Sequence[Atom], at: int, length: int, vocabulary: Vocabulary) -> bool:
    """The 500 of `8k ctx 500 prompts`."""
    return samples_at(atoms, at, 0, length, vocabulary, thousands=False) is not None


def _plain_length(atoms: Sequence[Atom], at: int, name: str, vocabulary: Vocabulary) -> int:
    """Atoms of a number at `at` that the key `name` may take; 0 for what is another thing."""
    quantity = quantity_at(atoms, at, vocabulary, keyed=False)
    match = vocabulary.longest(atoms, at)
    if quantity is None or (match is not None and match.length > quantity.length):
        return 0
    if not quantity.facts:
        return quantity.length
    length = quantity.facts[0][0] == "length"
    return quantity.length if length and name in (*LENGTHS, *COUNTING) else 0
