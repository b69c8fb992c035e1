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
from torch import UntypedStorage as Storage
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, parallel
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.nn import functional
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._python_dispatch import _disable_current_modes as no_modes
from torch.utils._pytree import tree_leaves

distributed = SimpleNamespace(
    Replicate=Replicate,
    Shard=Shard,
    ShardingPropagator=ShardingPropagator,
    init_device_mesh=init_device_mesh,
    parallel=parallel,
)

__all__ = [
    "DTensor",
    "FakeTensorMode",
    "Optimizer",
    "Storage",
    "Tensor",
    "TorchDispatchMode",
    "TorchFunctionMode",
    "distributed",
    "functional",
    "nn",
    "no_modes",
    "peft",
    "torch",
    "transformers",
    "tree_leaves",
]
