"""Rows of one kind, found by name: without regard to case and separators.

An unknown name is an error with the closest, never a default.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, Protocol, TypeVar

from rapidfuzz import fuzz, process

from estimator.errors import UnknownName

SEPARATORS = str.maketrans("", "", "_-:/")  # beside white space
CLOSEST = 5  # names offered for an unknown one
CLOSE_ENOUGH = 60  # rapidfuzz similarity (0 to 100) below which a name is no help


@lru_cache(maxsize=8192)  # all names of the tables, which are asked for over and over
def key_of(name: str) -> str:
    """`name` without case and separators: what people vary when they type it."""
    return "".join(name.casefold().split()).translate(SEPARATORS)


class Named(Protocol):
    """A row that is found by id or alias."""

    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


R = TypeVar("R", bound=Named)


@dataclass(frozen=True)
class Table(Generic[R]):
    """Rows of one kind, found by id or alias."""

    kind: str
    rows: tuple[R, ...]

    @cached_property
    def named(self) -> tuple[R, ...]:
        """All that can be found by a name of its own."""
        return self.rows

    @cached_property
    def by_key(self) -> Mapping[str, R]:
        found: dict[str, R] = {}
        for row in self.named:
            for name in (row.id, *row.aliases):
                other = found.setdefault(key_of(name), row)
                if other is not row:
                    raise ValueError(f"{self.kind} `{name}` names {other.id} and {row.id}")
        return found

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(row.id for row in self.rows)

    def get(self, name: str) -> R | None:
        return self.by_key.get(key_of(name))

    def find(self, name: str) -> R:
        """The row called `name`; raises UnknownName with the closest."""
        row = self.get(name)
        if row is None:
            raise UnknownName(self.kind, name, closest=self.closest(name))
        return row

    def closest(self, name: str, limit: int = CLOSEST) -> tuple[str, ...]:
        """Ids whose id or alias resembles `name`, best first."""
        hits = process.extract(
            key_of(name),
            self.by_key.keys(),
            scorer=fuzz.WRatio,
            limit=limit * 4,
            score_cutoff=CLOSE_ENOUGH,
        )
        return tuple(dict.fromkeys(self.by_key[key].id for key, _, _ in hits))[:limit]
