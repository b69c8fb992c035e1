"""A number with what it counts, and the units that say so."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.reading.atoms import Atom
from bot.reading.facts import Value
from bot.reading.vocabulary import Vocabulary
from estimator import KIB, THOUSAND


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


ACTIVE = ("b", "ba")  # with which a mixture's active parameters begin
ACTIVE_TRILLION = ("t", "ta")
SLACK = 0.01  # of a card's memory that its driver keeps


def unit_at(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> str | None:
    """The unit at `at`; a letter glued to a number behind it (`B200`) is none, nor is `-b`."""
    return vocabulary.unit(atoms, at)


def is_alone(atoms: Sequence[Atom], behind: int, vocabulary: Vocabulary) -> bool:
    """Whether nothing stands behind a number that could go with it: a comma, a plain number."""
    if behind >= len(atoms):
        return True
    atom = atoms[behind]
    if atom.apart:
        return atom.text not in ACTIVE
    if not atom.numeric or vocabulary.longest(atoms, behind) is not None:
        return False
    return unit_at(atoms, behind + 1, vocabulary) not in ("gigabytes", "megabytes")


def ram_at(atoms: Sequence[Atom], at: int, vocabulary: Vocabulary) -> int:
    """Atoms at `at` that say RAM: `ram`, `of system ram`; 0 for none."""
    if unit_at(atoms, at, vocabulary) != "ram":
        return 0
    match = vocabulary.longest(atoms, at)
    return 0 if match is None else match.length


def gigabytes_at(
    atoms: Sequence[Atom], at: int, vocabulary: Vocabulary
) -> tuple[float, int] | None:
    """(`GB`, atoms) of a size such as `80GB`, `24 gig`."""
    if at >= len(atoms) or atoms[at].apart or atoms[at].number is None:
        return None
    size = size_of(atoms[at].number or 0, unit_at(atoms, at + 1, vocabulary))
    return None if size is None else (size, 2)


def size_of(number: float, unit: str | None) -> float | None:
    """The gigabytes on a card's box: 24 of `24 GB`, `24000MB`, and the `24564MiB` of nvidia-smi."""
    if unit == "gigabytes":
        return number
    if unit != "megabytes":
        return None
    exact = [number / step for step in (KIB, THOUSAND)]
    near = [round(size) for size in exact if abs(size - round(size)) <= SLACK * size]
    return float(near[0]) if near else exact[1]


def mixture_at(
    atoms: Sequence[Atom], at: int, number: float, behind: int
) -> tuple[str, int] | None:
    """(`30B-A3B`, atoms behind the number) of a mixture's two sizes; `1T-A32B` is of 1000B."""
    active = active_at(atoms, behind)
    if active is None:
        return None
    trillions = atoms[behind].text in ACTIVE_TRILLION
    total = f"{number * THOUSAND:g}" if trillions else atoms[at].text
    return f"{total}B-A{active[0]}B", active[1]


def active_at(atoms: Sequence[Atom], at: int) -> tuple[str, int] | None:
    """(the 3 of `B-A3B`, atoms) behind a number: a mixture's active parameters."""
    if at >= len(atoms) or atoms[at].text not in (*ACTIVE, *ACTIVE_TRILLION):
        return None
    words = [atom.text for atom in atoms[at : at + 4]]
    words[0] = words[0].replace("t", "b")
    glued = [atom.glued for atom in atoms[at : at + 4]]
    if words[:1] == ["ba"] and words[2:3] == ["b"] and glued[:3] == [True, True, True]:
        return words[1], 3
    if words[:2] == ["b", "a"] and words[3:4] == ["b"] and glued[2:] == [True, True]:
        return None if atoms[at + 1].apart else (words[2], 4)
    return None
