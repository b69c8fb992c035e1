"""Many cards: what is divided, and what sharding itself allocates."""

from typing import NamedTuple, assert_never

from estimator.architecture import Architecture
from estimator.breakdown import Basis, Line
from estimator.words import Strategy


class Shares(NamedTuple):
    """Over how many cards each is divided."""

    weights: int
    gradients: int
    states: int


def shares(strategy: Strategy, world: int) -> Shares:
    """ZeRO 1 shards the states, 2 the gradients too, 3 and FSDP everything."""
    match strategy:
        case Strategy.SINGLE | Strategy.DDP:
            return Shares(1, 1, 1)
        case Strategy.ZERO1:
            return Shares(1, 1, world)
        case Strategy.ZERO2:
            return Shares(1, world, world)
        case Strategy.ZERO3 | Strategy.FSDP | Strategy.FSDP2:
            return Shares(world, world, world)
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


def gathered_units(
    strategy: Strategy,
    world: int,
    architecture: Architecture,
    weight_bytes: int,
    *,
    reshard: bool,
) -> Line | None:
    """Sharded weights are gathered a unit at a time: two blocks, and the root.

    The root unit is the embedding, the head and the final norm. `weight_bytes`: of the
    whole model, in the type that is gathered. Not `reshard`: all of it stays gathered
    until backward is done. Left out: DeepSpeed's fixed buckets.
    """
    if strategy not in (Strategy.FSDP, Strategy.FSDP2, Strategy.ZERO3) or world == 1:
        return None
    live = _two_blocks_and_root(architecture) if reshard else architecture.parameters
    return Line(
        key="gathered_units",
        bytes=-(-weight_bytes * live // architecture.parameters),
        formula="ceil(weight_bytes × gathered_parameters ÷ parameters)",
        terms={
            "weight_bytes": weight_bytes,
            "gathered_parameters": live,
            "parameters": architecture.parameters,
        },
        source="torch-fully-shard",
        basis=Basis.DERIVED,
    )


def unsharded_root(
    strategy: Strategy, world: int, architecture: Architecture, gradient_bytes: int
) -> Line | None:
    """The root unit's gradients, whole, and their copy in the type they are reduced in.

    `gradient_bytes`: of both together, for each parameter.
    """
    if strategy not in (Strategy.FSDP, Strategy.FSDP2) or world == 1:
        return None
    root = architecture.parameters - sum(count * size for count, size in _blocks(architecture))
    return Line(
        key="unsharded_gradients",
        bytes=root * gradient_bytes,
        formula="root_parameters × gradient_bytes",
        terms={"root_parameters": root, "gradient_bytes": gradient_bytes},
        source="torch-fully-shard",
        basis=Basis.DERIVED,
    )


def _two_blocks_and_root(architecture: Architecture) -> int:
    """Parameters of two of the largest blocks, and of what is in no block."""
    blocks = _blocks(architecture)
    root = architecture.parameters - sum(count * size for count, size in blocks)
    return min(architecture.parameters, 2 * max(size for _, size in blocks) + root)


def _blocks(architecture: Architecture) -> list[tuple[int, int]]:
    """(how many, parameters) of each kind of block."""
    norm, bias = architecture.norm, architecture.norm_bias
    kinds = (
        (count, block.tensors(architecture.hidden, 1, norm=norm, norm_bias=bias))
        for count, block in architecture.stack
    )
    return [(count, sum(tensor.parameters for tensor in tensors)) for count, tensors in kinds]
