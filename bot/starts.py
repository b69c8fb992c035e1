"""When sessions were begun in the last hour, kept in a file: a restart does not forget it.

A container that dies is started again at once, for ever. Each process alone would keep to the
pace, and together they would spend the 1,000 IDENTIFYs of a day. What cannot be kept is logged
and keeps nobody from connecting: what Discord says of the day then holds, see `bot.gateway`.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)

HOUR_S = 3600.0
WITHIN_S = 1.0  # a disk that takes longer holds up no connection
LONGEST = 1 << 16  # bytes that are read; an hour takes a few hundred
DEFAULT_FILE = "vram-bot.starts"


@dataclass(slots=True)
class Starts:
    """`name`: whose they are; processes with other shards have a pace of their own."""

    file: Path
    name: str
    clock: Callable[[], float] = time
    _complained: bool = False

    async def ages(self) -> list[float]:
        """How long ago each was, in seconds, the oldest first; at most an hour."""
        return await self._tried(self._read) or []

    async def note(self) -> None:
        """One begins now."""
        await self._tried(self._write)

    async def _tried(self, work: Callable[[], T]) -> T | None:
        try:
            return await asyncio.wait_for(asyncio.to_thread(work), WITHIN_S)
        except (OSError, ValueError, TimeoutError) as error:
            if not self._complained:
                self._complained = True
                kind = type(error).__name__
                log.warning("when sessions began is not kept over restarts: %s", kind)
            return None

    def _lines(self) -> list[tuple[float, str]]:
        """Of the last hour, whoever wrote them; moments that are still to come are of no clock."""
        try:
            with self.file.open("rb") as file:
                text = file.read(LONGEST).decode("utf-8", errors="replace")
        except FileNotFoundError:
            return []
        now = self.clock()
        found = []
        for line in text.splitlines():
            moment, _, name = line.partition(" ")
            try:
                began = float(moment)
            except ValueError:
                continue
            if 0 <= now - began <= HOUR_S:
                found.append((began, name))
        return sorted(found)

    def _read(self) -> list[float]:
        now = self.clock()
        return [now - began for began, name in self._lines() if name == self.name]

    def _write(self) -> None:
        lines = [*self._lines(), (self.clock(), self.name)]
        new = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        new.write_text("".join(f"{began:.3f} {name}\n" for began, name in lines), "utf-8")
        new.replace(self.file)
