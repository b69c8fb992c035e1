"""How frames to the client are packed: one stream a connection, flushed after each message."""

import zlib
from enum import StrEnum
from typing import Protocol

import zstandard


class Compression(StrEnum):
    """What the client asked for in the address."""

    NONE = "none"
    ZLIB = "zlib-stream"
    ZSTD = "zstd-stream"


class Packer(Protocol):
    """Text to bytes, sharing one stream."""

    def pack(self, text: str) -> bytes: ...


class Zlib:
    """The client looks for the four bytes that a sync flush ends with."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj()

    def pack(self, text: str) -> bytes:
        return self._stream.compress(text.encode()) + self._stream.flush(zlib.Z_SYNC_FLUSH)


class Zstd:
    """A block is flushed, the frame never ends."""

    def __init__(self) -> None:
        self._stream = zstandard.ZstdCompressor().compressobj()

    def pack(self, text: str) -> bytes:
        packed = self._stream.compress(text.encode())
        return packed + self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


def packer_of(compression: Compression) -> Packer | None:
    """What packs the frames of one connection; None sends text."""
    match compression:
        case Compression.NONE:
            return None
        case Compression.ZLIB:
            return Zlib()
        case Compression.ZSTD:
            return Zstd()
