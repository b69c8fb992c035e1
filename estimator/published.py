"""Packed checkpoints whose shape is not the model's: a head of their own, a wider MLP."""

from dataclasses import replace

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.catalog import Catalog
from estimator.mlps import GatedMlp
from estimator.resolve import Ledger
from estimator.rows import Checkpoint, Format
from estimator.setup import Shape


def as_published(shape: Shape, number_format: Format, catalog: Catalog, ledger: Ledger) -> Shape:
    """`shape` as its makers publish it in that format; listed, since another copy may differ."""
    for row in catalog.checkpoints:
        if shape.name in row.models and number_format.id in row.formats:
            ledger.note("weights", number_format.id, _why(row), row.sources[0])
            return replace(shape, architecture=_changed(shape.architecture, row))
    return shape


def _why(row: Checkpoint) -> str:
    if row.inner is not None:
        return f"its makers' checkpoint has MLPs filled up to {row.inner:,}"
    return "its makers' checkpoint has a head of its own, which is not packed"


def _changed(architecture: Architecture, row: Checkpoint) -> Architecture:
    blocks: dict[str, Block] = dict(architecture.blocks)
    if row.inner is not None:
        for name, block in blocks.items():
            if isinstance(block.mlp, GatedMlp):
                wide = block.mlp.model_copy(update={"inner": row.inner})
                blocks[name] = block.model_copy(update={"mlp": wide})
    fields = {name: getattr(architecture, name) for name in Architecture.model_fields}
    tied = architecture.tied and not row.own_head
    return Architecture(**fields | {"blocks": blocks, "tied": tied})
