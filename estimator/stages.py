"""How engines cut a model's blocks into stages, a card or a group of cards each.

Every function gives the number of blocks of each stage, in their order; the sum is the depth.
"""

from collections.abc import Sequence
from fractions import Fraction

MARGIN = Fraction(5, 4)  # of the largest block, which transformers leaves each card beside its part


def vllm_stages(depth: int, stages: int) -> tuple[int, ...]:
    """Blocks that are left over go to the stages before the last, from behind.

    `get_pp_indices`: the last has the head; the first is the last to get one more.
    """
    each, rest = divmod(depth, stages)
    counts = [each] * stages
    for number in range(stages - 1 - rest, stages - 1):
        counts[number] += 1
    return tuple(counts)


def sglang_stages(depth: int, stages: int) -> tuple[int, ...]:
    """Blocks that are left over go to the last stages."""
    each, rest = divmod(depth, stages)
    return (*[each] * (stages - rest), *[each + 1] * rest)


def tensorrt_stages(depth: int, stages: int) -> tuple[int, ...]:
    """Blocks that are left over go to the first stages, as `torch.tensor_split` cuts."""
    each, rest = divmod(depth, stages)
    return (*[each + 1] * rest, *[each] * (stages - rest))


def weighed_stages(blocks: int, *, head: bool, weights: Sequence[int]) -> tuple[int, ...]:
    """llama.cpp's: cards take layers in proportion to `weights`, the head as one layer more.

    Layer `n` of `blocks` (and the head) goes to the first card whose share of the weights,
    with all before it, is more than `n ÷ layers`. The head is not among the counts; it is
    on the card of `weighed_head`.
    """
    cards = _weighed(blocks + head, weights)
    return tuple(cards[:blocks].count(card) for card in range(len(weights)))


def weighed_head(blocks: int, weights: Sequence[int]) -> int:
    """The card that the head lies on, where it is the layer behind `blocks`."""
    return _weighed(blocks + 1, weights)[-1]


def _weighed(layers: int, weights: Sequence[int]) -> list[int]:
    """The card of each layer."""
    total = sum(weights)
    ends = [sum(weights[: number + 1]) for number in range(len(weights))]
    return [
        next(card for card, end in enumerate(ends) if end * layers > layer * total)
        for layer in range(layers)
    ]


def balanced_stages(
    embedding: int, blocks: Sequence[int], head: int, rooms: Sequence[int | None]
) -> tuple[int, ...]:
    """Transformers' `device_map="auto"`: cards are filled in order, a whole block at a time.

    Sizes in bytes. Every card but the last is filled up to its even part and 1.25 of the
    largest block, or its `rooms`, whichever is less (none: not known); the first keeps room
    for the largest layer that is still to come. The last takes what is left. A head that is
    tied has no bytes.
    """
    cards, total = len(rooms), embedding + sum(blocks) + head
    limit = total // cards + int(max(blocks) * MARGIN)
    counts, card, used = [0] * cards, 0, embedding
    for number, size in enumerate(blocks):
        while card < cards - 1:
            kept = max(*blocks[number:], head, 0) if card == 0 else 0
            room = rooms[card]
            if used + size <= min(limit, limit if room is None else room) - kept:
                break
            card, used = card + 1, 0
        counts[card] += 1
        used += size
    return tuple(counts)
