"""How many ways a training step is divided over cards, and which part of it one card has."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Degrees:
    """Degrees of parallelism, whose product is the number of cards.

    `tp`: cards that divide each block's matrices; `pp`: stages of blocks; `cp`: cards that
    divide each sequence; `dp`: copies that see other sequences. `ep`: of the cards that hold
    the same stage, how many divide the experts among them. `sequence`: the tokens between
    blocks are divided over the tp cards too.

    Of one card: `stage` from 1, none for the whole plan; `in_flight`: micro-batches whose
    activations wait there for backward at once.
    """

    tp: int = 1
    pp: int = 1
    cp: int = 1
    ep: int = 1
    dp: int = 1
    sequence: bool = False
    stage: int | None = None
    in_flight: int = 1

    @property
    def world(self) -> int:
        """How many cards there are."""
        return self.tp * self.pp * self.cp * self.dp

    @property
    def copies(self) -> int:
        """Cards that hold the same part of all weights but experts': what ZeRO shards over."""
        return self.cp * self.dp

    @property
    def expert_copies(self) -> int:
        """Cards that hold the same experts; with `ep` they are whole, and tp cards have others."""
        return self.copies if self.ep == 1 else self.tp * self.copies // self.ep

    @property
    def groups(self) -> tuple[int, ...]:
        """The sizes of the groups that a card exchanges tensors in, those of one left out."""
        within = (self.tp, self.pp, self.cp, self.copies if self.dp > 1 else 1, self.ep)
        of_experts = self.expert_copies if self.ep > 1 else 1
        return tuple(size for size in (*within, of_experts) if size > 1)

    @property
    def divides(self) -> bool:
        """Whether a card has less than a whole model, or less than a whole sequence."""
        return self.tp * self.pp * self.cp * self.ep > 1

    @property
    def spread(self) -> int:
        """Cards over which the tokens between blocks are divided."""
        return self.tp if self.sequence else 1
