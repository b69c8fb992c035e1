"""What programs print of their peaks, each in its own form → amounts by statistic.

Many divide by 1024 and print `GB`; where a program is known by its form, its unit is as well.
The forms are those of: PyTorch's memory_summary, nvidia-smi (its processes, and --query-gpu),
DeepSpeed's see_memory_usage, Megatron's report_memory, axolotl, torchtune, torchtitan, Unsloth's
notebooks, wandb's charts, and a figure that is printed behind the call that it came from.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from bot.compiled import compiled
from bot.measuring.amounts import AMOUNT, Amount, AmountError, amount_in
from estimator import Statistic

Printed = tuple[Statistic, Amount]

_NUMBER = r"(?P<number>[0-9]{1,20}(?:[.,][0-9]{1,20}){0,6})"
_UNIT = r"\s{0,3}(?P<unit>[KMGT]?i?B)\b"
_OF_GPU = compiled(  # wandb's: NVML's of the card, or of the process on it
    rf"gpu\W?[0-9]{{0,3}}\W?memory ?allocated ?\(?bytes\)?\W{{0,4}}{_NUMBER}", re.IGNORECASE
)
_AXOLOTL = compiled(  # what tensors take just then, and what the allocator and others have beside
    r"(?P<used>[0-9]{1,9}\.[0-9]{1,9}) ?GB \(\+(?P<cache>[0-9]{1,9}\.[0-9]{1,9}) ?GB cache"
    r"(?:, \+(?P<rest>[0-9]{1,9}\.[0-9]{1,9}) ?GB misc)?\)"
)
_CALL = compiled(  # torch.cuda.max_memory_allocated() / 1024**3 = 15.81
    r"max_memory_(?P<name>allocated|reserved)\([^()\n]{0,30}\)\s{0,3}/\s{0,3}"
    rf"(?P<by>[(0-9][0-9e*/<() ]{{0,24}}?)[^\w(*/<+-]{{1,6}}(?:->|=>)?\s{{0,3}}{_NUMBER}"
)
_DIVISORS = {"1e9": "GB", "10**9": "GB", "1e6": "MB", "10**6": "MB", "1024**3": "GiB",
             "2**30": "GiB", "1<<30": "GiB", "1024/1024/1024": "GiB", "1024**2": "MiB",
             "2**20": "MiB", "1<<20": "MiB", "1024/1024": "MiB"}  # fmt: skip
_KEY = compiled(  # a name that ends in its unit: peak_mem_gb 16.3, 'max_allocated (GiB)': 18.77
    r"(?P<name>[A-Za-z][\w/. ]{0,60}?)[_ ]?(?:(?<=_)|[(\[])(?P<unit>[GM]i?B|bytes)[)\]]?"
    rf"['\"]?\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}(?![\w%.])(?!\s?[KMGT]?i?B\b)",
    re.IGNORECASE,
)
_COLUMN = "memory.used"  # of nvidia-smi --query-gpu
_PAIR = compiled(r"(?P<used>[0-9]{1,7}) MiB,\s{0,3}(?P<total>[0-9]{1,7}) MiB")


@dataclass(frozen=True, slots=True)
class Form:
    """How a program prints a statistic. `unit`: its own, where it prints none, or another."""

    pattern: re.Pattern[str]
    statistic: Statistic
    unit: str = ""
    only_with: str = ""  # what else the text has to hold

    def found_in(self, text: str) -> Iterator[Printed]:
        """Each figure of that form; programs of these forms count by 1024."""
        if self.only_with in text:
            for found in self.pattern.finditer(text):
                unit = self.unit or found["unit"].removesuffix("B").removesuffix("i") + "iB"
                with suppress(AmountError):  # before anything was on the card
                    yield self.statistic, amount_in(found["number"], unit)


def _forms() -> Iterator[Form]:
    names = {Statistic.ALLOCATED: ("Allocated", "MA", "allocated", "alloc"),
             Statistic.RESERVED: ("GPU reserved", "CA", "reserved", "reserved")}  # fmt: skip
    for statistic, (row, deepspeed, megatron, torchtune) in names.items():
        summary = rf"\b{row} memory\s{{0,20}}\|[^|\n]{{0,20}}\|\s{{0,20}}{_NUMBER}{_UNIT}"
        yield Form(re.compile(summary), statistic)
        yield Form(re.compile(rf"\b(?:Max_)?{deepspeed} {_NUMBER}{_UNIT}"), statistic,
                   only_with="Max_MA")  # fmt: skip
        yield Form(re.compile(rf"\bmax {megatron}: {_NUMBER}"), statistic, "MiB", "memory (MB)")
        key = rf"\bpeak_memory_{torchtune}['\"]?\s{{0,3}}[:=]\s{{0,3}}{_NUMBER}(?![\w.])"
        yield Form(re.compile(key), statistic, "GiB")
    unsloth = rf"Peak reserved memory = {_NUMBER}{_UNIT}"
    yield Form(re.compile(unsloth), Statistic.RESERVED)
    torchtitan = rf"\bmemory:\s{{0,3}}{_NUMBER}GiB ?\([0-9.]{{1,9}}%\)"
    yield Form(re.compile(torchtitan), Statistic.RESERVED, "GiB")
    process = rf"\b[0-9]{{1,8}}\s{{1,8}}(?:C|G|C\+G|M\+C)\s{{1,4}}\S[^\n|]{{0,90}}?\s{_NUMBER}MiB"
    yield Form(re.compile(process), Statistic.DEVICE, "MiB")


FORMS = tuple(_forms())


def printed_peaks(text: str) -> Iterator[Printed]:
    """Each figure in `text` that is printed in a form that is known."""
    yield from chain.from_iterable(form.found_in(text) for form in FORMS)
    for found in _OF_GPU.finditer(text):
        yield Statistic.DEVICE, amount_in(found["number"], "bytes")
    for found in _AXOLOTL.finditer(text):
        kept = float(found["used"]) + float(found["cache"])
        yield Statistic.RESERVED, amount_in(f"{kept:.3f}", "GiB")
        if found["rest"]:
            yield Statistic.DEVICE, amount_in(f"{kept + float(found['rest']):.3f}", "GiB")
    for found in _CALL.finditer(text):
        if unit := _DIVISORS.get(re.sub(r"[\s()]", "", found["by"])):
            yield Statistic(found["name"]), amount_in(found["number"], unit)
    yield from _queried(text)


def keyed_peaks(text: str) -> Iterator[tuple[Statistic | None, Amount]]:
    """Each figure whose name ends in its unit, and which one it says that it is."""
    for found in _KEY.finditer(text):
        name = found["name"].casefold()
        said = Statistic.ALLOCATED if "alloc" in name else None
        said = Statistic.RESERVED if "reserved" in name else said
        if "gpu memory alloc" in name:  # wandb's, which is none of PyTorch's
            continue
        if "delta" not in name and "total" not in name:
            with suppress(AmountError):
                yield said, amount_in(found["number"], found["unit"])


def _queried(text: str) -> Iterator[Printed]:
    """What is used, in the rows of nvidia-smi --query-gpu; its header says the column."""
    lines = text.splitlines()
    at = next((one for one, line in enumerate(lines) if _COLUMN in line), None)
    if at is None:
        for found in _PAIR.finditer(text):
            if int(found["used"]) < int(found["total"]):
                yield Statistic.DEVICE, amount_in(found["used"], "MiB")
        return
    column = [_COLUMN in name for name in lines[at].split(",")].index(True)
    for line in lines[at + 1 :]:
        cells = line.split(",")
        if len(cells) > column and (found_ := AMOUNT.search(cells[column])):
            with suppress(AmountError):
                yield Statistic.DEVICE, amount_in(found_["number"], "MiB")
