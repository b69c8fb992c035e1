"""A peak that was measured, held against the estimate of the question that it belongs to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.measuring.amounts import Amount
from bot.measuring.peaks import Peaks
from bot.measuring.record import Record
from bot.version import VERSION
from estimator import (
    GIB,
    Answer,
    Catalog,
    Figure,
    Gpu,
    ServeSetup,
    Statistic,
    Task,
    figure_of,
    largest_bytes,
    needs_card,
    show_gib,
    statistics_of,
)

FAR = 2.0  # times off, from which on the question may not say all that ran


class PeakRefused(ValueError):
    """A peak that cannot be this question's: `key` names the sentence, `values` fill it."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values: Mapping[str, object] = values


@dataclass(frozen=True, slots=True)
class Compared:
    """One statistic: what was measured, and what was estimated of it."""

    statistic: Statistic
    amount: Amount
    figure: Figure

    @property
    def ratio(self) -> float:
        """What was measured over what was estimated."""
        return self.amount.bytes / self.figure.bytes

    @property
    def is_far(self) -> bool:
        """Whether it is so far off that the question may not say all that ran."""
        return not 1 / FAR < self.ratio < FAR


@dataclass(frozen=True, slots=True)
class Comparison:
    """Each statistic that was measured of the run that `line` asks for, the kept one first.

    `told`: whether it was said which statistic it is; `instead_of`: which was said, where the
    peak itself says another.
    """

    line: str
    task: Task
    compared: tuple[Compared, ...] = field(default=())
    told: bool = True
    instead_of: Statistic | None = None

    @property
    def kept(self) -> Compared:
        """The one that is recorded."""
        return self.compared[0]

    def record(self, now: int) -> Record:
        """What is kept of it, at `now` in seconds since 1970."""
        kept = self.kept
        return Record(
            line=self.line,
            task=self.task,
            statistic=kept.statistic,
            measured_bytes=kept.amount.bytes,
            estimated_bytes=kept.figure.bytes,
            low_bytes=kept.figure.low_bytes,
            high_bytes=kept.figure.high_bytes,
            version=VERSION,
            kept_at=now,
        )


def compare(
    found: Answer, line: str, peaks: Peaks, said: Statistic | None, catalog: Catalog
) -> Comparison:
    """All that was measured beside its estimate; `said`: which statistic it is, if that was told.

    What a pasted text says of itself holds before that. Raises PeakRefused.
    """
    refuse_without_card(found)
    there = statistics_of(found.setup)
    amounts = _amounts(peaks, said, there)
    known = [one for one in there if one in amounts]
    if not known:
        has = " / ".join(there)
        raise PeakRefused("no_such", engine=program_of(found), has=has, said=next(iter(amounts)))
    _refuse_disorder(amounts)
    for amount in amounts.values():
        _refuse_beyond(found, amount, catalog)
    if not all(figure_of(found, one, catalog).bytes for one in known):
        raise PeakRefused("nothing_on_card")
    first = said if said in known else known[0]
    ordered = [first, *(one for one in known if one is not first)]
    return Comparison(
        line=line,
        task=Task(found.request.task),
        compared=tuple(
            Compared(one, amounts[one], figure_of(found, one, catalog)) for one in ordered
        ),
        told=bool(peaks.named) or said is not None,
        instead_of=said if said is not None and said not in amounts else None,
    )


def program_of(found: Answer) -> str:
    """The id of the engine, or what trains."""
    return found.setup.engine.id if isinstance(found.setup, ServeSetup) else "pytorch"


def refuse_without_card(found: Answer) -> None:
    """A server that takes a share of a card takes as much as the card has."""
    if needs_card(found):
        raise PeakRefused("needs_card", engine=program_of(found))


def _amounts(
    peaks: Peaks, said: Statistic | None, there: tuple[Statistic, ...]
) -> Mapping[Statistic, Amount]:
    if peaks.amount is None:
        return peaks.named
    return {said or there[0]: peaks.amount}


def _refuse_disorder(amounts: Mapping[Statistic, Amount]) -> None:
    """The allocator cannot give out more than it holds."""
    allocated, reserved = amounts.get(Statistic.ALLOCATED), amounts.get(Statistic.RESERVED)
    if allocated is not None and reserved is not None and allocated.bytes > reserved.bytes:
        raise PeakRefused("disorder", allocated=allocated.said, reserved=reserved.said)


def most_bytes(found: Answer, catalog: Catalog) -> int:
    """The most that can be measured: what a card that was named has, or else any that there is."""
    cards = [*_cards(found, catalog)] or catalog.gpus.rows
    return max(largest_bytes(gpu, catalog.card_use) for gpu in cards)


def example_bytes(found: Answer, catalog: Catalog) -> int:
    """A peak that it could be: the estimate, or what the card has where that is less."""
    first, *_ = statistics_of(found.setup)
    return min(figure_of(found, first, catalog).bytes, most_bytes(found, catalog) // GIB * GIB)


def _refuse_beyond(found: Answer, amount: Amount, catalog: Catalog) -> None:
    """More than the card that was named has, or any card there is."""
    named = most_bytes(found, catalog) if found.setup.cards else None
    if named is not None and amount.bytes > named:
        several = found.setup.world > 1
        names = ", ".join(entry.card.name for entry in found.setup.cards)
        key = "beyond_one_of" if several else "beyond_card"
        raise PeakRefused(key, said=amount.said, card=names, total=show_gib(named))
    every = max(largest_bytes(gpu, catalog.card_use) for gpu in catalog.gpus.rows)
    if amount.bytes > every:
        raise PeakRefused("beyond_all", said=amount.said)


def _cards(found: Answer, catalog: Catalog) -> Iterator[Gpu]:
    for entry in found.setup.cards:
        if isinstance(entry.card, Gpu):
            yield entry.card
        else:
            yield from catalog.class_members(entry.card)
