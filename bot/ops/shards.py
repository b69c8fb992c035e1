"""How each shard is: whether it has a session, and whether its heartbeats are acknowledged.

An open socket alone says little: behind it may be nobody. Discord acknowledges each heartbeat, one
every 41.25 s. Who has heard no acknowledgement for that long and `GRACE_S` more is not ready: at
most 51.25 s after its peer fell silent. discord.py leaves such a connection after 60 s or more,
and one that still speaks, but acknowledges nothing, never.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from time import perf_counter
from typing import Any

GRACE_S = 10.0  # beyond the interval: an acknowledgement takes some seconds on a bad day
OTHER_CODE = "other"
CLOSE_CODE = re.compile(r"10(?:0\d|1[0-5])|40(?:0\d|1[0-4])")  # of WebSockets, and Discord's


@dataclass(frozen=True, slots=True)
class ShardState:
    """One shard. `silent_s`: since its last acknowledgement; `latency_s`: of it. None: none yet."""

    id: int
    in_session: bool
    silent_s: float | None = None
    latency_s: float | None = None
    allowed_s: float = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether what people type arrives."""
        return self.in_session and (self.silent_s is None or self.silent_s <= self.allowed_s)

    @property
    def why_not(self) -> str:
        """Why it is not ready."""
        if not self.in_session:
            return "it has no session"
        return f"its heartbeats are not acknowledged: {self.silent_s:.0f} s"


def shard_states(shards: Mapping[int, Any], in_session: AbstractSet[int]) -> list[ShardState]:
    """The states of discord.py's `shards`, by their ids.

    What is read of its inside is held by tests that let a peer fall silent.
    """
    return [_state(number, shard, number in in_session) for number, shard in shards.items()]


def _state(number: int, shard: Any, in_session: bool) -> ShardState:  # noqa: ANN401, FBT001
    keep_alive = shard._parent.ws._keep_alive  # noqa: SLF001
    if keep_alive is None or keep_alive.interval is None:
        return ShardState(number, in_session)
    known = keep_alive.latency != float("inf")
    return ShardState(
        number,
        in_session,
        silent_s=perf_counter() - keep_alive._last_ack,  # noqa: SLF001
        latency_s=keep_alive.latency if known else None,
        allowed_s=keep_alive.interval + GRACE_S,
    )


def close_code(shard: Any) -> str:  # noqa: ANN401  (of discord.py)
    """With what a shard's connection ended; `other` also where that is not known."""
    if shard is None:
        return OTHER_CODE
    ws = shard._parent.ws  # noqa: SLF001
    code = ws._close_code or ws.socket.close_code  # noqa: SLF001
    return str(code) if CLOSE_CODE.fullmatch(str(code)) else OTHER_CODE
