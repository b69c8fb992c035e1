"""Time as the stand-in counts it, and ids made from it."""

import itertools
import time

EPOCH_MS = 1_420_070_400_000  # the first second of 2015
_increments = itertools.count()


class Clock:
    """Seconds that only go forward. Tests skip over waits that Discord counts in minutes."""

    def __init__(self) -> None:
        self._skipped_s = 0.0

    def now(self) -> float:
        return time.monotonic() + self._skipped_s

    def skip(self, seconds: float) -> None:
        """Age everything by so many seconds."""
        self._skipped_s += seconds


def snowflake() -> str:
    """A new id of the current time; the client reads the time back out of it."""
    return _snowflake(_now_ms())


def guild_id_of_shard(shard_id: int, shard_count: int) -> str:
    """A new guild id that Discord would give to this shard."""
    now = _now_ms()
    return _snowflake(now - now % shard_count + shard_id)


def shard_of(guild_id: str, shard_count: int) -> int:
    """Which shard hears of a guild."""
    return (int(guild_id) >> 22) % shard_count


def _now_ms() -> int:
    return time.time_ns() // 1_000_000 - EPOCH_MS


def _snowflake(since_epoch_ms: int) -> str:
    worker, step = 1, next(_increments) % 4096
    return str(since_epoch_ms << 22 | worker << 17 | step)
