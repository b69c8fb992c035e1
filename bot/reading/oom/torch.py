"""PyTorch on any device: from 0.4, which says `cached`, to today's, which counts processes."""

import re
from dataclasses import replace
from itertools import islice

from bot.reading.oom.figures import bytes_of, phrase
from bot.reading.oom.message import OomKind, OomMessage, Process
from bot.reading.oom.wording import NONSENSE, Phrases, Wording, message_of

KINDS = {
    "CUDA": OomKind.CUDA,
    "HIP": OomKind.HIP,
    "MPS": OomKind.MPS,
    "XPU": OomKind.XPU,
    "NPU": OomKind.NPU,
}
MOST_RANKS = 8  # that say it in one paste
BLOCK = phrase("can NOT allocate memory block with size larger than")
# `CUDA out of memory`, and the words of an exception that was caught without its name.
SAID = phrase(r"\b(CUDA|HIP|MPS|XPU|NPU)(?: backend)? out of memory(?! occurred)")
POOLED = phrase(r"Allocation on device(?: \d{1,3})? would exceed allowed memory")
NAMED = phrase(r"(?<!you)(?:^|\s)Tried to allocate {size}(?:\.|\(|\s)")

FIGURES: Phrases = {
    "tried": ("tried to allocate {size}", "Requested ?: {size}"),
    "total": (
        "total capaci?ty of {size}",
        "{size} total capacity",
        "Device limit ?: {size}",
    ),
    "free": (
        "of which {size} is free",
        r"Free \(according to CUDA\): {size}",
        r"{size} free(?:;|\)|$)",
    ),
    "allocated_by_pytorch": (
        "{size} is allocated by PyTorch",
        "{size} already allocated",
        "(?:MPS|currently) allocated ?: {size}",
    ),
    "reserved_unallocated": "{size} is reserved by PyTorch but unallocated",
    "reserved_total": "{size} reserved in total by PyTorch",
    "cached": "{size} cached",
    "private_pools": "{size} allocated in private pools",
    "this_process": "this process has {size} memory in use",
    "other": "other allocations: {size}",
    "limit": "max allowed: {size}",
    "allowed": ("{size} allowed;", r"PyTorch limit \([^)]{0,60}\): {size}"),
}
COUNTS: Phrases = {
    "device": (r"\b[GNX]PU {n} ?(?:;|has\b)", "Allocation on device {n} would", "device id: {n}")
}
WORDS: Phrases = {"pool": "on {word} pool", "absurd": r"tried to allocate more than (1 ?EB)\b"}
PROCESS = phrase(r"\bProcess {n} has {size} memory in use")


def read_torch(text: str) -> OomMessage | None:
    """What PyTorch's allocator said first in `text`."""
    block = BLOCK.search(text)
    if block is not None:
        return _message(OomKind.BLOCK_SIZE, text[block.end() :])
    said = [_message(KINDS[said[1].upper()], part) for said, part in _parts(text)]
    if said:
        return next((one for one in said if not one.incomplete), said[0])
    pooled = POOLED.search(text)
    if pooled is not None:
        return _message(OomKind.CUDA, text[pooled.start() :])
    return _message(OomKind.CUDA, text) if NAMED.search(text) else None


def _parts(text: str) -> list[tuple[re.Match[str], str]]:
    """Each time that it is said, with the text up to the next: a question may name it first."""
    said = list(islice(SAID.finditer(text), MOST_RANKS))
    ends = [one.start() for one in said[1:]] + [len(text)]
    return [(one, text[one.start() : end]) for one, end in zip(said, ends, strict=False)]


def _message(kind: OomKind, part: str) -> OomMessage:
    message = message_of(Wording(kind, (), FIGURES, COUNTS, WORDS), part)
    processes, nonsense = _processes(part)
    ignored = (*message.ignored, *(("processes",) if nonsense else ()))
    return replace(message, processes=processes, ignored=ignored)


def _processes(part: str) -> tuple[tuple[Process, ...], bool]:
    """Other programs on the card, and whether one of them has what no machine has."""
    found: list[Process] = []
    nonsense = False
    for match in PROCESS.finditer(part):
        used = bytes_of(match[2])
        if used is None or used >= NONSENSE:
            nonsense = True
        else:
            found.append(Process(int(match[1]), used))
    return tuple(found), nonsense
