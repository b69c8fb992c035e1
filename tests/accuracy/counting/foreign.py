"""torch, transformers and peft: imported here and nowhere else.

They are the optional dependency group `count`. Nothing of the product needs them, and a
type checker that does not find them sees them as unknown.
"""

import peft
import torch
import torch.utils.checkpoint
import transformers
from torch import Tensor, nn
from torch import UntypedStorage as Storage
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.tensor import DTensor
from torch.nn import functional
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._python_dispatch import _disable_current_modes as no_modes
from torch.utils._pytree import tree_leaves

__all__ = [
    "DTensor",
    "FakeTensorMode",
    "Optimizer",
    "Storage",
    "Tensor",
    "TorchDispatchMode",
    "TorchFunctionMode",
    "functional",
    "nn",
    "no_modes",
    "peft",
    "torch",
    "transformers",
    "tree_leaves",
]
