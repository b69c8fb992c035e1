"""What of a model lies on one of llama.cpp's cards: some blocks, and of some not the experts."""

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.local import Local
from estimator.mlps import ExpertsMlp, NoMlp
from estimator.split import Slice, empty_block
from estimator.tensors import Extra


def placed_on(whole: Architecture, local: Local, here: Slice) -> Architecture:
    """The model without what lies elsewhere; itself, where all is on the card."""
    if here.blocks == whole.depth and here.head and not local.experts_on_host:
        return whole
    counts: dict[str, int] = {}
    blocks = dict(whole.blocks)
    for number, name in enumerate(whole.order):
        if not here.first <= number < here.end:
            continue
        kept, mlp = name, blocks[name].mlp
        if number < local.experts_on_host and isinstance(mlp, ExpertsMlp):
            kept = f"{name} on the host"
            if kept not in blocks:
                blocks[kept] = _without_experts(blocks[name], mlp, whole.hidden)
        counts[kept] = counts.get(kept, 0) + 1
    fields = {name: getattr(whole, name) for name in type(whole).model_fields}
    if not counts:  # the head alone
        counts, blocks = {"none": 1}, {"none": empty_block()}
    fields["blocks"] = {name: blocks[name] for name in counts}
    fields["layers"] = tuple({"times": n, "of": (name,)} for name, n in counts.items())
    if not here.head:
        fields |= {"head": False, "final_norm": False, "head_bias": False, "tied": False}
    return Architecture(**fields)


def _without_experts(block: Block, mlp: ExpertsMlp, hidden: int) -> Block:
    """The block with all of its MLP but the routed experts: router, shared ones, projections."""
    rest = [
        Extra(module=one.module, role=one.role, rows=one.rows, columns=one.columns)
        for one in mlp.tensors(hidden, 1)
        if not one.module.startswith("experts.")
    ]
    return block.model_copy(update={"mlp": NoMlp(kind="none"), "extra": (*block.extra, *rest)})
