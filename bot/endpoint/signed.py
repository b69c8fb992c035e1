"""Whether it was Discord that called, and just now.

Discord signs the time and the body of each call with a key whose public half stands in its
portal. It also calls with wrong signatures on purpose, and takes the address away from who
accepts one.
Source: https://discord.com/developers/docs/interactions/overview
"""

import re
import time
from collections.abc import Callable
from enum import StrEnum

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

SIGNATURE, TIMESTAMP = "X-Signature-Ed25519", "X-Signature-Timestamp"
HEX = re.compile(r"[0-9a-fA-F]{128}")
SECONDS = re.compile(r"[0-9]{1,12}")  # since 1970; Discord describes neither form nor age
# Older calls are repeated by somebody, and younger ones come from the future. Discord waits for
# three seconds only: the rest is for two clocks that differ.
LONGEST_S = 300


class Verdict(StrEnum):
    """What is to be thought of a call."""

    GENUINE = "genuine"
    STALE = "not from now"
    FOREIGN = "not signed by Discord"


class Signed:
    """Looks at calls; `public_key` is 64 hexadecimal digits."""

    def __init__(self, public_key: str, clock: Callable[[], float] = time.time) -> None:
        self._key = VerifyKey(bytes.fromhex(public_key))
        self._clock = clock

    def judge(self, signature: str, timestamp: str, body: bytes) -> Verdict:
        """The whole of it; the library compares in constant time."""
        if not could_be(signature, timestamp):
            return Verdict.FOREIGN
        try:
            self._key.verify(timestamp.encode() + body, bytes.fromhex(signature))
        except BadSignatureError:
            return Verdict.FOREIGN
        now = self._clock()
        return Verdict.GENUINE if abs(now - int(timestamp)) <= LONGEST_S else Verdict.STALE


def could_be(signature: str, timestamp: str) -> bool:
    """Whether both have their form: what has not is refused before its body is read."""
    return bool(HEX.fullmatch(signature) and SECONDS.fullmatch(timestamp))
