"""FSDP2 over ranks that are not there: one rank's part of a sharded step, rank 0's.

A fake process group says of every collective that it is done; the model code, `fully_shard`
and its hooks are the real ones. Each block is a unit, and what is in none is the root.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.accuracy.counting.foreign import nn, no_modes, torch
from tests.accuracy.counting.settings import Settings

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


@contextmanager
def ranks(world: int) -> Iterator[None]:
    """A process group of `world` ranks, of which this is the first; none for one."""
    if world == 1:
        yield
        return
    from torch.testing._internal.distributed.fake_pg import FakeStore  # noqa: PLC0415

    torch.distributed.init_process_group("fake", rank=0, world_size=world, store=FakeStore())
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()


def shard(model: nn.Module, settings: Settings) -> None:
    """Make every block a unit, and the rest the root unit, in place."""
    from torch.distributed.device_mesh import init_device_mesh  # noqa: PLC0415
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard  # noqa: PLC0415

    policy = MixedPrecisionPolicy(
        param_dtype=DTYPES[settings.fsdp["param"]], reduce_dtype=DTYPES[settings.fsdp["reduce"]]
    )
    with no_modes():  # who is in the mesh is asked, and is no tensor of the step
        copies, ranks_of_one = settings.replicas, settings.world // settings.replicas
        hybrid = copies > 1
        shape = (copies, ranks_of_one) if hybrid else (ranks_of_one,)
        names = ("replicate", "shard") if hybrid else ("shard",)
        mesh = init_device_mesh("cpu", shape, mesh_dim_names=names)
    told = {"mesh": mesh, "mp_policy": policy, "reshard_after_forward": settings.reshard}
    for block in model.get_decoder().layers:
        fully_shard(block, **told)
    fully_shard(model, **told)
