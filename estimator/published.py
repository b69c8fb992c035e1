"""Packed checkpoints whose shape is not the model's: a wider MLP; and files of known bytes."""

from dataclasses import replace

from estimator.architecture import Architecture
from estimator.blocks import Block
from estimator.catalog import Catalog
from estimator.errors import BadRequest
from estimator.held import TOWER
from estimator.mlps import GatedMlp
from estimator.resolve import Ledger
from estimator.rows import Checkpoint, Format
from estimator.setup import Shape

BITS = 8  # of a byte


def as_published(shape: Shape, number_format: Format, catalog: Catalog, ledger: Ledger) -> Shape:
    """`shape` as its makers publish it in that format; listed, since another copy may differ."""
    for row in catalog.checkpoints:
        if shape.entry in row.models and number_format.id in row.formats:
            ledger.note("weights", number_format.id, _why(row), row.sources[0])
            return replace(shape, architecture=_changed(shape.architecture, row))
    return shape


def file_bytes(
    told: int | None, shape: Shape, number_format: Format, catalog: Catalog
) -> tuple[int | None, str]:
    """What all weights take, and who says so: the question, or a published file.

    A published file counts only where no rule gives its bytes.
    """
    if told is None and number_format.spread != (0, 0):
        for row in catalog.files:
            if (row.model, row.format) == (shape.entry, number_format.id):
                return row.bytes, row.sources[0]
    return told, "given-bytes"


def believed(told: int | None, architecture: Architecture, in_host: int = 0) -> int | None:
    """A told size; raises BadRequest for one that no file of that model has.

    No format packs a weight into less than one bit; `in_host`: what the tables alone take that
    an engine leaves in the host's memory.
    """
    if told is None:
        return None
    counted = sum(one.parameters for one in architecture.tensors if one.role not in TOWER)
    least = max(-(-counted // BITS), in_host + 1)
    if told < least:
        raise BadRequest(
            "weight_bytes",
            f"{told:,} bytes are too few for {counted:,} weights; they take at least {least:,}",
        )
    return told


def _why(row: Checkpoint) -> str:
    return f"its makers' checkpoint has MLPs filled up to {row.inner:,}"


def _changed(architecture: Architecture, row: Checkpoint) -> Architecture:
    blocks: dict[str, Block] = dict(architecture.blocks)
    for name, block in blocks.items():
        if isinstance(block.mlp, GatedMlp):
            wide = block.mlp.model_copy(update={"inner": row.inner})
            blocks[name] = block.model_copy(update={"mlp": wide})
    fields = {name: getattr(architecture, name) for name in Architecture.model_fields}
    return Architecture(**fields | {"blocks": blocks})
