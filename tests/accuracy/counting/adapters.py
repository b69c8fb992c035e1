"""PEFT's adapters on a model, with PEFT's defaults for what a row leaves open."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.accuracy.counting.foreign import nn, peft, torch
from tests.accuracy.counting.settings import Settings

OFT_BLOCK = 32  # PEFT's default

Config = Any  # peft's, unseen by a type checker without peft


class Never:
    """A chance of dropping a module that is never drawn: a fake number has no value to compare."""

    @classmethod
    def __torch_function__(cls, *_: object, **__: object) -> bool:
        """Whatever is drawn is larger."""
        return True


def adapt(model: nn.Module, settings: Settings) -> nn.Module:
    """The model with what its method trains; fp32 unless the row says bf16."""
    if settings.kbit_prepare:
        model = peft.prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
    config = CONFIGS[settings.method](settings)
    adapted = peft.get_peft_model(model, config, autocast_adapter_dtype=settings.adapter == "fp32")
    if settings.method == "lora_fa":  # as peft.optimizers.create_lorafa_optimizer does
        for name, parameter in adapted.named_parameters():
            if "lora_A" in name:
                parameter.requires_grad_(False)
    for module in adapted.modules():
        if getattr(module, "module_dropout", None):
            module.module_dropout = dict.fromkeys(module.module_dropout, Never())
    return adapted


def _shared(settings: Settings) -> dict[str, Any]:
    """What every method on linears has: targets, and modules trained whole."""
    targets = settings.targets
    return {
        "target_modules": list(targets) if isinstance(targets, tuple) else targets,
        "modules_to_save": list(settings.modules_to_save) or None,
        "task_type": "SEQ_CLS" if settings.objective == "reward" else "CAUSAL_LM",
    }


def _lora(settings: Settings) -> Config:
    return peft.LoraConfig(
        r=settings.rank,
        lora_dropout=settings.lora_dropout,
        use_dora=settings.method == "dora",
        use_rslora=settings.method == "rslora",
        **_shared(settings),
    )


def _adalora(settings: Settings) -> Config:
    return peft.AdaLoraConfig(
        init_r=settings.rank,
        total_step=1000,
        lora_dropout=settings.lora_dropout,
        **_shared(settings),
    )


def _vera(settings: Settings) -> Config:
    return peft.VeraConfig(r=settings.rank, vera_dropout=settings.lora_dropout, **_shared(settings))


def _ia3(settings: Settings) -> Config:
    shared = _shared(settings)
    down = [name for name in shared["target_modules"] if name in ("down_proj", "fc2")]
    return peft.IA3Config(feedforward_modules=down, **shared)


def _oft(settings: Settings) -> Config:
    size = 0 if settings.rank else OFT_BLOCK  # `rank` is the number of blocks, as PEFT's r is
    return peft.OFTConfig(r=settings.rank, oft_block_size=size, **_shared(settings))


def _boft(settings: Settings) -> Config:
    """Its permutation is filled number by number, and its CUDA extension cannot be built here."""
    layer = peft.tuners.boft.layer
    layer.BOFTLayer.perm2mat = lambda _, indices: torch.zeros(len(indices), len(indices))
    layer.get_fbd_cuda = lambda: None
    return peft.BOFTConfig(**_shared(settings))


def _virtual(settings: Settings) -> dict[str, Any]:
    return {"num_virtual_tokens": settings.virtual_tokens, "task_type": "CAUSAL_LM"}


def _llama_adapter(settings: Settings) -> Config:
    layers = settings.adapter_layers
    return peft.AdaptionPromptConfig(
        adapter_len=settings.virtual_tokens, adapter_layers=layers, task_type="CAUSAL_LM"
    )


CONFIGS: Mapping[str, Callable[[Settings], Config]] = {
    "lora": _lora,
    "rslora": _lora,
    "dora": _lora,
    "qlora": _lora,
    "lora_fa": _lora,
    "adalora": _adalora,
    "vera": _vera,
    "ia3": _ia3,
    "loha": lambda row: peft.LoHaConfig(r=row.rank, **_shared(row)),
    "lokr": lambda row: peft.LoKrConfig(r=row.rank, **_shared(row)),
    "oft": _oft,
    "boft": _boft,
    "prompt": lambda row: peft.PromptTuningConfig(**_virtual(row)),
    "ptuning": lambda row: peft.PromptEncoderConfig(**_virtual(row)),
    "prefix": lambda row: peft.PrefixTuningConfig(**_virtual(row)),
    "ln_tuning": lambda _: peft.LNTuningConfig(task_type="CAUSAL_LM"),
    "llama_adapter": _llama_adapter,
}
