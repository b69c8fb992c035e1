"""Tensor and sequence parallelism over a process group that is none: one rank of many.

PyTorch's own plan of a decoder, as its tensor-parallel tutorial and torchtitan write it: q, k,
v, gate and up are cut by columns, o and down by rows, embedding and head by the vocabulary, and
the loss is taken on each rank's part of the logits. With `sp` norms and the residual stream
hold each rank's own tokens. Rank 0 is counted: its tensors, and what gathering makes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tests.accuracy.counting.foreign import distributed, nn, no_modes, torch, transformers
from tests.accuracy.counting.settings import Settings

Plan = dict[str, Any]

COLUMNS = ("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj")
ROWS = ("o_proj", "down_proj")


def parallelize(model: nn.Module, settings: Settings) -> None:
    """Cut `model` for the first of `tp` ranks, in place."""
    with no_modes():  # who is in the mesh is asked, and is no tensor of the step
        mesh = distributed.init_device_mesh("cpu", (settings.tp,))
    base = model.get_base_model() if settings.adapts else model
    plan = _ends(sp=settings.sp)
    for number in range(len(base.model.layers)):
        plan |= {f"model.layers.{number}.{name}": how for name, how in _block(settings).items()}
    present = dict(base.named_modules())  # a router and experts are no linears of an MLP
    plan = {name: how for name, how in plan.items() if name in present}
    distributed.parallel.parallelize_module(base, mesh, plan)
    _cut_experts(base.model, mesh)
    if settings.sp:
        _number_tokens(base.model, settings.seq)


def _ends(*, sp: bool) -> Plan:
    """Embedding, head and the norm between."""
    styles = distributed.parallel
    stream = distributed.Shard(1) if sp else distributed.Replicate()
    plan: Plan = {
        "model.embed_tokens": styles.RowwiseParallel(
            input_layouts=distributed.Replicate(), output_layouts=stream
        ),
        "lm_head": styles.ColwiseParallel(
            input_layouts=stream, output_layouts=distributed.Shard(-1), use_local_output=False
        ),
    }
    if sp:
        plan["model.norm"] = styles.SequenceParallel()
    return plan


def _block(settings: Settings) -> Plan:
    """One decoder layer; an adapter's B is cut as the columns it adds to, its A as the rows."""
    styles = distributed.parallel
    stream = distributed.Shard(1) if settings.sp else distributed.Replicate()
    cut: Plan = {}
    for name in (*COLUMNS, *ROWS):
        part = "self_attn" if name in ("q_proj", "k_proj", "v_proj", "o_proj") else "mlp"
        where = f"{part}.{name}"
        columns = name in COLUMNS
        style = styles.ColwiseParallel if columns else styles.RowwiseParallel
        given = {} if columns else {"output_layouts": stream}
        if settings.adapts and (settings.targets == "all-linear" or name in settings.targets):
            factor = "lora_B" if columns else "lora_A"
            cut[f"{where}.{factor}.default"] = style(**given)
            where = f"{where}.base_layer"
        cut[where] = style(**given)
    if settings.sp:
        gather = {"desired_input_layouts": (distributed.Replicate(),), "input_layouts": (stream,)}
        named = {
            "input_kwarg_layouts": {"hidden_states": stream},
            "desired_input_kwarg_layouts": {"hidden_states": distributed.Replicate()},
        }
        cut |= {
            "input_layernorm": styles.SequenceParallel(),
            "post_attention_layernorm": styles.SequenceParallel(),
            "self_attn": styles.PrepareModuleInput(**named),
            "mlp": styles.PrepareModuleInput(**gather),
        }
    return cut


def _cut_experts(backbone: nn.Module, mesh: object) -> None:
    """Experts are one tensor, which transformers' own plan cuts along each expert's width."""
    known = backbone.config.base_model_tp_plan or {}
    plan = {
        name.replace("*", str(number)): how
        for number in range(len(backbone.layers))
        for name, how in known.items()
        if ".experts" in name
    }
    if plan:
        transformers.distributed.tensor_parallel.apply_tensor_parallelism(backbone, mesh, plan)


def _number_tokens(backbone: nn.Module, tokens: int) -> None:
    """Positions of all tokens, which a rank's own part of them does not tell."""
    forward = backbone.forward
    positions = torch.arange(tokens).unsqueeze(0)

    def numbered(*given: object, **named: object) -> object:
        return forward(*given, **named | {"position_ids": positions})

    backbone.forward = numbered


@contextmanager
def loss_on_parts(settings: Settings) -> Iterator[None]:
    """The loss on parts of the logits; what DTensor works out about whole shapes is not booked."""
    if settings.tp == 1:
        yield
        return
    propagator = distributed.ShardingPropagator
    work_out = propagator._propagate_tensor_meta_non_cached  # noqa: SLF001

    def unbooked(self: object, schema: object) -> object:
        with no_modes():
            return work_out(self, schema)

    with (
        patch.object(propagator, "_propagate_tensor_meta_non_cached", unbooked),
        distributed.parallel.loss_parallel(),
    ):
        yield
