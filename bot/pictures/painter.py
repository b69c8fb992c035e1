"""Pictures on demand: drawn one after the other in another process, the last ones kept."""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field

from bot.ops.memory import resident_bytes
from bot.ops.metrics import PICTURES, WORKER_STARTS
from bot.pictures.hand import COMMAND, DrawerEndedError, Hand, NotDrawnError, hand
from bot.pictures.sample import SAMPLE

log = logging.getLogger(__name__)

MOST_WAITING = 32  # pictures; who comes then gets none, and no wait
MOST_KEPT = 48  # pictures; some 150 KB each
MOST_TRIES = 2  # for one picture: what ends the process twice may be the cause
PATIENCE_S = 30.0  # after which nobody wants to see a picture any more
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 60.0  # before a process that ended is started again

Drawn = asyncio.Future[bytes | None]


@dataclass(slots=True, eq=False)
class _Job:
    specification: str
    drawn: Drawn
    tries: int = 0
    context: Context = field(default_factory=copy_context)  # of who asked first, for the log


class Painter:
    """Draws while it is started; without, and where too many wait, there is no picture."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = command
        self._running: asyncio.Task[None] | None = None
        self._left: asyncio.Task[None] | None = None  # the last that was told to end
        self._jobs: deque[_Job] = deque()  # the first of them is being drawn
        self._more = asyncio.Event()
        self._asked: dict[str, Drawn] = {}
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self.starts = 0  # of the process
        self.is_on = True
        self._drawer: Hand | None = None

    def start(self) -> None:
        """Start the process, and let it draw once before it is needed; again does nothing."""
        if self._running is None and self.is_on:
            self._running = asyncio.create_task(self._run(), name="pictures")

    @property
    def waiting(self) -> int:
        """Pictures that are to be drawn."""
        return len(self._jobs)

    def worker_bytes(self) -> int | None:
        """The memory of the process; None where there is none, or it is not told."""
        return None if self._drawer is None else resident_bytes(self._drawer.pid)

    def switch(self, *, on: bool) -> None:
        """Draw from now on, or no longer."""
        self.is_on = on
        if on:
            self.start()
        else:
            self._leave()

    async def close(self) -> None:
        """End the process; who waits gets no picture."""
        self._leave()
        if self._left is not None:
            await asyncio.wait({self._left})

    def _leave(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            self._left = running
        while self._jobs:
            self._done(self._jobs[0], None)

    def paint(self, specification: str) -> Drawn:
        """The picture as a PNG file, when it comes; None where there will be none.

        Several may wait for one: wait with `asyncio.wait`, which cancels nothing.
        """
        asked = self._asked.get(specification)
        if asked is not None:
            return asked
        loop = asyncio.get_running_loop()
        drawn: Drawn = loop.create_future()
        kept = self._kept.get(specification)
        if kept is not None:
            self._kept.move_to_end(specification)
            drawn.set_result(kept)
            PICTURES.add("kept")
        elif self._running is None or len(self._jobs) >= MOST_WAITING:
            drawn.set_result(None)
            PICTURES.add("no_room")
        else:
            job = _Job(specification, drawn)
            self._jobs.append(job)
            self._asked[specification] = drawn
            self._more.set()
            patience = loop.call_later(PATIENCE_S, self._give_up, job)
            drawn.add_done_callback(lambda _: patience.cancel())
        return drawn

    async def _run(self) -> None:
        """One process after the other; the longer the wait, the less the last one did."""
        pause = FIRST_PAUSE_S
        while True:
            warm = False
            try:
                async with hand(self._command) as drawer:
                    self.starts += 1
                    WORKER_STARTS.add()
                    self._drawer = drawer
                    await drawer.draw(SAMPLE)
                    warm = True
                    await self._draw_all(drawer)
            except (OSError, DrawerEndedError, NotDrawnError) as error:
                pause = FIRST_PAUSE_S if warm else min(2 * pause, LONGEST_PAUSE_S)
                log.warning("the process that draws: %s; a new one in %.2g s", error, pause)
            finally:
                self._drawer = None
            await asyncio.sleep(pause)

    async def _draw_all(self, drawer: Hand) -> None:
        """Draw what is asked for, until the process ends."""
        ended = asyncio.create_task(drawer.ended())
        try:
            while True:
                while self._jobs:
                    await self._draw(drawer, self._jobs[0])
                self._more.clear()
                more = asyncio.create_task(self._more.wait())
                try:
                    await asyncio.wait({more, ended}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    more.cancel()
                if ended.done():
                    raise DrawerEndedError("it is gone")
        finally:
            ended.cancel()

    async def _draw(self, drawer: Hand, job: _Job) -> None:
        """One picture. Where the process ends over it, it is tried again in the next one."""
        job.tries += 1
        try:
            picture = await drawer.draw(job.specification)
            PICTURES.add("drawn")
            self._done(job, picture)
        except NotDrawnError as error:
            job.context.run(log.warning, "a picture could not be drawn: %s", error)
            PICTURES.add("failed")
            self._done(job, None)
        except DrawerEndedError:
            if job.tries >= MOST_TRIES:
                PICTURES.add("failed")
                self._done(job, None)
            raise

    def _give_up(self, job: _Job) -> None:
        PICTURES.add("given_up")
        self._done(job, None)

    def _done(self, job: _Job, picture: bytes | None) -> None:
        """Hand it over, once; later calls change nothing of it."""
        if job in self._jobs:
            self._jobs.remove(job)
        if self._asked.get(job.specification) is job.drawn:
            del self._asked[job.specification]
        if picture is not None:
            self._kept[job.specification] = picture
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        if not job.drawn.done():
            job.drawn.set_result(picture)
