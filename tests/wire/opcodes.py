"""What a client may say on the gateway, and how it is answered."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from tests.wire import places
from tests.wire.connection import NAMES, Connection
from tests.wire.errors import GatewayRefusal
from tests.wire.intents import GUILDS, KNOWN, PRIVILEGED
from tests.wire.people import Json
from tests.wire.recorded import Identify, Resume
from tests.wire.sessions import Session, Sessions
from tests.wire.world import World

HEARTBEAT, IDENTIFY, RESUME, INVALID_SESSION, HEARTBEAT_ACK = 1, 2, 6, 9, 11
LATER = (3, 4, 8, 31, 43)  # presence, voice state, members, soundboard, channel info
LONGEST_FRAME_BYTES = 4096
FRAMES_A_MINUTE = 120
GUILDS_WITHOUT_SHARDS = 2500
VERSION = 10


class Opcodes:
    """Judges the frames of clients and keeps the sessions."""

    def __init__(self, world: World, sessions: Sessions) -> None:
        self._world = world
        self._sessions = sessions
        self._started: dict[int, float] = {}  # by concurrency key: when the last IDENTIFY was

    async def hear(self, connection: Connection, text: str) -> None:
        """One frame of a client; raises GatewayRefusal where Discord would close."""
        now = self._world.clock.now()
        frame = _parsed(text)
        connection.received.append(frame)
        connection.received_at.append(now)
        if sum(now - at < 60 for at in connection.received_at) > FRAMES_A_MINUTE:
            raise GatewayRefusal(4008, "more than 120 frames in a minute")
        opcode, data = frame.get("op"), frame.get("d")
        name = NAMES.get(opcode) if isinstance(opcode, int) else None
        self._world.frames[name or "UNKNOWN"] += 1
        self._world.changed.tell()
        if opcode == HEARTBEAT:
            connection.heartbeat_at = asyncio.get_running_loop().time()
            if not self._world.faults.never_ack.take():
                await connection.say(HEARTBEAT_ACK)
        elif opcode in (IDENTIFY, RESUME):
            if connection.session is not None:
                raise GatewayRefusal(4005, "already authenticated")
            if not isinstance(data, dict):
                raise GatewayRefusal(4002, "d is not an object")
            if data.get("token") != self._world.bot.token:
                raise GatewayRefusal(4004, "authentication failed")
            start = self._identify if opcode == IDENTIFY else self._resume
            await start(connection, data)
        elif opcode not in LATER:
            raise GatewayRefusal(4001, f"unknown opcode {opcode!r}")
        elif connection.session is None:
            raise GatewayRefusal(4003, f"opcode {opcode} before IDENTIFY")

    async def _identify(self, connection: Connection, data: Json) -> None:
        shard, intents = self._checked(data)
        self._world.identifies.append(
            Identify(
                at=self._world.clock.now(),
                shard=shard,
                intents=intents,
                data={key: value for key, value in data.items() if key != "token"},
            )
        )
        self._world.changed.tell()
        if self._world.faults.never_ready.take():
            return
        if self._too_soon(shard):
            await self.invalidate(connection, resumable=False)
            return
        self._world.settings.identifies_left -= 1
        session = Session(shard, intents)
        self._sessions.add(session)
        self._attach(connection, session)
        guilds = [each for each in self._world.guilds if session.serves(each)]
        frames = [session.number("READY", self._ready(session, guilds))]
        if intents & GUILDS:
            frames += [
                session.number("GUILD_CREATE", places.guild(each, self._world.bot))
                for each in guilds
            ]
        await connection.send(*frames)
        self._begin(connection)

    async def _resume(self, connection: Connection, data: Json) -> None:
        session_id, seq = data.get("session_id"), data.get("seq")
        if isinstance(seq, bool) or not isinstance(seq, int) or not isinstance(session_id, str):
            raise GatewayRefusal(4002, "RESUME needs session_id and seq")
        session = self._sessions.find(session_id, self._world.settings.session_life_s)
        if session is not None and self._world.faults.lose_session.take():
            self._sessions.drop(session)
            session = None
        resumed = session is not None and seq <= session.seq
        self._world.resumes.append(Resume(self._world.clock.now(), session_id, seq, resumed))
        self._world.changed.tell()
        if session is None:
            await self.invalidate(connection, resumable=False)
            return
        if not resumed:
            self._sessions.drop(session)
            raise GatewayRefusal(4007, f"seq {seq} is above the last, {session.seq}")
        if session.connection is not None:  # the old socket is dead, only nobody noticed
            session.connection.drop()
        self._attach(connection, session)
        missed = session.missed(seq)
        said: Json | None = None if self._world.faults.null_resumed.take() else {}
        await connection.send(*missed, session.number("RESUMED", said))
        connection.resumed = True
        self._begin(connection)

    async def invalidate(self, connection: Connection, *, resumable: bool) -> None:
        """Op 9. After false the session is gone, and the client may IDENTIFY on this socket."""
        if not resumable and connection.session is not None:
            self._sessions.drop(connection.session)
            connection.session = None
        connection.ready = False
        await connection.say(INVALID_SESSION, resumable)

    def _checked(self, data: Mapping[str, Any]) -> tuple[tuple[int, int] | None, int]:
        """The shard and the intents of an IDENTIFY."""
        intents, shard = data.get("intents"), data.get("shard")
        if not isinstance(data.get("properties"), dict):
            raise GatewayRefusal(4002, "IDENTIFY needs properties")
        if isinstance(intents, bool) or not isinstance(intents, int) or intents & ~KNOWN:
            raise GatewayRefusal(4013, f"invalid intents {intents!r}")
        if intents & PRIVILEGED & ~self._world.settings.approved_intents:
            raise GatewayRefusal(4014, f"disallowed intents {intents!r}")
        if self._world.settings.identifies_left <= 0:
            self._world.violations.add("gateway: more IDENTIFYs than a day allows")
            raise GatewayRefusal(4004, "no IDENTIFY left today; Discord would reset the token")
        if shard is None:
            if len(self._world.guilds) > GUILDS_WITHOUT_SHARDS:
                raise GatewayRefusal(4011, "sharding required")
            return None, intents
        match shard:
            case [int(shard_id), int(count)] if 0 <= shard_id < count:
                return (shard_id, count), intents
        raise GatewayRefusal(4010, f"invalid shard {shard!r}")

    def _too_soon(self, shard: tuple[int, int] | None) -> bool:
        """Whether another shard of the same concurrency key has just identified."""
        key = (shard[0] if shard else 0) % self._world.settings.max_concurrency
        now, last = self._world.clock.now(), self._started.get(key)
        if last is not None and now - last < self._world.settings.identify_window_s:
            return True
        self._started[key] = now
        return False

    def _ready(self, session: Session, guilds: list[str]) -> Json:
        ready: Json = {
            "v": VERSION,
            "user": self._world.bot.user(),
            "guilds": [{"id": each, "unavailable": True} for each in guilds],
            "session_id": session.id,
            "resume_gateway_url": self._world.resume_url,
            "application": {"id": self._world.bot.id, "flags": 0},
        }
        return ready if session.shard is None else {**ready, "shard": list(session.shard)}

    def _attach(self, connection: Connection, session: Session) -> None:
        connection.session = session
        session.connection = connection
        session.lost_at = None

    def _begin(self, connection: Connection) -> None:
        connection.began_at = self._world.clock.now()
        connection.begin()
        self._world.changed.tell()


def _parsed(text: str) -> Json:
    if len(text.encode()) > LONGEST_FRAME_BYTES:
        raise GatewayRefusal(4002, "frame longer than 4,096 bytes")
    try:
        frame = json.loads(text)
    except ValueError:
        raise GatewayRefusal(4002, "frame is no JSON") from None
    if not isinstance(frame, dict):
        raise GatewayRefusal(4002, "frame is no object")
    return frame
