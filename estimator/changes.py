"""Changes of a request that may make it fit, in the order of what they cost whoever asked.

A change is a few fields with other values; what it saves is for the estimate to say. Some
have several strengths: a shorter context, fewer layers on the card.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any

Update = Mapping[str, Any]  # fields and their new values; none: left open


class Price(IntEnum):
    """What a change costs, the cheapest first."""

    FREE = 0  # the run is the same
    TIME = 1  # the same result, later
    PRECISION = 2  # states, a cache or a few weights of fewer bits
    HOST = 3  # the same result, but the host's memory and processor do a part
    QUALITY = 4  # fewer things are learned, or weights have fewer bits
    LESS = 5  # another run than the one asked for: shorter, fewer, or by another method


# The fixed order, from what changes the run least to what changes it most.
PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "outputs_dropped": Price.FREE,
        "last_logits": Price.FREE,
        "flash": Price.FREE,
        "fused_optimizer": Price.FREE,
        "fused_loss": Price.FREE,
        "windows": Price.FREE,
        "fewer_sequences": Price.FREE,
        "checkpointing": Price.TIME,
        "smaller_batch": Price.TIME,
        "precomputed_reference": Price.TIME,
        "sharding": Price.TIME,
        "smaller_pass": Price.TIME,
        "smaller_steps": Price.TIME,
        "without_graphs": Price.TIME,
        "optimizer_8bit": Price.PRECISION,
        "without_kbit_prepare": Price.PRECISION,
        "cache_format": Price.PRECISION,
        "optimizer_paged": Price.HOST,
        "engine_asleep": Price.HOST,
        "activations_offloaded": Price.HOST,
        "optimizer_offloaded": Price.HOST,
        "all_offloaded": Price.HOST,
        "sharded_offloaded": Price.HOST,
        "experts_on_host": Price.HOST,
        "layers_on_host": Price.HOST,
        "lower_rank": Price.QUALITY,
        "attention_targets": Price.QUALITY,
        "packed_base": Price.QUALITY,
        "without_master": Price.QUALITY,
        "weights_format": Price.QUALITY,
        "packed_experts_on_host": Price.QUALITY,
        "packed_layers_on_host": Price.QUALITY,
        "shorter_sequence": Price.LESS,
        "shorter_context": Price.LESS,
        "fewer_users": Price.LESS,
        "lora": Price.LESS,
        "qlora": Price.LESS,
    }
)
TO_HOST = (  # whose room there is counted
    *("activations_offloaded", "optimizer_offloaded", "all_offloaded", "sharded_offloaded"),
    *("experts_on_host", "layers_on_host", "packed_experts_on_host", "packed_layers_on_host"),
)
ORDER = {key: place for place, key in enumerate(PRICES)}


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to do, in `steps` strengths of which 0 changes least.

    `at` gives the fields of a strength. Of the changes of one `slot`, one can be made: two
    kinds of checkpointing exclude each other. `scanned`: of its strengths some may be refused,
    so each is tried in its turn; else more of it never takes more memory. `parts`: how many
    changes it is, of which none makes sense without the others.
    """

    key: str
    slot: str
    steps: int
    at: Callable[[int], Update]
    scanned: bool = False
    parts: int = 1

    @property
    def order(self) -> int:
        """Its place among all changes, the cheapest first."""
        return ORDER[self.key]

    @property
    def price(self) -> Price:
        return PRICES[self.key]

    @property
    def on_host(self) -> bool:
        """Whether it moves something to the host's memory, and how much is known."""
        return self.key in TO_HOST


def once(key: str, slot: str, **fields: object) -> Change:
    """A change of one strength."""
    return Change(key, slot, 1, lambda _: fields)


def among(key: str, slot: str, updates: Sequence[Update]) -> Change:
    """A change that goes as far as one of `updates`, of which some may be refused."""
    return Change(key, slot, len(updates), lambda step: updates[step], scanned=True)


def counted(key: str, slot: str, field: str, numbers: range, **beside: object) -> Change:
    """A change that sets `field` to one of `numbers`, the first of which changes least."""
    return Change(key, slot, len(numbers), lambda step: {**beside, field: numbers[step]})


def halved(value: int, least: int) -> list[int]:
    """Half of it, half of that, and so on, as long as it comes to `least`."""
    found = []
    while (value := value // 2) >= least:
        found.append(value)
    return found
