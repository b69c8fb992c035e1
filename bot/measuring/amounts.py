"""An amount of memory as programs print it and people type it → bytes, and how it was taken."""

import re
from dataclasses import dataclass
from decimal import Decimal

from bot.compiled import compiled
from estimator import GB, GIB, KIB, MIB, THOUSAND

# As people count, and as cards do. A bare letter is what tools with narrow columns print.
BINARY = {"tib": KIB * GIB, "gib": GIB, "mib": MIB, "kib": KIB, "g": GIB, "m": MIB}
IN_ENGLISH = {  # as people write them: in words, in French, in Russian
    "gig": "g", "gigs": "g", "gigabyte": "gb", "gigabytes": "gb", "gibibytes": "gib",
    "megabytes": "mb", "mebibytes": "mib", "go": "gb", "gio": "gib", "mo": "mb", "mio": "mib",
    "гб": "gb", "гиб": "gib", "мб": "mb", "миб": "mib",
}  # fmt: skip
DECIMAL = {"tb": THOUSAND * GB, "gb": GB, "mb": GB // THOUSAND, "kb": THOUSAND}
PLAIN = {"bytes": 1, "byte": 1, "b": 1, "": 1}
UNITS = {**BINARY, **DECIMAL, **PLAIN}
LARGE = ("tib", "tb", "gib", "gb", "g")  # no card has a thousand of these: a comma is a point
LEAST_BYTES = 10 * MIB  # a number without a unit is of bytes from here on
MOST_DIGITS = 24  # of a number and of what it comes to; all that is longer is no memory
MOST_POWER = 20

_NUMBER = r"[0-9]{1,40}(?:[' _][0-9]{3}(?![0-9])){0,6}(?:[.,][0-9]{1,40}){0,6}(?:e[+-]?[0-9]{1,9})?"
_UNIT = "|".join(sorted([*IN_ENGLISH, *filter(None, UNITS)], key=len, reverse=True))
AMOUNT = compiled(
    rf"(?<![\w.,])(?P<sign>-\s?)?(?P<number>{_NUMBER})\s{{0,3}}(?P<unit>{_UNIT})?(?![\w])",
    re.IGNORECASE,
)
_GROUPED = compiled(r"[0-9]{1,3}(?:[,.' _][0-9]{3})+(?:[.,][0-9]+)?")


@dataclass(frozen=True, slots=True)
class Amount:
    """So many bytes. `said`: as it was typed. `unit`: the one it was taken in, empty of bytes."""

    bytes: int
    said: str
    unit: str

    @property
    def is_decimal(self) -> bool:
        """Whether the unit is one that many tools print and mean its binary neighbour."""
        return self.unit in DECIMAL

    @property
    def binary(self) -> str:
        """What to type if the binary unit was meant."""
        found = AMOUNT.match(self.said)
        number = self.said if found is None else found["number"]
        return f"{number.strip()} {self.unit[0].upper()}iB"


class AmountError(ValueError):
    """No amount: `key` names the sentence that says why."""

    def __init__(self, key: str, said: str = "") -> None:
        super().__init__(key)
        self.key = key
        self.said = said


def amount_of(found: re.Match[str]) -> Amount:
    """The amount that `AMOUNT` found; raises AmountError."""
    said, written = found[0].strip(), (found["unit"] or "").casefold()
    unit = IN_ENGLISH.get(written, written)
    if found["sign"]:
        raise AmountError("negative", said)
    number = _value(found["number"], unit)
    if number == 0:
        raise AmountError("zero", said)
    if number.adjusted() > MOST_POWER:
        raise AmountError("beyond_all", said)
    if not unit and number < LEAST_BYTES:
        raise AmountError("no_unit", said)
    whole = int(number * UNITS[unit])
    if whole == 0:
        raise AmountError("zero", said)
    return Amount(whole, said, unit)


def amount_in(number: str, unit: str) -> Amount:
    """The amount of a number that is counted in `unit`; raises AmountError."""
    found = AMOUNT.fullmatch(f"{number.strip()} {unit}".strip())
    if found is None:
        raise AmountError("no_number", number)
    return amount_of(found)


def _value(text: str, unit: str) -> Decimal:
    """The number: a comma or a point is a decimal one unless it groups thousands."""
    mantissa, _, power = text.casefold().partition("e")
    plain = re.sub(r"[' _]", "", mantissa)
    marks = re.findall(r"[.,]", plain)
    if len(marks) == 1 and not _groups(mantissa, unit):
        plain = plain.replace(",", ".")
    elif len(set(marks)) > 1:  # the last mark is the decimal one
        plain = plain.replace(marks[0], "").replace(marks[-1], ".")
    else:
        plain = plain.replace(",", "").replace(".", "")
    digits = plain.strip(".")
    if len(digits) > MOST_DIGITS or abs(int(power or 0)) > MOST_POWER:
        if power.startswith("-"):
            return Decimal(0)
        return Decimal(10) ** (MOST_POWER + 1)
    return Decimal(digits).scaleb(int(power or 0))


def _groups(text: str, unit: str) -> bool:
    """Whether the one mark stands before three digits, as thousands are grouped."""
    if unit in LARGE or not _GROUPED.fullmatch(text):
        return False
    return "," in text or not unit  # 16.302 MiB is a decimal; 16,302 MiB is none
