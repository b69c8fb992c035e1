"""The defaults of the optimizer and of how it is applied, each with its reason and source."""

from dataclasses import replace
from typing import NamedTuple

from estimator.architecture import Architecture
from estimator.catalog import Catalog
from estimator.errors import BadRequest
from estimator.optimizer_rows import Optimizer, StateShape
from estimator.part import Part
from estimator.refusals_of_optimizers import refused_main_grads
from estimator.request import TrainRequest
from estimator.resolve import Ledger, find_dtype
from estimator.resolve_precision import ADAPTERS, LOW_MEMORY
from estimator.rows import Dtype
from estimator.tensors import Role
from estimator.words import Master, Method

OF_BLOCKS = {  # methods that train some blocks at a time: what their authors' code trains
    Method.BADAM: (Part(blocks=1, ends=False), "badam-package", "one decoder layer at a time"),
    Method.LISA: (Part(blocks=2, ends=True), "lisa-2024", "two layers, embeddings and head"),
    Method.FREEZE: (
        Part(blocks=2, ends=False, last=True),
        "llama-factory-freeze",
        "the last two layers, as LLaMA-Factory does",
    ),
}
ALIKE = (StateShape.PARAMETER, StateShape.ROW_AND_COLUMN, StateShape.PER_BLOCK)
MUON_ON_ADAPTERS = "an adapter's A and B are matrices, so Muon gets them all"


class Updating(NamedTuple):
    """The optimizer, and how it is applied: the fields of TrainSetup that say so."""

    optimizer: Optimizer
    projection_rank: int
    part: Part | None
    states: Dtype | None
    embedding_states: Dtype | None
    grads: Dtype
    main_grads: Dtype | None
    in_backward: bool
    passing: bool
    optimizer_dtypes: dict[str, Dtype]


def resolve_updating(
    request: TrainRequest,
    method: Method,
    architecture: Architecture,
    *,
    trained: Dtype,
    master: Dtype | None,
    catalog: Catalog,
    ledger: Ledger,
) -> Updating:
    """The optimizer and its settings. `trained`: the type of the weights that get gradients."""
    optimizer = _optimizer(request, method, catalog, ledger)
    _warn_of_experts(optimizer, architecture, ledger)
    projected = optimizer.rank and ledger.take(
        "rank", request.rank, optimizer.rank, f"{optimizer.id}'s usual rank", optimizer.sources[-1]
    )
    if projected:
        _check_projection(projected, architecture)
    in_backward = bool(request.optimizer_in_backward) or optimizer.in_backward
    buffered = master is not None and method is not Method.BADAM and not in_backward
    grads, main = _gradients(
        request, trained, master if buffered else None, catalog=catalog, ledger=ledger
    )
    return Updating(
        optimizer=optimizer,
        projection_rank=projected,
        part=_part(request, method, architecture, ledger),
        states=_states(request, optimizer, catalog),
        embedding_states=_embedding_states(request, method, optimizer, catalog, ledger),
        grads=grads,
        main_grads=main,
        in_backward=in_backward,
        passing=in_backward or (main is not None and request.main_grads is None),
        optimizer_dtypes=_dtypes(optimizer, catalog),
    )


def _check_projection(rank: int, architecture: Architecture) -> None:
    if rank > architecture.hidden:
        raise BadRequest(
            "rank",
            f"{rank:,} is wider than the model itself ({architecture.hidden:,})",
            suggestions=("r=128", "r=256"),
        )


def _optimizer(
    request: TrainRequest, method: Method, catalog: Catalog, ledger: Ledger
) -> Optimizer:
    own = LOW_MEMORY.get(method)
    unnamed = request.optimizer in (None, "adam", "adamw")
    if own is not None and unnamed:
        ledger.note("optimizer", own, f"what `{method}` means", "defaults")
    elif unnamed and method is Method.LORA_FA:
        own, why = "adamw_loop", "PEFT's LoraFAOptimizer is AdamW on B, one pair at a time"
        ledger.note("optimizer", own, why, "peft-lora-fa")
    elif request.optimizer is None or unnamed:
        why = "the Trainer's default with torch 2.8 and later"
        ledger.note("optimizer", "adamw_fused", why, "trainer-optimizer")
    named = (own or "adamw_fused") if unnamed else request.optimizer
    optimizer = catalog.optimizers.find(named or "adamw_fused")
    note = optimizer.note
    if note and optimizer.id == "muon" and method in ADAPTERS:
        note = MUON_ON_ADAPTERS
    if note:
        ledger.note("optimizer", optimizer.id, note, optimizer.sources[0])
    if optimizer.id == "adam_mini" and method in ADAPTERS:
        ledger.warn(
            "Adam-mini cuts q and k into heads, and an adapter's matrices have none: its published "
            "code stops there. Counted with one number a row."
        )
    if optimizer.id == "lomo" and request.master is Master.FP32:
        ledger.warn("LOMO keeps no master of its own; the one that you ask for is counted beside.")
    return optimizer


def _warn_of_experts(optimizer: Optimizer, architecture: Architecture, ledger: Ledger) -> None:
    """Say how a tensor of several matrices is counted, where matrices are treated apart."""
    experts = any(tensor.role is Role.EXPERT for tensor in architecture.tensors)
    apart = any(state.shape not in ALIKE for state in optimizer.states)
    if experts and apart:
        ledger.warn(
            f"Each of the experts counts as a matrix for {optimizer.id}; its published code "
            "takes tensors of two dimensions, and they lie in one of three."
        )


def _part(
    request: TrainRequest, method: Method, architecture: Architecture, ledger: Ledger
) -> Part | None:
    if method not in OF_BLOCKS:
        return None
    part, source, why = OF_BLOCKS[method]
    blocks = ledger.take("active_blocks", request.active_blocks, part.blocks, why, source)
    if blocks > architecture.depth:
        raise BadRequest(
            "active_blocks",
            f"the model has {architecture.depth:,} blocks, {blocks:,} cannot be trained",
            suggestions=("full",),
        )
    return replace(part, blocks=blocks)


def _gradients(
    request: TrainRequest, trained: Dtype, master: Dtype | None, *, catalog: Catalog, ledger: Ledger
) -> tuple[Dtype, Dtype | None]:
    """What autograd makes, and the type of the buffer that it is added to, if there is one.

    A weight's gradient has the weight's type. `grads fp32` beside 16-bit weights is such a
    buffer, if a `master` takes its step from one; `main_grads` one beside gradients that stay.
    """
    asked = find_dtype(request.grads, "grads", catalog) if request.grads else None
    if master is None or trained.id == master.id:
        if request.main_grads is not None:
            raise refused_main_grads("method", "master")
        return asked or trained, None
    if request.main_grads:
        return trained, find_dtype(request.main_grads, "main_grads", catalog)
    if asked is not None and asked.bytes_per_block > trained.bytes_per_block:
        return trained, asked
    if asked is None:
        why = "16 bytes a parameter with Adam; `grads fp32` makes 18, fp32 beside 16 bits 20"
        ledger.note("grads", trained.id, why, "megatron-distributed-optimizer")
    return asked or trained, None


def _states(request: TrainRequest, optimizer: Optimizer, catalog: Catalog) -> Dtype | None:
    """The type that was asked for, of an optimizer whose states have none of their own."""
    if request.states is None:
        return None
    if any(state.dtype == "parameter" for state in optimizer.states):
        return find_dtype(request.states, "states", catalog)
    catalog.dtypes.find(request.states)  # it changes nothing, but must be one
    return None


def _embedding_states(
    request: TrainRequest,
    method: Method,
    optimizer: Optimizer,
    catalog: Catalog,
    ledger: Ledger,
) -> Dtype | None:
    """An embedding's states: packed by bitsandbytes like all others, unless the Trainer asks."""
    packs = any(state.dtype.startswith("blockwise") for state in optimizer.states)
    of_bitsandbytes = packs and optimizer.sources[0] == "bitsandbytes-optim"
    if request.embedding_states is not None:
        wide = find_dtype(request.embedding_states, "embedding_states", catalog)
        if not packs:
            ledger.warn(f"`embedding_states` changes nothing: {optimizer.id} packs no states.")
        return wide if packs and wide.plain else None
    if of_bitsandbytes and method not in (*ADAPTERS, Method.BADAM):
        why = "as bitsandbytes has it; the Trainer keeps the embedding's states in fp32"
        ledger.note("embedding_states", "int8", why, "trainer-bitsandbytes")
    return None


def _dtypes(optimizer: Optimizer, catalog: Catalog) -> dict[str, Dtype]:
    """The types that the optimizer's row names, and fp32."""
    named = {"fp32", *(state.dtype for state in optimizer.states)}
    named |= {scratch.dtype for instant in optimizer.step for scratch in instant.held}
    return {name: catalog.dtypes.find(name) for name in named - {"parameter", "upcast"}}
