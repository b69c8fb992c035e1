"""What a program that trains does where a question leaves it open, and the model as it holds it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.catalog import Catalog
from estimator.errors import Contradiction, Unsupported
from estimator.framework_rows import Framework
from estimator.graph import RMS_NORMS
from estimator.mixers import Attention, LatentAttention
from estimator.mlps import ExpertsMlp, GatedMlp, PlainMlp
from estimator.request import MpPolicy, TrainRequest
from estimator.resolve import Ledger
from estimator.resolve_adapter import QUERIES_AND_VALUES
from estimator.resolve_precision import ADAPTERS
from estimator.setup import Numbers, Shape
from estimator.words import (
    AttentionKernel,
    Checkpointing,
    Library,
    Loss,
    Master,
    Method,
    Objective,
    Strategy,
)

LITGPT_METHODS = (Method.FULL, Method.LORA, Method.QLORA, Method.LLAMA_ADAPTER)
UNSLOTH_METHODS = (Method.LORA, Method.QLORA, Method.RSLORA)  # that its kernels know
MEGATRON_METHODS = (Method.FULL,)  # its adapters are NeMo's, cut in another way than PEFT's
TORCHTUNE_METHODS = (Method.FULL, Method.LORA, Method.QLORA, Method.DORA)
MEGATRON_SHARDS = "megatron-distributed-optimizer"
SEPARATE = ("q_proj", "k_proj", "v_proj")
SEPARATE_MLP = ("gate_proj", "up_proj", "down_proj")


class Default(NamedTuple):
    """A field's value where it is left open, why, and who says so."""

    field: str
    value: Any
    why: str
    source: str


def settle_framework(
    request: TrainRequest, catalog: Catalog, taken: Ledger, warned: Ledger
) -> tuple[Framework, TrainRequest]:
    """The program named, or transformers, and the request with its defaults filled in.

    `taken` lists the defaults; `warned` has what is worth a warning.
    """
    framework = catalog.frameworks.find(request.framework or Library.TRANSFORMERS)
    _refuse_method(request, framework)
    filled = _filled(request, framework, catalog, taken)
    if framework.library is Library.UNSLOTH and not _has_kernels(request):
        framework = _of_transformers(framework, warned)
    return framework, filled


def _has_kernels(request: TrainRequest) -> bool:
    supervised = request.objective in (None, Objective.SFT, Objective.PRETRAIN)
    return request.method in UNSLOTH_METHODS and supervised


def _of_transformers(framework: Framework, ledger: Ledger) -> Framework:
    """Unsloth runs transformers' own modules where it has no kernels for what is asked."""
    ledger.warn(f"Counted with transformers' modules: {framework.id} has kernels for LoRA alone.")
    return framework.model_copy(update={"library": Library.TRANSFORMERS})


def _refuse_method(request: TrainRequest, framework: Framework) -> None:
    known = {
        Library.LITGPT: LITGPT_METHODS,
        Library.TORCHTUNE: TORCHTUNE_METHODS,
        Library.MEGATRON: MEGATRON_METHODS,
    }.get(framework.library)
    method = request.method or Method.FULL
    if known is not None and method not in known:
        raise Unsupported(
            "method",
            f"I have no estimate for `{method}` with {framework.id}.",
            suggestions=tuple(one.value for one in known),
        )
    if known is not None and request.objective not in (None, Objective.SFT, Objective.PRETRAIN):
        raise Unsupported(
            "objective",
            f"I have an estimate for supervised training with {framework.id}, "
            f"not for `{request.objective}`.",
            suggestions=("sft", "transformers"),
        )
    adapter_v2 = framework.library is Library.LITGPT and method is Method.LLAMA_ADAPTER
    if request.variant == "v2" and not adapter_v2:
        raise Contradiction(
            ("variant", "framework"),
            "LLaMA-Adapter V2 is LitGPT's, of the methods that have an estimate here.",
            suggestions=("litgpt llama_adapter",),
        )


def _filled(
    request: TrainRequest, framework: Framework, catalog: Catalog, ledger: Ledger
) -> TrainRequest:
    """The request with what the framework does where it leaves a field open, each listed."""
    found: dict[str, Any] = {}
    for default in _defaults(request, framework, catalog):
        if getattr(request, default.field) is None:
            found[default.field] = default.value
            ledger.note(default.field, default.value, default.why, default.source)
    if request.optimizer in (None, "adam", "adamw") and framework.library is Library.LITGPT:
        packs = request.method is Method.QLORA
        found["optimizer"] = "paged_adamw" if packs else "adamw_foreach"
        ledger.note("optimizer", found["optimizer"], "LitGPT's own", "litgpt-finetune")
    return request.model_copy(update=found) if found else request


def _defaults(request: TrainRequest, framework: Framework, catalog: Catalog) -> tuple[Default, ...]:
    source = framework.sources[0]
    if framework.library is Library.UNSLOTH:
        return _of_unsloth(request, catalog, source)
    if framework.library is Library.TRANSFORMERS:
        return tuple(_of_loops(request, framework, source))
    if framework.library is Library.MEGATRON:
        return _of_megatron(source)
    adapted = request.method in ADAPTERS
    true = "weights, adapters and states are all in the type computed in"
    common = (
        Default("autocast", False, true, source),
        *(() if adapted else (Default("master", Master.NONE, true, source),)),
    )
    if request.method in (Method.LORA, Method.QLORA, Method.DORA):
        common += (Default("adapter", request.compute or "bf16", true, source),)
    if adapted:
        common += (Default("kbit_prepare", False, "what is not packed stays 16-bit", source),)
    if framework.library is Library.TORCHTUNE:
        return (
            *common,
            Default("checkpointing", framework.checkpointing, "as in its recipes", source),
            Default("loss", framework.loss, _LOSSES[framework.loss], source),
            *(_of_shards(request, source) if framework.shards else ()),
        )
    if request.method in (Method.LORA, Method.QLORA):
        common += (
            Default("targets", QUERIES_AND_VALUES, "LitGPT's own", "litgpt-finetune"),
            Default("lora_dropout", framework.dropout, "LitGPT's own", "litgpt-finetune"),
        )
    return (
        *common,
        Default("checkpointing", Checkpointing.NONE, "on one card it has none", "litgpt-finetune"),
        Default("loss", Loss.CHUNKED, "the head in chunks of 128 tokens", "litgpt-finetune"),
    )


def _of_megatron(source: str) -> tuple[Default, ...]:
    return (
        Default("checkpointing", Checkpointing.NONE, "nothing is recomputed unless asked", source),
        Default("grads", "fp32", "gradients are added up in fp32", MEGATRON_SHARDS),
        Default("optimizer", "adamw_fused", "Transformer Engine's fused Adam", source),
    )


_LOSSES = {
    Loss.CHUNKED: "the head in eight chunks, as in its recipes",
    Loss.STOCK: "logits cast to fp32, as it takes its loss",
}


def _of_loops(request: TrainRequest, framework: Framework, source: str) -> Iterator[Default]:
    """Of a program that trains with transformers' modules in a loop of its own."""
    if not framework.prepares_packed and request.method in ADAPTERS:
        yield Default("kbit_prepare", False, "what is not packed stays 16-bit", source)
    if framework.keeps_outputs:
        yield Default("outputs_kept", True, "its loop names the logits through backward", source)


def _of_shards(request: TrainRequest, source: str) -> Iterator[Default]:
    """Torchtitan's fp32 weights, and the types they are gathered and reduced in."""
    yield Default("weights", "fp32", "fp32 shards, computed in bf16", source)
    if (request.world or sum(one.count for one in request.gpus)) > 1:
        policy = MpPolicy(param="bf16", reduce="fp32")
        yield Default("strategy", Strategy.FSDP2, "as in its configurations", source)
        yield Default("mp_policy", policy, "gathered in bf16, reduced in fp32", source)


def _of_unsloth(request: TrainRequest, catalog: Catalog, source: str) -> tuple[Default, ...]:
    known = (catalog.gpus.get(one.id) for one in request.gpus)
    old = any(gpu is not None and gpu.flash_attention is False for gpu in known)
    kernel = AttentionKernel.SDPA if old else AttentionKernel.FLASH
    found = [
        Default("checkpointing", Checkpointing.UNSLOTH, "as in its notebooks", source),
        Default("attention", kernel, "FlashAttention where the card runs it", source),
    ]
    if request.method in (None, Method.FULL, *UNSLOTH_METHODS):  # others bring their own
        found.append(Default("optimizer", "adamw_8bit", "as in its notebooks", source))
    if request.objective in (None, Objective.SFT, Objective.PRETRAIN):
        found.append(Default("loss", Loss.FUSED_CE, "its own kernel", "unsloth-cross-entropy"))
    if request.method in ADAPTERS:
        why = "what is not packed stays 16-bit"
        found.append(Default("kbit_prepare", False, why, source))
    return tuple(found)


def as_held(shape: Shape, framework: Framework, ledger: Ledger) -> tuple[Shape, Framework]:
    """The model as the framework's own modules hold it, and the framework with those.

    LitGPT has one projection for q, k and v, whose parts are adapted and counted one by one,
    an MLP's linears apart, and a head of its own where others tie it to the embedding.
    """
    library, architecture = framework.library, shape.architecture
    if library is Library.TRANSFORMERS:
        return shape, framework
    if library is Library.MEGATRON:
        _refuse_unlike_megatron(shape, framework)
        return shape, framework
    if not all(_is_plain(block) for block in architecture.blocks.values()):
        if library is Library.UNSLOTH:
            return shape, _of_transformers(framework, ledger)
        raise Unsupported(
            "framework",
            f"I have no estimate for {shape.name} in {framework.id}: of its models, those with "
            "plain attention and one MLP a block.",
            suggestions=("transformers",),
        )
    blocks = {name: _apart(block) for name, block in architecture.blocks.items()}
    changes: dict[str, Any] = {"blocks": blocks}
    if library is Library.LITGPT:
        changes["tied"] = False
    held = Architecture.model_construct(
        **{name: getattr(architecture, name) for name in Architecture.model_fields} | changes
    )
    return replace(shape, architecture=held), framework


def _refuse_unlike_megatron(shape: Shape, framework: Framework) -> None:
    """Of models with other layers than its transformer's there is no estimate."""
    blocks = shape.architecture.blocks.values()
    known = all(
        isinstance(block.attention, Attention | LatentAttention)
        and isinstance(block.mlp, GatedMlp | ExpertsMlp)
        and block.beside is None
        for block in blocks
    )
    if not known or shape.architecture.norm not in RMS_NORMS:
        raise Unsupported(
            "framework",
            f"I have no estimate for {shape.name} in {framework.id}: of its models, those with "
            "attention, gated MLPs or experts, and RMSNorm.",
            suggestions=("transformers",),
        )


def as_packed(numbers: Numbers, framework: Framework) -> Numbers:
    """How weights are held: LitGPT's head is a linear like the others, so it is packed too."""
    if framework.library is not Library.LITGPT or not numbers.format.quantised:
        return numbers
    return replace(numbers, head=numbers.linear)


def _is_plain(block: Block) -> bool:
    mixer = block.attention
    plain = isinstance(mixer, Attention) and not (
        mixer.output_gate or mixer.borrows or mixer.one_for_both or mixer.sinks
    )
    return plain and block.beside is None and isinstance(block.mlp, GatedMlp | PlainMlp)


def _apart(block: Block) -> Block:
    """q, k and v, and gate and up, as linears of their own."""
    changes: dict[str, Any] = {}
    mixer, mlp = block.attention, block.mlp
    if isinstance(mixer, Attention) and mixer.fused:
        modules = (*SEPARATE, mixer.output_module)
        changes["attention"] = mixer.model_copy(update={"fused": False, "modules": modules})
    if isinstance(mlp, GatedMlp) and mlp.fused:
        changes["mlp"] = mlp.model_copy(update={"fused": False, "modules": SEPARATE_MLP})
    if not changes:
        return block
    return Block.model_construct(
        **{name: getattr(block, name) for name in Block.model_fields} | changes
    )
