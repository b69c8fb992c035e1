"""The model of a row: built on fake tensors, packed, adapted, checkpointed as it says."""

from dataclasses import replace

from tests.accuracy.counting import bitsandbytes_stand_in, cuda
from tests.accuracy.counting.adapters import adapt
from tests.accuracy.counting.checkpoints import checkpointing
from tests.accuracy.counting.foreign import nn, torch, transformers
from tests.accuracy.counting.fully_sharded import shard
from tests.accuracy.counting.parallel import parallelize
from tests.accuracy.counting.pipeline import cut_to_stage
from tests.accuracy.counting.rollouts import PolicyAndValue
from tests.accuracy.counting.settings import Settings
from tests.accuracy.counting.shapes import config_numbers

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
INT8_THRESHOLD = 6.0  # transformers' default; rows above it would be held apart


def reference(settings: Settings) -> nn.Module | None:
    """The second model of a row, frozen: a reference, a teacher, or None."""
    if settings.teacher:
        return frozen(bare(replace(settings, model=settings.teacher, layers=0)))
    return frozen(bare(settings)) if settings.reference == "model" else None


def beside(settings: Settings) -> tuple[nn.Module, ...]:
    """What PPO holds besides: the reward model, frozen."""
    return (frozen(bare(settings, scores=True)),) if settings.objective == "ppo" else ()


def frozen(model: nn.Module) -> nn.Module:
    """The model, without gradients."""
    model.requires_grad_(False)
    return model.eval()


def build(settings: Settings) -> tuple[nn.Module, int]:
    """The model, ready to train, and how many numbers it has before anything is added to it."""
    model = bare(settings, scores=settings.objective == "reward")
    parameters = sum(one.numel() for one in model.parameters())
    if settings.pp > 1:
        cut_to_stage(model, settings)
    if settings.packed:
        pack(model, settings.packed, torch.bfloat16 if settings.fsdp else torch.uint8)
    if settings.adapts:
        model = adapt(model, settings)
    if settings.tp > 1:
        parallelize(model, settings)
    checkpointing(model, settings.checkpointing)
    if settings.fsdp:
        shard(model, settings)
    if settings.objective == "ppo":
        model = PolicyAndValue(model, bare(settings, scores=True))
    model.train()
    return model, parameters


def bare(settings: Settings, *, scores: bool = False) -> nn.Module:
    """The model as it is loaded, without a cache; `scores`: one number in place of the words.

    What its code holds in fp32 whatever type is asked for, as DeepSeek's routers, stays so.
    """
    numbers = config_numbers(settings.model, settings.layers)
    if numbers.pop("no_q_lora", False):
        numbers["q_lora_rank"] = None
    config = transformers.AutoConfig.for_model(numbers.pop("model_type"), **numbers)
    config.use_cache = False
    cuda.register()
    config._attn_implementation = (  # noqa: SLF001 - its public form loads kernels
        cuda.COUNTED if settings.attention == "flash" else settings.attention
    )
    dtype = DTYPES.get(settings.weights, torch.bfloat16)
    if scores:
        config.num_labels, config.pad_token_id = 1, 0
        return transformers.AutoModelForSequenceClassification.from_config(config, dtype=dtype)
    return transformers.AutoModelForCausalLM.from_config(config, dtype=dtype)


def pack(model: nn.Module, format_: str, storage: torch.dtype) -> None:
    """Every linear but the head is packed; experts that are one tensor are none."""
    for name, module in list(model.named_modules()):
        head = name == "score" or module is model.get_output_embeddings()
        if not isinstance(module, nn.Linear) or head:
            continue
        parent, _, child = name.rpartition(".")
        packed = (
            bitsandbytes_stand_in.Linear4bit(module, storage)
            if format_ == "nf4_dq"
            else bitsandbytes_stand_in.Linear8bitLt(module, INT8_THRESHOLD)
        )
        setattr(model.get_submodule(parent), child, packed)
    bitsandbytes_stand_in.install()
    model.is_loaded_in_4bit = format_ == "nf4_dq"
    model.is_loaded_in_8bit = format_ == "int8"
