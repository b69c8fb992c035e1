"""What goes between the bot and the process that draws: lengths, and bytes behind them.

A question is a specification. An answer begins with whether it is a picture, or why there is none.
"""

import struct
from typing import BinaryIO

LENGTH = struct.Struct(">I")
ANSWER = struct.Struct(">?I")
LONGEST = 500_000  # bytes of a specification; the longest there is has some tens of thousands


def question(specification: str) -> bytes:
    """What is written to the process."""
    body = specification.encode()
    return LENGTH.pack(len(body)) + body


def read_question(source: BinaryIO) -> str | None:
    """The next specification; None where the bot is gone, or says what it never would."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    body = source.read(length) if length <= LONGEST else b""
    return body.decode() if len(body) == length else None


def answer(body: bytes, *, drawn: bool) -> bytes:
    """What is written back: a picture, or why there is none."""
    return ANSWER.pack(drawn, len(body)) + body
