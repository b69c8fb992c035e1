"""Half-typed text → the names that it may become, best first.

Names and text are cut into the same tokens (`rtx-3060-12gb`: rtx, 3060, 12, gb), and the
tokens of the text are the beginnings of those of a name. So `3060 12` finds it, and a
number ends where it ends: `llama 3` is nearer to `llama-3.1` than to `llama-30b`.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice, takewhile
from sys import intern

from rapidfuzz import fuzz, process

from bot.compiled import compiled
from estimator import key_of

CLOSE_ENOUGH = 75  # rapidfuzz similarity (0 to 100) below which a name is no help
SHORTEST_SLIP = 3  # letters; what is shorter is like everything

_TOKEN = compiled(r"\d+(?:\.\d+)*|[^\W\d_]+")

Tokens = tuple[str, ...]
Rating = tuple["Tier", bool]  # and whether a typed number runs on


class Tier(IntEnum):
    """How a name goes on from what was typed, the best first."""

    EXACT = 0
    BEGINS = 1  # with all that was typed
    IN_ORDER = 2  # begins alike, and holds the rest in order
    TOKENS = 3  # each typed token begins one of its own
    LIKE = 4  # but for typing errors


@dataclass(frozen=True, slots=True)
class Found:
    """One name. `runs_on`: a typed number goes on in it, as the 3 of `30b`."""

    value: str
    tier: Tier
    runs_on: bool = False


@dataclass(frozen=True, slots=True)
class _Name:
    """`owned`: with its owner before it, whose name is rarely what was typed."""

    tokens: Tokens
    owned: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    value: str
    names: tuple[_Name, ...]


class Index:
    """Values that are listed, each with its names; of equal matches, the earlier is the better."""

    def __init__(self, entries: Iterable[tuple[str, Iterable[str]]]) -> None:
        self._entries = [
            _Entry(value, tuple(dict.fromkeys(map(_named, (value, *names)))))
            for value, names in entries
        ]
        self._keys: dict[str, int] = {}
        holding: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            for name in entry.names:
                if not name.owned:
                    self._keys.setdefault("".join(name.tokens), number)
                for token in name.tokens:
                    holding.setdefault(token, []).append(number)
        # In order, so that those that begin alike stand together: a set for each beginning that
        # can be typed would be many times as large as the names themselves.
        self._tokens = tuple(sorted(holding))
        self._holding = tuple(tuple(dict.fromkeys(holding[token])) for token in self._tokens)
        self._in_order = sorted(self._keys)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(entry.value for entry in self._entries)

    def find(self, typed: str, worst: Tier = Tier.TOKENS) -> list[Found]:
        """Names that `typed` begins, down to the tier `worst`; none for nothing."""
        tokens = tokens_of(typed)
        if not tokens:
            return []
        begun = [set(self._begun(token)) for token in tokens]
        numbers = set.intersection(*begun) or self._run_together(tokens)
        rated = [(*_best(self._entries[n].names, tokens), n) for n in numbers]
        return [
            Found(self._entries[n].value, tier, runs_on)
            for tier, runs_on, n in sorted(rated)
            if tier <= worst
        ]

    def like(self, typed: str, most: int) -> list[Found]:
        """Names that are like `typed`, but for typing errors."""
        key = key_of(typed)
        if len(key) < SHORTEST_SLIP:
            return []
        hits = process.extract(
            key,
            self._keys.keys(),
            scorer=fuzz.partial_ratio,
            limit=most * 4,
            score_cutoff=CLOSE_ENOUGH,
        )
        best: dict[int, float] = {}
        for name, score, _ in hits:
            if len(name) >= len(key) - 1:  # a short name is like a part of any text
                best.setdefault(self._keys[name], score)
        ranked = sorted(best, key=lambda number: (-best[number], number))
        return [Found(self._entries[n].value, Tier.LIKE) for n in ranked[:most]]

    def _begun(self, typed: str) -> Iterator[int]:
        """Entries with a token that begins so, some of them more than once."""
        at = bisect_left(self._tokens, typed)
        while at < len(self._tokens) and self._tokens[at].startswith(typed):
            yield from self._holding[at]
            at += 1

    def _run_together(self, tokens: Tokens) -> set[int]:
        """Names that begin so when typed without what parts them: `mistralnemo`."""
        key = "".join(tokens)
        first = bisect_left(self._in_order, key)
        names = takewhile(lambda name: name.startswith(key), islice(self._in_order, first, None))
        return {self._keys[name] for name in names}


def tokens_of(text: str) -> Tokens:
    """Runs of letters, and numbers with their points; case and separators vanish."""
    return tuple(_TOKEN.findall(text.casefold()))


def _named(name: str) -> _Name:
    """Most tokens are in many names, and kept once."""
    return _Name(tuple(map(intern, tokens_of(name))), "/" in name)


def _best(names: Sequence[_Name], typed: Tokens) -> Rating:
    """The best that one of an entry's names makes of `typed`, whose tokens they hold."""
    begun = [rated for name in names if (rated := _rate(name, typed)) is not None]
    if begun:
        return min(begun)
    tokens = {token for name in names for token in name.tokens}
    return Tier.TOKENS, any(_only_runs_on(tokens, one) for one in typed)


def _rate(name: _Name, typed: Tokens) -> Rating | None:
    """How `name` goes on from `typed`; none where it does not begin with it."""
    tokens, last = name.tokens, len(typed) - 1
    if not tokens or not tokens[0].startswith(typed[0]):
        return None
    if tokens[:last] == typed[:-1] and len(tokens) > last and tokens[last].startswith(typed[-1]):
        exact = len(tokens) == len(typed) and tokens[last] == typed[-1]
        tier = Tier.IN_ORDER if name.owned else Tier.BEGINS
        return (Tier.EXACT if exact else tier), _runs_on(tokens[last], typed[-1])
    held = _held(tokens, typed)
    if held is None:
        return None
    return Tier.IN_ORDER, any(_runs_on(*pair) for pair in zip(held, typed, strict=True))


def _held(name: Tokens, typed: Tokens) -> list[str] | None:
    """The tokens of `name` that those of `typed` begin, in order; none if one is missing."""
    held: list[str] = []
    rest: Sequence[str] = name
    for one in typed:
        at = next((n for n, token in enumerate(rest) if token.startswith(one)), None)
        if at is None:
            return None
        held.append(rest[at])
        rest = rest[at + 1 :]
    return held


def _runs_on(token: str, typed: str) -> bool:
    """Whether the number `typed` goes on in `token` with a digit: 3 in 30, not in 3.1."""
    return token[len(typed) : len(typed) + 1].isdigit()


def _only_runs_on(tokens: Iterable[str], typed: str) -> bool:
    return all(_runs_on(token, typed) for token in tokens if token.startswith(typed))
