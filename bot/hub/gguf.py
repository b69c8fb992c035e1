"""The head of a GGUF file: its metadata and the types of its tensors. No weight is read.

Little-endian: `GGUF`, version, how many tensors and keys, then the keys, then the tensors.
Every length is held against what is there before it is believed, so that a header of 2⁶³
tensors costs no more than one of none.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from bot.hub.repository import MOST_PARAMETERS, MissedError, Reason
from estimator import MIB

LARGEST_HEADER = 16 * MIB  # the words of the largest vocabularies take ten
MAGIC = b"GGUF"
VERSIONS = (2, 3)  # 1 has lengths of 32 bits, and no file of a year that matters
STRING, ARRAY = 8, 9
SCALARS = dict(zip((*range(8), 10, 11, 12), "BbHhIif?Qqd", strict=True))  # as struct has them
MOST_DIMENSIONS = 4
MOST_KEYS = 4_096
MOST_TENSORS = 65_536  # experts of a layer are one tensor: the largest models have 2,000
MOST_TEXTS = MIB  # of a list: the merges of the largest vocabularies are half of it
LONGEST_TEXT = 200  # characters of a text that is kept


def _numbered(text: str) -> dict[int, str]:
    words = text.split()
    return {int(number): name for number, name in zip(words[::2], words[1::2], strict=True)}


# ggml's types by number, as gguf.h lists them; those that no model has are left out.
TYPES = _numbered(
    "0 F32 1 F16 2 Q4_0 3 Q4_1 6 Q5_0 7 Q5_1 8 Q8_0 10 Q2_K 11 Q3_K 12 Q4_K 13 Q5_K 14 Q6_K "
    "16 IQ2_XXS 17 IQ2_XS 18 IQ3_XXS 19 IQ1_S 20 IQ4_NL 21 IQ3_S 22 IQ2_S 23 IQ4_XS 29 IQ1_M "
    "30 BF16 34 TQ1_0 35 TQ2_0 39 MXFP4"
)
# `general.file_type`: the recipe by which a file was made, as llama.h numbers them.
RECIPES = _numbered(
    "0 F32 1 F16 2 Q4_0 3 Q4_1 7 Q8_0 8 Q5_0 9 Q5_1 10 Q2_K 11 Q3_K_S 12 Q3_K_M 13 Q3_K_L "
    "14 Q4_K_S 15 Q4_K_M 16 Q5_K_S 17 Q5_K_M 18 Q6_K 19 IQ2_XXS 20 IQ2_XS 21 Q2_K_S 22 IQ3_XS "
    "23 IQ3_XXS 24 IQ1_S 25 IQ4_NL 26 IQ3_S 27 IQ3_M 28 IQ2_S 29 IQ2_M 30 IQ4_XS 31 IQ1_M "
    "32 BF16 38 MXFP4_MOE"
)

Scalar = str | int | float | bool


@dataclass(slots=True)
class Header:
    """`metadata`: scalars by key; of a list its length. `elements`: by type, of all tensors."""

    metadata: dict[str, Scalar] = field(default_factory=dict)
    elements: dict[str, int] = field(default_factory=dict)
    tensors: set[str] = field(default_factory=set)

    @property
    def recipe(self) -> str:
        """By which recipe it was made; where it does not say, the type of most weights."""
        named = self.metadata.get("general.file_type")
        if isinstance(named, int) and named in RECIPES:
            return RECIPES[named]
        packed = {name: count for name, count in self.elements.items() if name != "F32"}
        return max(packed, key=lambda name: packed[name], default="")


class ShortError(Exception):
    """The header goes on beyond the bytes that there are."""


def is_whole(beginning: bytes) -> bool:
    """Whether all of the header is there, or what is there is none."""
    try:
        read_header(beginning, "")
    except ShortError:
        return False
    except MissedError:
        return True
    return True


def header_of(beginning: bytes, what: str) -> Header:
    """The header of a file; raises MissedError also where it goes on beyond `beginning`."""
    try:
        return read_header(beginning, what)
    except ShortError:
        long = len(beginning) >= LARGEST_HEADER
        reason = Reason.TOO_LARGE if long else Reason.MALFORMED
        raise MissedError(reason, f"the header of {what}") from None


def read_header(beginning: bytes, what: str) -> Header:
    """The same; raises ShortError where it goes on."""
    reader = _Reader(beginning, what)
    if reader.take(len(MAGIC)) != MAGIC:
        raise reader.wrong("is no GGUF file")
    if reader.number("I") not in VERSIONS:
        raise reader.wrong("is of a version that is not read")
    tensors, keys = reader.number("Q"), reader.number("Q")
    if keys > MOST_KEYS or tensors > MOST_TENSORS:
        raise reader.wrong("claims more keys or tensors than any file has")
    header = Header()
    for _ in range(keys):
        name = reader.text()
        value = reader.value(reader.number("I"))
        if name is not None and value is not None:
            header.metadata[name] = value
    for _ in range(tensors):
        name, kind, elements = reader.tensor()
        header.tensors.add(name)
        header.elements[kind] = header.elements.get(kind, 0) + elements
        if header.elements[kind] > MOST_PARAMETERS:
            raise reader.wrong("claims more than any model holds")
    return header


class _Reader:
    """Goes through the bytes; everything that it takes is there."""

    def __init__(self, data: bytes, what: str) -> None:
        self._data, self._at, self._what = data, 0, what

    def wrong(self, problem: str) -> MissedError:
        return MissedError(Reason.MALFORMED, f"{self._what} {problem}")

    def take(self, length: int) -> bytes:
        self.skip(length)
        return self._data[self._at - length : self._at]

    def skip(self, length: int) -> None:
        if length > LARGEST_HEADER:
            raise self.wrong("claims a length that no header has")
        if self._at + length > len(self._data):
            raise ShortError
        self._at += length

    def number(self, kind: str) -> int:
        return int(struct.unpack(f"<{kind}", self.take(struct.calcsize(kind)))[0])

    def text(self) -> str | None:
        """A text, if it is short enough to be kept."""
        length = self.number("Q")
        if length > LONGEST_TEXT:
            self.skip(length)
            return None
        return self.take(length).decode("utf-8", errors="replace")

    def value(self, kind: int) -> Scalar | None:
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            return self._list()
        if kind not in SCALARS:
            raise self.wrong("holds a value of an unknown type")
        size = struct.calcsize(SCALARS[kind])
        found: Scalar = struct.unpack(f"<{SCALARS[kind]}", self.take(size))[0]
        return found

    def _list(self) -> int:
        """How many there are; what they are is passed over."""
        kind, length = self.number("I"), self.number("Q")
        if length > LARGEST_HEADER:
            raise self.wrong("claims a list that no header has")
        if kind in SCALARS:
            self.skip(length * struct.calcsize(SCALARS[kind]))
        elif kind == STRING:
            self._skip_texts(length)
        else:
            raise self.wrong("holds a list of an unknown type")
        return length

    def _skip_texts(self, count: int) -> None:
        """The same as reading each, in a quarter of the time: there may be half a million."""
        if count > MOST_TEXTS:
            raise self.wrong("claims a list that no header has")
        at, data, length_of = self._at, self._data, struct.Struct("<Q").unpack_from
        try:
            for _ in range(count):
                at += 8 + length_of(data, at)[0]
        except (struct.error, OverflowError):
            raise ShortError from None
        if at > len(data):
            raise ShortError
        self._at = at

    def tensor(self) -> tuple[str, str, int]:
        """(name, type, elements)."""
        name = self.text() or ""
        dimensions = self.number("I")
        if dimensions > MOST_DIMENSIONS:
            raise self.wrong("lists a tensor of too many dimensions")
        sizes = [self.number("Q") for _ in range(dimensions)]
        kind = self.number("I")
        self.skip(struct.calcsize("Q"))  # where it lies
        if any(size > MOST_PARAMETERS for size in sizes):
            raise self.wrong("lists a tensor of an impossible shape")
        return name, TYPES.get(kind, f"type {kind}"), prod(sizes)


def spelled(metadata: Mapping[str, Scalar], name: str) -> Scalar | None:
    """A key of the file's own architecture: `block_count` of `llama.block_count`."""
    return metadata.get(f"{metadata.get('general.architecture')}.{name}")
