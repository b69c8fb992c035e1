"""Peaks that were measured, the newest of each owner, for as long as their table keeps them."""

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from bot.measuring.record import Record
from bot.store.faults import StoreDamaged
from bot.store.owner import Owner

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row

MEASUREMENTS_DAYS = 400  # that one is kept for
MOST_RECORDS = 500  # of an owner
MARKUP = frozenset("`<>@")  # in no line that this program writes
RECORD: TypeAdapter[Record] = TypeAdapter(Record)
NAMES = (
    *("line", "task", "statistic", "measured_bytes", "estimated_bytes"),
    *("low_bytes", "high_bytes", "version", "kept_at"),
)


def keep_measurement(
    connection: "Connection", owner: Owner, recorder_id: int, record: Record
) -> tuple[Record, ...]:
    """Keep it; all that are then kept of the owner, the newest first.

    `recorder_id`: who may take it back. Where there are too many, the oldest of whoever recorded
    most gives way, so that nobody pushes out what others measured.
    """
    from bot.store.tables import measurements, of_owner  # noqa: PLC0415  (loads SQLAlchemy)

    values = {name: getattr(record, name) for name in NAMES}
    values |= {"owner_kind": owner.kind.value, "owner_id": owner.id, "recorder_id": recorder_id}
    values |= {"task": record.task.value, "statistic": record.statistic.value}
    connection.execute(measurements.insert().values(**values))
    rows = _newest(connection, owner)
    if len(rows) > MOST_RECORDS:
        older = measurements.c.id < rows[-1].id
        connection.execute(measurements.delete().where(of_owner(measurements, owner), older))
        leaving = _oldest_of_most(rows)
        connection.execute(measurements.delete().where(measurements.c.id == leaving.id))
        rows = [row for row in rows if row is not leaving]
    return tuple(_record(row) for row in rows)


def measurements_of(connection: "Connection", owner: Owner) -> tuple[Record, ...]:
    """All that are kept of the owner, the newest first."""
    return tuple(_record(row) for row in _newest(connection, owner)[:MOST_RECORDS])


def forget_last(connection: "Connection", owner: Owner, recorder_id: int) -> Record | None:
    """Remove the newest that this person recorded there, and give it; None where there is none."""
    from bot.store.tables import measurements  # noqa: PLC0415  (loads SQLAlchemy)

    own = [row for row in _newest(connection, owner) if row.recorder_id == recorder_id]
    if not own:
        return None
    connection.execute(measurements.delete().where(measurements.c.id == own[0].id))
    return _record(own[0])


def _oldest_of_most(rows: "list[Row[tuple[object, ...]]]") -> "Row[tuple[object, ...]]":
    """Of who recorded most; of several such, of who recorded last."""
    counts = Counter(row.recorder_id for row in rows)  # in the order of `rows`, as is the maximum
    most = max(counts, key=lambda who: counts[who])
    return next(row for row in reversed(rows) if row.recorder_id == most)


def _newest(connection: "Connection", owner: Owner) -> "list[Row[tuple[object, ...]]]":
    """One more than are kept, to see whether there are too many."""
    from sqlalchemy import select  # noqa: PLC0415  (takes a while to load)

    from bot.store.tables import measurements, of_owner  # noqa: PLC0415  (likewise)

    asked = (
        select(measurements)
        .where(of_owner(measurements, owner))
        .order_by(measurements.c.id.desc())
        .limit(MOST_RECORDS + 1)
    )
    return list(connection.execute(asked).all())


def _record(row: "Row[tuple[object, ...]]") -> Record:
    """The record of a row; what another hand wrote there is a damage."""
    try:
        found = RECORD.validate_python({name: getattr(row, name) for name in NAMES})
    except ValueError:
        raise StoreDamaged from None
    sizes = (found.measured_bytes, found.estimated_bytes, found.high_bytes)
    shows = found.line.isprintable() and not MARKUP & {*found.line}
    if not shows or found.kept_at < 0 or min(sizes) <= 0:
        raise StoreDamaged
    return found
