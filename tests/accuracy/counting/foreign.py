"""torch, transformers and peft: imported here and nowhere else.

They are the optional dependency group `count`. Nothing of the product needs them, and a
type checker that does not find them sees them as unknown.
"""

from types import SimpleNamespace

import peft
import torch
import torch.distributed
import torch.utils.checkpoint
import transformers
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed import tensor as sharded
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import parallel
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.nn import functional
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

distributed = SimpleNamespace(
    DTensor=sharded.DTensor,
    FakeStore=FakeStore,
    Replicate=sharded.Replicate,
    Shard=sharded.Shard,
    ShardingPropagator=ShardingPropagator,
    group=torch.distributed,
    init_device_mesh=init_device_mesh,
    parallel=parallel,
    without_modes=_disable_current_modes,
)

__all__ = [
    "FakeTensorMode",
    "Optimizer",
    "Tensor",
    "TorchDispatchMode",
    "TorchFunctionMode",
    "distributed",
    "functional",
    "nn",
    "peft",
    "torch",
    "transformers",
    "tree_leaves",
]
