"""Gateway sessions: they outlive connections, number their events and keep them for replay."""

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.wire.clock import Clock, shard_of
from tests.wire.people import Json

if TYPE_CHECKING:
    from tests.wire.connection import Connection

DISPATCH = 0


@dataclass
class Session:
    """What one shard has been sent, whether or not it is connected now."""

    shard: tuple[int, int] | None
    intents: int
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    seq: int = 0
    log: list[Json] = field(default_factory=list)
    connection: "Connection | None" = None
    lost_at: float | None = None

    def number(self, event: str, data: Any) -> Json:  # noqa: ANN401 - any event
        """The next frame of this session, kept for replay."""
        self.seq += 1
        frame = {"op": DISPATCH, "d": data, "s": self.seq, "t": event}
        self.log.append(frame)
        return frame

    def missed(self, seq: int) -> list[Json]:
        """What came after `seq`."""
        return [frame for frame in self.log if frame["s"] > seq]

    def serves(self, guild_id: str | None) -> bool:
        """Whether this shard hears of a guild; direct messages go to shard 0."""
        shard_id, count = self.shard or (0, 1)
        return shard_id == (0 if guild_id is None else shard_of(guild_id, count))


class Sessions:
    """Every session that a client could still resume."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_id: dict[str, Session] = {}

    def add(self, session: Session) -> None:
        self._by_id[session.id] = session

    def drop(self, session: Session) -> None:
        self._by_id.pop(session.id, None)

    def lose(self, session: Session, connection: "Connection") -> None:
        """The connection is gone; the session waits for a resume."""
        if session.connection is connection:
            session.connection = None
            session.lost_at = self._clock.now()

    def alive(self, life_s: float) -> list[Session]:
        """Those that are connected, or lost not too long ago; the others are forgotten."""
        for session in list(self._by_id.values()):
            if session.lost_at is not None and self._clock.now() - session.lost_at > life_s:
                self.drop(session)
        return list(self._by_id.values())

    def find(self, session_id: object, life_s: float) -> Session | None:
        for session in self.alive(life_s):
            if session.id == session_id:
                return session
        return None
