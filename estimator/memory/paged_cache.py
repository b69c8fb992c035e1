"""A cache in pages: keys, values and states of every sequence, in blocks of one size."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.recurrent import NoMixer, Recurrent
from estimator.rows import Dtype

FP32 = 4
STEP = 16  # tokens of which a page is a multiple, where states make it longer
UNEVEN = 2  # kinds of layers from which blocks are shared by groups


class Kind(NamedTuple):
    """Layers that cache alike: so many `layers`, each `token_bytes` a token, or `state_bytes`.

    `window`: tokens that they look back; none: all.
    """

    layers: int
    window: int | None
    token_bytes: int
    state_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """One kind in blocks: `groups` of them take a block each, of `page_tokens` of a sequence.

    `page_tokens` 0: one block a sequence, however long, for a state.
    """

    groups: int
    block_bytes: int
    page_tokens: int
    window: int | None

    def pages(self, tokens: int) -> int:
        """Pages of one sequence; a window may begin amid one, so it has one more."""
        if not self.page_tokens:
            return 1
        whole = -(-tokens // self.page_tokens)
        if self.window is None:
            return whole
        return min(whole, -(-(self.window - 1) // self.page_tokens) + 1)

    def most_pages(self, tokens: int, step: int) -> int:
        """The same while `step` tokens of it are read at once, which a window keeps too."""
        if self.window is None or not self.page_tokens:
            return self.pages(tokens)
        return -(-min(self.window - 1 + step, tokens) // self.page_tokens) + 1

    def shared(self, tokens: int) -> int:
        """Whole pages of a beginning that sequences have in common."""
        return tokens // self.page_tokens if self.page_tokens and self.window is None else 0


@dataclass(frozen=True, slots=True)
class Layout:
    """How a model's cache lies on one card."""

    parts: tuple[Part, ...]

    @property
    def groups(self) -> int:
        return sum(part.groups for part in self.parts)

    @property
    def block_bytes(self) -> int:
        """Of the largest block, as all are where groups share them; 0 without a cache."""
        return max((part.block_bytes for part in self.parts), default=0)

    def sequence_bytes(self, tokens: int, shared: int = 0) -> int:
        """One more sequence of `tokens`, of which `shared` lie in another's pages."""
        return sum(
            part.groups * (part.pages(tokens) - part.shared(shared)) * part.block_bytes
            for part in self.parts
        )

    def most_bytes(self, tokens: int, step: int) -> int:
        """One sequence of `tokens` while `step` of them are read, which windows keep as well."""
        return sum(
            part.groups * part.most_pages(tokens, step) * part.block_bytes for part in self.parts
        )

    def tokens_in(self, pool_bytes: int, *, longest: int = 0, step: int = 0) -> int:
        """Tokens of one sequence that fill the pool.

        Of blocks of one size it is the figure of vLLM's log, which counts windows as if they
        saw all, and states as the `longest` sequence each.
        """
        if not self.parts or pool_bytes <= 0:
            return 0
        paged = [part for part in self.parts if part.page_tokens]
        if not paged:
            return pool_bytes // self.sequence_bytes(1) * longest
        if len({part.block_bytes for part in self.parts}) == 1:
            return pool_bytes // self.block_bytes // self.groups * paged[0].page_tokens
        growing = [part for part in paged if part.window is None] or paged
        a_token = sum(part.groups * part.block_bytes / part.page_tokens for part in growing)
        lengths = range(int(pool_bytes / a_token) + 1)
        found = bisect_right(lengths, pool_bytes, key=lambda n: self.most_bytes(n, step))
        return max(0, found - 1)


def layout(
    architecture: Architecture,
    *,
    key_dtype: Dtype,
    value_dtype: Dtype,
    state_bytes: int,
    page_tokens: int,
    cards: int,
    windows: bool,
    even_below: float | None,
) -> Layout:
    """Blocks of one card of `cards`, which divide heads: fewer than cards are repeated.

    `state_bytes`: of an element of a convolution's state. `even_below`: vLLM gives every group
    as many layers as the smallest kind has; as the largest has, where that is less than so many
    times as many. None: each kind has blocks of its own. What groups lack is padded.
    """
    kinds = tuple(
        _kinds(
            architecture,
            (key_dtype, value_dtype),
            state_bytes=state_bytes,
            cards=cards,
            windows=windows,
        )
    )
    if even_below is None or len(kinds) < UNEVEN:
        return Layout(tuple(_alone(kind, page_tokens) for kind in kinds))
    page = _page_bytes(kinds, page_tokens)
    counts = [kind.layers for kind in kinds]
    size = max(counts) if max(counts) < min(counts) * even_below else min(counts)
    return Layout(
        tuple(
            Part(
                groups=-(-kind.layers // size),
                block_bytes=size * page,
                page_tokens=page // kind.token_bytes if kind.token_bytes else 0,
                window=kind.window,
            )
            for kind in kinds
        )
    )


def _alone(kind: Kind, page_tokens: int) -> Part:
    tokens = page_tokens if kind.token_bytes else 0
    each = kind.token_bytes * tokens or kind.state_bytes
    return Part(1, kind.layers * each, tokens, kind.window)


def _page_bytes(kinds: tuple[Kind, ...], page_tokens: int) -> int:
    """The page that all kinds share: long enough for a state, and for the widest token."""
    widest = max(kind.token_bytes for kind in kinds)
    state = max(kind.state_bytes for kind in kinds)
    if not widest:
        return state
    tokens = max(page_tokens, -(-state // (widest * STEP)) * STEP)
    return tokens * widest


def _kinds(
    architecture: Architecture,
    dtypes: tuple[Dtype, Dtype],
    *,
    state_bytes: int,
    cards: int,
    windows: bool,
) -> Iterator[Kind]:
    """Kinds of layers, equal ones together."""
    found: dict[tuple[int | None, int, int], int] = {}
    key: tuple[int | None, int, int]
    for count, block in architecture.stack:
        for mixer in block.mixers if block.caches else ():
            window = mixer.window if windows else None
            if isinstance(mixer, Recurrent):
                if isinstance(mixer, NoMixer):
                    continue
                state = mixer.state.convolution * state_bytes + mixer.state.recurrent * FP32
                key = (None, 0, -(-state // cards))
            else:
                heads, keys, values = mixer.cached
                each = dtypes[0].size_of(keys) + dtypes[1].size_of(values)
                key = (window, -(-heads // cards) * each, 0)
            if key[1] or key[2]:
                found[key] = found.get(key, 0) + count
    for (window, token, state), layers in found.items():
        yield Kind(layers, window, token, state)


class PoolUse(NamedTuple):
    """What a pool of pages holds: `tokens` of one sequence, so many `users`; does it start?

    `starts_whole`: with requests as long as the model's own window too.
    """

    tokens: int
    users: int
    starts: bool
    starts_whole: bool


def pool_use(
    found: Layout,
    pool_bytes: int,
    *,
    asked: int,
    tokens: int,
    shared: int,
    longest: int,
    window: int,
    step: int,
    beside: int,
) -> PoolUse:
    """Users of `tokens` each in the pool, `beside` bytes of each for a draft's cache.

    It starts where one request of `longest` goes in, while `step` tokens of it are read: a
    window keeps those as well. Of cards that divide layers, it is the pools of all together.
    Where all that a user reads is shared, any number of users fits with the first: those `asked`.
    """
    each = found.sequence_bytes(tokens, shared) + beside
    first = found.sequence_bytes(tokens) + beside - each  # pages that are there once
    if each:
        users = max(0, pool_bytes - first) // each
        own = pool_bytes * (each - beside) // each  # without the draft's part
    else:
        users, own = (asked if 0 < first <= pool_bytes else 0), pool_bytes
    return PoolUse(
        tokens=found.tokens_in(own, longest=longest, step=step),
        users=users,
        starts=found.most_bytes(longest, step) <= own,
        starts_whole=found.most_bytes(window, step) <= own,
    )


def paged_cache(
    found: Layout, *, users: int, tokens: int, shared: int, key: str = "kv_cache"
) -> Line | None:
    """Blocks of `users` sequences of `tokens` each; whole pages of `shared` are there once.

    Summed over kinds of layers: groups × pages × bytes a block. Blocks that a group pads are
    counted, as they are allocated. None where no layer keeps anything.
    """
    if not found.parts:
        return None
    total, texts = 0, []
    terms = {"users": users}
    for number, part in enumerate(found.parts, start=1):
        suffix = "" if len(found.parts) == 1 else f"_{number}"
        pages, common = part.pages(tokens), min(part.shared(shared), part.pages(tokens))
        blocks = users * pages - (users - 1) * common
        total += part.groups * blocks * part.block_bytes
        own = f"users × pages{suffix}"
        terms |= {
            f"groups{suffix}": part.groups,
            f"pages{suffix}": pages,
            f"block_bytes{suffix}": part.block_bytes,
        }
        if common:
            own = f"({own} - (users - 1) × shared_pages{suffix})"
            terms[f"shared_pages{suffix}"] = common
        texts.append(f"groups{suffix} × {own} × block_bytes{suffix}")
    return Line(
        key=key,
        bytes=total,
        formula=" + ".join(texts),
        terms=terms,
        source="vllm-kv-groups",
        basis=Basis.COUNTED,
    )
