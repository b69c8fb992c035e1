"""Which shards are this process's: all, those that are named, or its share of them.

The environment variables SHARD_COUNT, SHARD_IDS and SHARDS_PER_PROCESS win over the settings of
the same names. Which process this is stands in the environment alone, in SHARD_PROCESS: a number
from 0 on, or a name that ends in one, as the pods of a StatefulSet have.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal

from bot.ops.token import plain

COUNT, IDS = "SHARD_COUNT", "SHARD_IDS"
PER_PROCESS, PROCESS = "SHARDS_PER_PROCESS", "SHARD_PROCESS"
VARIABLES = (COUNT, IDS, PER_PROCESS, PROCESS)
MOST_SHARDS = 10_000  # of 2,500 servers each: more than there are
LONGEST = 40  # characters of a name that is repeated
RANGE = re.compile(r"([0-9]{1,5})(?:\s*-\s*([0-9]{1,5}))?", re.ASCII)
ENDS_IN_NUMBER = re.compile(r"(?:.*\D)?([0-9]{1,5})", re.ASCII)
IDS_ARE = 'takes numbers from 0 on, such as "0, 1, 2", or a range, such as "0-3"'
WANTS_COUNT = (
    "wants the number of all shards beside it, over all processes: `shard_count`, or the "
    f"environment variable {COUNT}"
)


Count = int | Literal["auto"]  # of all shards, over all processes


class ShardsRefused(Exception):
    """What is said of the shards cannot be; the text says where, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one place says; None where it says nothing."""

    count: Count = "auto"
    ids: Sequence[int] | None = None
    per_process: int | None = None


@dataclass(frozen=True, slots=True)
class Shards:
    """`ids`: this process's, in order; None for all. `source`: in words who says so."""

    count: Count
    ids: tuple[int, ...] | None = None
    per_process: int | None = None
    source: str = ""


def read_ids(text: str) -> tuple[int, ...]:
    """Numbers and ranges of them, with commas between; raises ValueError with words."""
    found = [RANGE.fullmatch(part.strip()) for part in text.split(",")]
    ranges = [(int(one[1]), int(one[2] or one[1])) for one in found if one]
    if len(ranges) < len(found):
        raise ValueError(IDS_ARE)
    for first, last in ranges:
        if last < first:
            raise ValueError(f"has the range {first}-{last}, whose end comes before its beginning")
    if sum(last + 1 - first for first, last in ranges) > MOST_SHARDS:
        raise ValueError(f"names more than {MOST_SHARDS} shards")
    return tuple(chain.from_iterable(range(first, last + 1) for first, last in ranges))


def find_shards(environment: Mapping[str, str], *, said: Said, file: str) -> Shards:
    """The shards of this process; `said`: what the settings `file` says. Raises ShardsRefused."""
    own = {name: text for name in VARIABLES if (text := environment.get(name, "").strip())}
    total = (
        said.count if COUNT not in own else "auto" if own[COUNT] == "auto" else _whole(own, COUNT)
    )
    if IDS in own and PER_PROCESS in own:
        raise ShardsRefused(f"{IDS} and {PER_PROCESS} say the same in two ways: unset one of them.")
    here = not own.keys() & {IDS, PER_PROCESS}
    if here and said.ids is not None and said.per_process is not None:
        raise ShardsRefused(
            f"{file}: `[discord] shard_ids` and `shards_per_process` say the same in two ways: "
            "leave one of them out."
        )
    if IDS in own:
        return _named(total, _ids(own[IDS]), IDS)
    if here and said.ids is not None:
        return _named(total, said.ids, f"{file}: `[discord] shard_ids`")
    each = _whole(own, PER_PROCESS) if PER_PROCESS in own else said.per_process
    if each is not None:
        where = PER_PROCESS if PER_PROCESS in own else f"{file}: `[discord] shards_per_process`"
        return _share(total, each, own.get(PROCESS), where)
    if PROCESS in own:
        raise ShardsRefused(
            f"{PROCESS} says which process this is, and nothing says how many shards each has: "
            f"set {PER_PROCESS}, or unset {PROCESS}."
        )
    return Shards(total)


def shard_of(guild_id: int, count: int) -> int:
    """Which of `count` shards hears of a server.

    Source: https://discord.com/developers/docs/events/gateway#sharding
    """
    return (guild_id >> 22) % count


def shown_ids(ids: Sequence[int]) -> str:
    """Sorted numbers as ranges: 0-3, 8."""
    runs: list[list[int]] = []
    for one in ids:
        if runs and runs[-1][-1] == one - 1:
            runs[-1][1:] = [one]
        else:
            runs.append([one])
    return ", ".join("-".join(map(str, run)) for run in runs)


def _named(count: Count, ids: Sequence[int], where: str) -> Shards:
    """Those that are named, which have to be among all, each once."""
    if count == "auto":
        raise ShardsRefused(f"{where} {WANTS_COUNT}.")
    if not ids:
        raise ShardsRefused(f"{where} names no shard. To have all of them, leave it out.")
    ordered = sorted(ids)
    twice = next((one for one, after in pairwise(ordered) if one == after), None)
    if twice is not None:
        raise ShardsRefused(f"{where} names shard {twice} twice.")
    if ordered[-1] >= count:
        raise ShardsRefused(
            f"{where} names shard {ordered[-1]}: the last of {count} is {count - 1}, since the "
            "first is 0."
        )
    return Shards(count, tuple(ordered), source=f"from {where}")


def _share(count: Count, each: int, process: str | None, where: str) -> Shards:
    """So many as each process has, from where the one before it ends."""
    if process is None:
        raise ShardsRefused(
            f"{where}: which process this is stands nowhere. Set the environment variable "
            f"{PROCESS} to its number, from 0 on, or to a name that ends in it, such as vram-bot-3."
        )
    if count == "auto":
        raise ShardsRefused(f"{where} {WANTS_COUNT}.")
    found = ENDS_IN_NUMBER.fullmatch(process)
    if found is None:
        shown = plain(process[:LONGEST])
        raise ShardsRefused(
            f'{PROCESS} is "{shown}", which does not end in the number of a process, from 0 on, as '
            f"vram-bot-3 does. Where nothing numbers the processes, name their shards in {IDS}."
        )
    number = int(found[1])
    first = number * each
    if first >= count:
        last = (count - 1) // each
        raise ShardsRefused(
            f"{PROCESS} says that this is process {number}: with {count} shards in all and {each} "
            f"in each process the last is {last}. Run {last + 1} of them, or raise the count."
        )
    ids = tuple(range(first, min(first + each, count)))
    return Shards(count, ids, each, f"as {PROCESS} says")


def _whole(own: Mapping[str, str], name: str) -> int:
    """A number of shards."""
    text = own[name]
    if text.isascii() and text.isdigit() and len(text) <= len(str(MOST_SHARDS)):
        number = int(text)
        if 1 <= number <= MOST_SHARDS:
            return number
    auto = ', or "auto"' if name == COUNT else ""
    raise ShardsRefused(f"{name} is a whole number from 1 to {MOST_SHARDS}{auto}.")


def _count(text: str) -> Count:
    return "auto" if text == "auto" else _whole({COUNT: text}, COUNT)


def _ids(text: str) -> tuple[int, ...]:
    try:
        return read_ids(text)
    except ValueError as error:
        raise ShardsRefused(f"{IDS} {error}.") from None
