"""What was measured, as people paste it → bytes by statistic.

    15.9 GiB · 16300MiB · 17.1 GB · 16,3 GiB · 17063936000
    16302MiB / 24564MiB                                        a cell of nvidia-smi
    allocated 15.21 GiB, reserved 15.90 GiB, device 16.71 GiB  what our snippet prints
    Peak reserved memory = 14.605 GB.                          what a program prints (`logs`)

Several processes print a line each; of each statistic the largest counts, which is that of the
fullest card.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bot.compiled import compiled
from bot.measuring.amounts import AMOUNT, Amount, AmountError, amount_in, amount_of
from bot.measuring.logs import keyed_peaks, printed_peaks
from bot.reading.clean import clean
from estimator import Statistic

MOST_TYPED = 4000  # characters: all that nvidia-smi prints, or some ranks of the snippet
SAME = 0.02  # apart, as one amount in GiB and in GB is by its rounding

_OUTPUT = compiled(
    r"(?P<name>(?<![a-z])(?:alloc(?:ated|ation)?|reserved|device|process))"
    r"[\s:=(){0,4}]{0,6}(?P<amount>-?\s?[0-9][^a-z]{0,40}(?:[tgmk]i?b|bytes?|[gmb])?(?![a-z]))",
    re.IGNORECASE,
)
_CELL = compiled(  # used / total
    r"(?P<used>[0-9][0-9 ,.]{0,12})(?P<unit>[mg]i?b?)?\s{0,3}/"
    r"\s{0,3}[0-9][0-9 ,.]{0,12}(?P<of>[mg]i?b?)(?![a-z])",
    re.IGNORECASE,
)
_POWER = compiled(r"(?<![\w.])(?P<base>2|10) ?\^ ?(?P<power>[0-9]{1,2})(?![\w.])")
_BEHIND = compiled(
    r" \(?(?:(?:was|is|of|memory|mem)\s)?(?P<name>allocated|reserved)\b", re.IGNORECASE
)
_SHOWN = compiled(
    r"\b(?:nvidia smi|nvidia-smi|nvtop|nvitop|gpustat|rocm-smi|task manager)\b", re.IGNORECASE
)
_OF_ONE = compiled(r"\b(?:rank|gpu|cuda|device|card)\s?[:#]?\s?[0-9]{1,4}\b", re.IGNORECASE)
_FROM_TO = compiled(r"(?<![\w.])[0-9.,]{1,9}\s?(?:-|to)\s?[0-9.,]{1,9}\s?[gm]i?b?\b", re.IGNORECASE)
_NAMES = {
    "alloc": Statistic.ALLOCATED,
    "allocation": Statistic.ALLOCATED,
    "allocated": Statistic.ALLOCATED,
    "reserved": Statistic.RESERVED,
    "device": Statistic.DEVICE,
    "process": Statistic.DEVICE,
}


@dataclass(frozen=True, slots=True)
class Peaks:
    """What a text says: amounts by their statistic, or one `amount` that may be of any."""

    named: Mapping[Statistic, Amount]
    amount: Amount | None = None


def read_peaks(text: str) -> Peaks:
    """The peaks in a text; raises AmountError where there is none, or no telling which."""
    if len(text) > MOST_TYPED:
        raise AmountError("too_long")
    plain = _POWER.sub(_written_out, clean(text).replace("_", " "))
    if cells := [*_cells(plain)]:
        return Peaks({Statistic.DEVICE: max(cells, key=_size)})
    keyed = [*keyed_peaks(text)]
    told = [(statistic, amount) for statistic, amount in keyed if statistic is not None]
    if named := _largest([*printed_peaks(text), *told]) or _largest(_printed(plain)):
        return Peaks(named)
    amount = keyed[0][1] if len(keyed) == 1 else _only(plain)
    return Peaks({Statistic.DEVICE: amount}) if _SHOWN.search(plain) else Peaks({}, amount)


def _largest(found: Iterable[tuple[Statistic, Amount]]) -> dict[Statistic, Amount]:
    """The largest of each statistic."""
    named: dict[Statistic, Amount] = {}
    for statistic, amount in found:
        if statistic not in named or amount.bytes > named[statistic].bytes:
            named[statistic] = amount
    return named


def _size(amount: Amount) -> int:
    return amount.bytes


def _cells(text: str) -> Iterator[Amount]:
    """What is used of each card, as nvidia-smi shows it; idle cards take part of a gigabyte.

    A card's whole is counted by 1024, so what is printed before it is as well: no 24 GB card
    has 24 decimal ones.
    """
    for cell in _CELL.finditer(text):
        letter = (cell["unit"] or cell["of"])[0].upper()
        with suppress(AmountError):  # of a card that does nothing
            yield amount_in(cell["used"], f"{letter}iB")


def read_statistic(text: str) -> Statistic | None:
    """Which one is meant: by its name, as PyTorch calls it, or by the program that shows it."""
    word = clean(text).casefold().replace("_", " ").removeprefix("max memory ").strip()
    if not word:
        return None
    if word in ("process", "nvidia-smi", "nvidia smi"):
        return Statistic.DEVICE
    meant = [one for one in Statistic if one.startswith(word)]
    if len(meant) != 1:
        raise AmountError("no_kind", text)
    return meant[0]


def _printed(text: str) -> Iterator[tuple[Statistic, Amount]]:
    """What stands behind the name of a figure; or before it, where the text says that first."""
    first, name = AMOUNT.search(text), _OUTPUT.search(text)
    after = first is not None and first["unit"] and _BEHIND.match(text, first.end())
    if first is not None and after and (name is None or first.start() < name.start()):
        for amount in AMOUNT.finditer(text):
            behind = _BEHIND.match(text, amount.end())
            if behind is not None and amount["unit"]:
                yield _NAMES[behind["name"].casefold()], amount_of(amount)
        return
    for output in _OUTPUT.finditer(text):
        if (size := AMOUNT.search(output["amount"])) is not None:
            yield _NAMES[output["name"].casefold()], amount_of(size)


def _written_out(found: re.Match[str]) -> str:
    """`2^34` as its digits, `10^30` as 1e30."""
    power = int(found["power"])
    return f"{2**power:d}" if found["base"] == "2" else f"1e{power}"


def _only(text: str) -> Amount:
    """The one amount, or that of the fullest card; one that says the same otherwise is none."""
    found = [*AMOUNT.finditer(text)]
    if not found:
        raise AmountError("no_number")
    if _FROM_TO.search(text):
        raise AmountError("several")
    with_unit = [one for one in found if one["unit"]] or found
    first, *others = (amount_of(one) for one in with_unit)
    if others and len(_OF_ONE.findall(text)) == len(with_unit):
        return max([first, *others], key=_size)
    if any(abs(one.bytes / first.bytes - 1) > SAME for one in others):
        raise AmountError("several")
    return first
