"""Many cards: what is divided, and DDP's buckets."""

from typing import NamedTuple, assert_never

from estimator.breakdown import Basis, Line
from estimator.words import Strategy

SHARDED_WEIGHTS = (Strategy.FSDP, Strategy.FSDP2, Strategy.ZERO3)
SHARDED = (*SHARDED_WEIGHTS, Strategy.ZERO1, Strategy.ZERO2)


class Shares(NamedTuple):
    """Over how many cards each is divided."""

    weights: int
    gradients: int
    states: int


def shares(strategy: Strategy, world: int, replicas: int = 1) -> Shares:
    """ZeRO 1 shards the states, 2 the gradients too, 3 and FSDP everything.

    `replicas`: copies of the shards, each over its part of the cards (hybrid sharding).
    """
    match strategy:
        case Strategy.SINGLE | Strategy.DDP:
            return Shares(1, 1, 1)
        case Strategy.ZERO1:
            return Shares(1, 1, world)
        case Strategy.ZERO2:
            return Shares(1, world, world)
        case Strategy.ZERO3 | Strategy.FSDP | Strategy.FSDP2:
            ways = world // replicas
            return Shares(ways, ways, ways)
        case Strategy.TP | Strategy.PP | Strategy.DEVICE_MAP | Strategy.THREE_D:
            raise ValueError(f"{strategy} is refused before it gets here")
    assert_never(strategy)


def ddp_buckets(strategy: Strategy, world: int, trainable: int, gradient_bytes: int) -> Line | None:
    """DDP reduces gradients in buckets: one more copy of them, made at the start."""
    if strategy is not Strategy.DDP or world == 1:
        return None
    return Line(
        key="ddp_buckets",
        bytes=trainable * gradient_bytes,
        formula="trainable × gradient_bytes",
        terms={"trainable": trainable, "gradient_bytes": gradient_bytes},
        source="torch-ddp",
        basis=Basis.DERIVED,
    )
