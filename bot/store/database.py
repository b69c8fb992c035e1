"""A database, used by one transaction at a time in threads of its own.

Who waits for a transaction waits for so long and no longer: it is then taken back, so that what
was told as not done is not done later. Nothing of SQLAlchemy is loaded before the first use.
"""

import asyncio
import logging
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from bot.ops.metrics import STORE_SECONDS, TRANSACTIONS
from bot.ops.threads import Threads
from bot.store.address import Address, Kind
from bot.store.faults import StoreFault, StoreGone, StoreSlow, StoreUnsure

if TYPE_CHECKING:  # it takes a while to load, and most questions keep nothing
    from sqlalchemy import Connection, Engine

log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[["Connection"], T]

WITHIN_S = 2.3  # of the three seconds in which Discord wants an answer
WRITING_S = 2.0  # more, for what is being written down already
MOST_WAITING = 64  # who comes then is told so
QUIET_S = 60.0  # between two lines of the log about the same
THREADS = {Kind.SQLITE: 1, Kind.POSTGRESQL: 4}


class Job(Generic[T]):
    """One transaction: until it is written down, who waits for it may give it up."""

    def __init__(self, work: Work[T], *, writes: bool) -> None:
        self.work = work
        self.writes = writes
        self._lock = Lock()
        self._given_up = False
        self.writing = False

    def give_up(self) -> bool:
        """Whether nothing of it will be kept."""
        with self._lock:
            self._given_up = not self.writing
            return self._given_up

    def go_on(self, *, to_write: bool = False) -> None:
        """Raises StoreSlow where it was given up; `to_write`: from here on it cannot be."""
        with self._lock:
            if self._given_up:
                raise StoreSlow
            self.writing = to_write


class Database:
    """What lies at one address."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._pool = Threads(max_workers=THREADS[address.kind], thread_name_prefix="store")
        self._opening = Lock()
        self._engine: Engine | None = None
        self._file: tuple[int, int] | None = None  # the SQLite file that was opened
        self._waiting = 0
        self._closed = False
        self.begun = (
            False  # whether a transaction has ended, whichever way: what it takes is loaded
        )
        self._saying = Lock()
        self._quiet_until: dict[str, float] = {}  # by the driver's code

    @property
    def kind(self) -> Kind:
        """Which program keeps it."""
        return self._address.kind

    async def run(self, work: Work[T], *, writes: bool = True, within_s: float = WITHIN_S) -> T:
        """What `work` gives, in a transaction of its own; raises StoreFault."""
        begun, outcome = monotonic(), "error"
        try:
            result = await self._run(work, writes=writes, within_s=within_s)
        except StoreFault as fault:
            outcome = fault.key
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        else:
            outcome = "ok"
            return result
        finally:
            TRANSACTIONS.add(outcome)
            STORE_SECONDS.observe(monotonic() - begun)

    async def _run(self, work: Work[T], *, writes: bool, within_s: float) -> T:
        if self._closed:
            raise StoreGone
        if self._waiting >= MOST_WAITING:
            raise StoreSlow
        job = Job(work, writes=writes)
        self._waiting += 1
        doing = asyncio.get_running_loop().run_in_executor(self._pool, self._do, job)
        doing.add_done_callback(self._done)
        try:
            done, _ = await asyncio.wait({doing}, timeout=within_s)
            if not done and not job.give_up():
                done, _ = await asyncio.wait({doing}, timeout=WRITING_S)
                if not done:
                    raise StoreUnsure
        finally:
            job.give_up()  # as also where who waited is gone
        if not done:
            raise StoreSlow
        return doing.result()

    async def close(self) -> None:
        """Let go of it, when what is under way is done; from then on it is gone."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._pool, self._close)
        self._pool.shutdown(wait=False)

    def _done(self, doing: asyncio.Future[T]) -> None:
        self._waiting -= 1
        self.begun = True
        if not doing.cancelled():
            doing.exception()  # it may be that nobody waits for it any more

    def _do(self, job: Job[T]) -> T:
        """The whole transaction, in a thread."""
        from bot.store.translating import fault_of  # noqa: PLC0415  (loads SQLAlchemy)

        try:
            job.go_on()
            return self._transact(job)
        except Exception as error:
            told = fault_of(error)
            if told is None:
                raise
            fault, code = told
            if job.writing and job.writes and isinstance(fault, StoreGone):
                fault = StoreUnsure()
            if not isinstance(error, StoreFault):
                self._say(fault, code)
            raise fault from None

    def _say(self, fault: StoreFault, code: str) -> None:
        """Once in a while: an operator reads it, and every answer may come by here."""
        now = monotonic()
        with self._saying:
            quiet = now < self._quiet_until.get(code, now)
            if not quiet:
                self._quiet_until[code] = now + QUIET_S
        if not quiet:
            log.warning("the store: %s (%s)", fault.key, code)

    def _transact(self, job: Job[T]) -> T:
        from bot.store.opening import WRITES  # noqa: PLC0415  (loads SQLAlchemy)

        with self._opened().connect() as connection:
            connection.execution_options(**{WRITES: job.writes})
            with connection.begin():
                result = job.work(connection)
                job.go_on(to_write=True)
            return result

    def _opened(self) -> "Engine":
        """The engine; made where there is none, and checked to be of what lies there now."""
        from bot.store.opening import open_engine, prepare  # noqa: PLC0415  (likewise)

        with self._opening:
            there = self._there()
            if self._engine is not None and there == self._file:
                return self._engine
            self._dispose()
            if self._file is not None and there is None:  # it was there; a new one would hide it
                raise StoreGone
            engine = open_engine(self._address)
            try:
                with engine.begin() as connection:
                    prepare(connection)
            except Exception:
                engine.dispose()
                raise
            self._engine, self._file = engine, self._there()
            return engine

    def _there(self) -> tuple[int, int] | None:
        """Which file lies at an SQLite address now; None where there is none."""
        try:
            found = self._address.file.stat() if self._address.file else None
        except OSError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)

    def _dispose(self) -> None:
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _close(self) -> None:
        with self._opening:
            self._dispose()
