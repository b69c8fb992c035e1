"""Optimizers of other packages, each as published, on tensors that hold no numbers.

What a package asks of a number (is it larger? what is its value?) is answered for it, since a
fake tensor cannot; what it allocates stays its own. COUNTING.md lists what is stood in for.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any
from unittest.mock import patch

from tests.accuracy.counting.foreign import Optimizer, Tensor, torch

Named = Sequence[tuple[str, Tensor]]
Maker = Callable[[Named, Any, int], Optimizer]

LR = 1e-3
CODES = 256  # of bitsandbytes' table
PAGED_FROM = 100_000  # elements from which bitsandbytes takes pages, not PyTorch's memory
GALORE = {"update_proj_gap": 1, "scale": 0.25, "proj_type": "std"}  # the gap: every step projects
APOLLO = {"proj": "random", "scale_type": "channel", "scale": 1.0, "proj_type": "std"}


def is_block_matrix(name: str, parameter: Tensor) -> bool:
    """Whether it is the weight of one of the blocks' linears."""
    return "layers." in name and len(parameter.shape) == len(("rows", "columns"))


def optimizer(name: str, named: Named, config: object, rank: int) -> Optimizer:
    """The optimizer `name` over `named` parameters of a model with `config`."""
    return MAKERS[name](named, config, rank)


def _tensors(named: Named) -> list[Tensor]:
    return [one for _, one in named]


def _bitsandbytes(kind: str, *, paged: bool = False) -> Maker:
    """Bitsandbytes 0.50: one kernel a tensor. Paged states are not PyTorch's: one element."""

    def make(named: Named, _config: object, _rank: int) -> Optimizer:
        package = import_module("bitsandbytes")
        base = getattr(package.optim, kind)

        class OnCuda(base):  # type: ignore[misc, valid-type]
            def get_state_buffer(self, p: Tensor, dtype: object = torch.float32) -> Tensor:
                if paged and p.numel() >= PAGED_FROM:
                    return torch.zeros(1, dtype=dtype).expand(p.shape)
                return torch.zeros_like(p, dtype=dtype)

            def prefetch_state(self, _: Tensor) -> None:
                """Paged memory moves; nothing is allocated."""

        with patch.object(package.functional, "create_dynamic_map", lambda *_, **__: _codes()):
            made = OnCuda(_tensors(named))
            made.fill_qmap()
        return made

    return make


def _codes() -> Tensor:
    return torch.empty(CODES)


def _torchao(kind: str) -> Maker:
    """Torchao 0.18: states in blocks; its compiled step is one kernel, which holds nothing."""

    def make(named: Named, _config: object, _rank: int) -> Optimizer:
        four: Any = import_module("torchao.optim.subclass_4bit")
        four.get_qmap_signed = four.get_qmap_unsigned = lambda: [0.0] * 16
        made = getattr(import_module("torchao.optim"), kind)(_tensors(named))
        run = made.step

        def step() -> None:
            with patch.object(torch, "compile", lambda *_, **__: lambda *_: None):
                run()

        made.step = step
        return made

    return make


def _projecting(module: str, kind: str, settings: dict[str, object]) -> Maker:
    """GaLore and APOLLO: the blocks' linears are projected, all else is not."""

    def make(named: Named, _config: object, rank: int) -> Optimizer:
        inside = [one for name, one in named if "layers." in name and one.dim() == 2]
        outside = [one for name, one in named if "layers." not in name or one.dim() != 2]
        projected = {"params": inside, "rank": rank, "update_proj_gap": 1, **settings}
        return getattr(import_module(module), kind)([{"params": outside}, projected], lr=LR)

    return make


def _apollo(named: Named, config: object, rank: int) -> Optimizer:
    projector: Any = import_module("apollo_torch.random_projector")
    package: Any = import_module("apollo_torch.apollo")
    projector.next_seed = lambda seed: seed + 1
    projector.stable_randn = lambda shape, dtype, **_: torch.randn(shape, dtype=dtype)
    package.max = lambda first, _: first  # a norm against 1.01
    return _projecting("apollo_torch", "APOLLOAdamW", APOLLO)(named, config, rank)


def _adam_mini(named: Named, config: Any, _rank: int) -> Optimizer:  # noqa: ANN401
    heads, groups = config.num_attention_heads, config.num_key_value_heads
    return import_module("adam_mini").Adam_mini(
        named, lr=LR, dim=config.hidden_size, n_heads=heads, n_kv_heads=groups, verbose=False
    )


def _schedule_free(named: Named, _config: object, _rank: int) -> Optimizer:
    made = import_module("schedulefree").AdamWScheduleFree(_tensors(named), foreach=True)
    made.train()
    return made


def _lion(named: Named, _config: object, _rank: int) -> Optimizer:
    return import_module("lion_pytorch").Lion(_tensors(named))


def _lamb(named: Named, _config: object, _rank: int) -> Optimizer:
    return import_module("pytorch_optimizer").Lamb(_tensors(named))


def _soap(named: Named, _config: object, _rank: int) -> Optimizer:
    """A new eigenbasis each step, so that the counted one has it."""
    return import_module("pytorch_optimizer").SOAP(_tensors(named), precondition_frequency=1)


MAKERS: dict[str, Maker] = {
    "adamw_8bit": _bitsandbytes("AdamW8bit"),
    "paged_adamw_8bit": _bitsandbytes("PagedAdamW8bit", paged=True),
    "paged_adamw": _bitsandbytes("PagedAdamW", paged=True),
    "lion_8bit": _bitsandbytes("Lion8bit"),
    "adamw_4bit": _torchao("AdamW4bit"),
    "adamw_fp8": _torchao("AdamWFp8"),
    "galore_adamw": _projecting("galore_torch", "GaLoreAdamW", GALORE),
    "apollo": _apollo,
    "adam_mini": _adam_mini,
    "schedule_free": _schedule_free,
    "lion": _lion,
    "lamb": _lamb,
    "soap": _soap,
}
