"""PNG files in chunks: a line of text kept among them.

A PNG is a signature and then chunks: length, kind, data, and a checksum over the last two
(https://www.w3.org/TR/png-3/#5Chunk-layout). A `tEXt` chunk is a keyword, a zero byte and
the text.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator

Chunk = tuple[bytes, bytes]  # its kind and its data

SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEAD, TAIL = 8, 4  # bytes of length and kind, and of the checksum


def chunks(png: bytes) -> Iterator[Chunk]:
    """The chunks of a file, in its order."""
    if not png.startswith(SIGNATURE):
        raise ValueError("This is no PNG file.")
    start = len(SIGNATURE)
    while start < len(png):
        length, kind = struct.unpack_from(">I4s", png, start)
        end = start + HEAD + length
        yield kind, png[start + HEAD : end]
        start = end + TAIL


def joined(parts: Iterable[Chunk]) -> bytes:
    """The file of these chunks."""
    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )


def with_text(png: bytes, keyword: str, text: str) -> bytes:
    """`png` with `text` under `keyword`, right before its end."""
    *before, end = chunks(png)
    return joined([*before, (b"tEXt", f"{keyword}\0{text}".encode("latin-1")), end])


def text_in(png: bytes, keyword: str) -> str | None:
    """What stands under `keyword`."""
    for kind, data in chunks(png):
        name, _, text = data.partition(b"\0")
        if kind == b"tEXt" and name.decode("latin-1") == keyword:
            return text.decode("latin-1")
    return None
