"""How a served model lies on several cards: which blocks, and which part of each."""

from dataclasses import dataclass
from functools import cache

from estimator.architecture import Architecture
from estimator.blocks import Block


@cache
def empty_block() -> Block:
    """One that holds nothing, for cards without one."""
    nothing = {"kind": "none"}
    return Block.model_validate({"attention": nothing, "mlp": nothing, "norms": 0})


@dataclass(frozen=True, slots=True)
class Slice:
    """Blocks that lie on one card, or on the cards of one stage: `blocks` from number `first` on.

    `embedding`: with what stands in front of the blocks; `head`: with what comes behind them.
    `rows`: (part, whole) of every matrix of the model, where llama.cpp cuts those by rows and
    leaves to a card's own blocks the cache alone.
    """

    first: int
    blocks: int
    embedding: bool
    head: bool
    rows: tuple[int, int] | None = None

    @property
    def end(self) -> int:
        """The number behind its last block."""
        return self.first + self.blocks


@dataclass(frozen=True, slots=True)
class Split:
    """Over which cards one copy of a model is spread.

    `tp`: cards that divide each tensor of a stage. `slices`: of its stages, in their order; one
    that is empty says all of it. `experts`: cards that hold a stage's experts together, `ep` of
    them whole ones, the rest parts of those. `dp`: parts of the users, each with a cache of its
    own; `attentions` of them stand in one copy, beside the same experts. `cp`: cards over which
    a cache is spread by tokens. `tables`: cards that divide the head.
    """

    tp: int = 1
    slices: tuple[Slice, ...] = ()
    experts: int = 1
    ep: int = 1
    dp: int = 1
    attentions: int = 1
    cp: int = 1
    tables: int = 1

    @property
    def stages(self) -> int:
        return max(1, len(self.slices))

    @property
    def world(self) -> int:
        """Cards of one copy."""
        return self.tp * self.stages * self.attentions


def copies_of(split: Split) -> int:
    """Copies of the model, each over cards of its own."""
    return split.dp // split.attentions


def slices_of(counts: tuple[int, ...], *, tied_to_first: bool = False) -> tuple[Slice, ...]:
    """Stages of so many blocks each: the first has the embedding, the last the head.

    `tied_to_first`: a head that is the embedding lies where that does.
    """
    last, found, first = len(counts) - 1, [], 0
    for number, count in enumerate(counts):
        head = number == (0 if tied_to_first else last)
        found.append(Slice(first, count, embedding=number == 0, head=head))
        first += count
    return tuple(found)


def sliced(architecture: Architecture, part: Slice) -> Architecture:
    """The model that consists of `part` alone; itself, where that is all of it.

    A tied head that lies away from the embedding is a matrix of its own.
    """
    if part.embedding and part.head and part.blocks == architecture.depth:
        return architecture
    names = architecture.order[part.first : part.end]
    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    blocks = {name: architecture.blocks[name] for name in counts}
    if not counts:  # a table alone
        counts, blocks = {"none": 1}, {"none": empty_block()}
    fields: dict[str, object] = {
        "blocks": blocks,
        "layers": tuple({"times": count, "of": (name,)} for name, count in counts.items()),
        "embeds": part.embedding,
        "tied": architecture.tied and part.embedding and part.head,
    }
    if not part.embedding:
        fields |= {"tower": None, "extra": ()}
    if not part.head:
        fields |= {"head": False, "final_norm": False, "head_bias": False, "scores": False}
    return architecture.changed(**fields)
