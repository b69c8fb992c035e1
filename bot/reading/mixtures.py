"""A mixture by its two sizes: `671B A37B` is the model that has so many, and so many active.

Names tell either size rounded, and what is published as active leaves out the embedding and
the head, which are counted here; so both are compared with some room.
"""

import re

from bot.compiled import compiled
from bot.reading.families import BILLION, typed_size
from estimator import Catalog, Model, key_of

TOTAL_NEAR = 0.05  # of a model's parameters: 671B of DeepSeek-V3's 684 with its extra head
BELOW = BILLION // 2  # a typed number of active parameters may be rounded up by so much
ABOVE = BILLION  # and leave out so much, or a share of it
ABOVE_SHARE = 0.12
SAME = 0.01  # models this close take as much, whichever is meant
OTHER = 2  # the rank of a name that tells another total
_TOLD = compiled(r"(?<![\w.])(\d+(?:[._]\d+)?)[bB](?![a-z])")
_ACTIVE_TOLD = compiled(r"[-_]A(\d+(?:\.\d+)?)B(?![a-z])", re.IGNORECASE)


def is_mixture_size(size: str) -> bool:
    """`30B-A3B`: the size of a mixture, with its active parameters."""
    return "-A" in size


def of_sizes(size: str, catalog: Catalog) -> tuple[Model, ...]:
    """The models of a size such as `671B-A37B`: all whose name has both sizes.

    Where none has, the nearest of those about so large, those of its shape behind it; with
    others that are larger or smaller than it by more than a hundredth, those too.
    """
    word = key_of(size)
    named = [row for row in catalog.models.rows if key_of(row.id).endswith(word)]
    named = named or [row for row in catalog.models.rows if word in key_of(row.id)]
    if named:
        return tuple(named)
    near = [row for row in catalog.models.rows if has_sizes(row, size)]
    near = [row for row in near if _rank(row, size) < OTHER] or near
    near.sort(key=lambda row: (_rank(row, size), _away(row, size)))
    return tuple(
        row
        for row in near
        if row.architecture == near[0].architecture
        or abs(row.parameters - near[0].parameters) > SAME * near[0].parameters
    )


def has_sizes(row: Model, size: str) -> bool:
    """Whether a mixture has about so many parameters, and so many active."""
    if row.active is None:
        return False
    total, active = _typed(size)
    told = [float(one) for one in _ACTIVE_TOLD.findall(row.id)]
    if told and all(abs(one * BILLION - active) > BELOW for one in told):
        return False
    near = abs(row.parameters - total) <= TOTAL_NEAR * row.parameters
    return near and is_active(active, row)


def is_active(typed: int, row: Model) -> bool:
    """Whether a model goes by so many active parameters: the 37B of DeepSeek-V3."""
    if row.active is None or not typed:
        return False
    return -BELOW <= row.active - typed <= max(ABOVE, ABOVE_SHARE * typed)


def _typed(size: str) -> tuple[int, int]:
    """Parameters, and active ones; nothing for what is no size."""
    total, _, active = size.partition("-A")
    found = [typed_size(total), typed_size(active)]
    whole, some = (0 if one is None else one.total for one in found)
    return whole, some


def _rank(row: Model, size: str) -> int:
    """0 where a name tells the total, 1 where it tells none, 2 where it tells another."""
    told = [float(one.replace("_", ".")) for one in _TOLD.findall(row.id)]
    if not told:
        return 1
    return 0 if any(abs(one * BILLION - _typed(size)[0]) < BELOW for one in told) else OTHER


def _away(row: Model, size: str) -> float:
    total, active = _typed(size)
    return abs(row.parameters - total) / total + abs((row.active or 0) - active) / active
