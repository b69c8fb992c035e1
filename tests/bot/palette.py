"""A screenshot with its colours in a palette: a third of the size, and as crisp.

A page of text has few colours beside those on the edges of letters, and of these many are
the same to the eye.
Source of the format: https://www.w3.org/TR/png-3/, sections 9 (filters) and 11 (chunks).
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

from tests.bot.png import chunks, joined

MOST_COLOURS = 256
SAMPLES = {2: 3, 6: 4}  # a pixel's bytes by its type of colour: with or without opacity
INDEXED = 3  # the type of colour that is a palette
DEPTH = 8
SAME = 36  # the squared distance up to which two colours count as one: 6 steps of 256

Pixel = tuple[int, int, int]


def with_palette(png: bytes) -> bytes:
    """The same picture in at most 256 colours."""
    _, header = next(chunks(png))
    width, height, depth, colour, *_, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != DEPTH or colour not in SAMPLES or interlaced:
        raise ValueError("The browser made a PNG of another kind than is read here.")
    data = zlib.decompress(b"".join(data for kind, data in chunks(png) if kind == b"IDAT"))
    rows = [_pixels(row, SAMPLES[colour]) for row in _rows(data, width * SAMPLES[colour], colour)]
    table = _table(Counter(pixel for row in rows for pixel in row))
    palette = dict.fromkeys(table.values())
    place = {pixel: number for number, pixel in enumerate(palette)}
    number = {pixel: place[shown] for pixel, shown in table.items()}
    indexed = b"".join(b"\0" + bytes(number[pixel] for pixel in row) for row in rows)
    return joined(
        [
            (b"IHDR", struct.pack(">IIBBBBB", width, height, DEPTH, INDEXED, 0, 0, 0)),
            (b"PLTE", b"".join(map(bytes, palette))),
            (b"IDAT", zlib.compress(indexed, level=9)),
            (b"IEND", b""),
        ]
    )


def _rows(data: bytes, length: int, colour: int) -> Iterator[bytes]:
    """Each row without its filter, which is named by the byte before it."""
    step = SAMPLES[colour]
    above = bytearray(length)
    for start in range(0, len(data), length + 1):
        row = bytearray(data[start + 1 : start + 1 + length])
        _unfilter(data[start], row, above, step)
        yield bytes(row)
        above = row


def _unfilter(kind: int, row: bytearray, above: bytearray, step: int) -> None:
    """Add to each byte what its filter took: a guess from left, above, and above left."""
    for place in range(len(row)):
        up = above[place]
        left, corner = (row[place - step], above[place - step]) if place >= step else (0, 0)
        guess = (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]
        row[place] = (row[place] + guess) & 0xFF


def _paeth(left: int, up: int, corner: int) -> int:
    """Whichever of the three is nearest to `left + up - corner`; the first of equals."""
    guess = left + up - corner
    return min((left, up, corner), key=lambda near: abs(guess - near))


def _pixels(row: bytes, samples: int) -> list[Pixel]:
    return list(zip(row[0::samples], row[1::samples], row[2::samples], strict=True))


def _table(counts: Counter[Pixel]) -> dict[Pixel, Pixel]:
    """Each colour of the picture, and the one it is shown in: the frequent ones are kept."""
    kept: list[Pixel] = []
    for pixel, _ in counts.most_common():
        if len(kept) < MOST_COLOURS and all(_apart(pixel, near) > SAME for near in kept):
            kept.append(pixel)
    return {pixel: min(kept, key=lambda near: _apart(near, pixel)) for pixel in counts}


def _apart(one: Pixel, other: Pixel) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))
