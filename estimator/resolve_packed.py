"""What a model's own checkpoint says of its packing, where a question names no format."""

from collections.abc import Mapping
from typing import Any

from estimator.catalog import Catalog
from estimator.packing import Packing, packing_of
from estimator.request import ServeRequest, TrainRequest
from estimator.sizes import parse_size

# Packed bases that PEFT puts adapters on as they are. FP8 and MXFP4 are unpacked to be trained.
ADAPTED_PACKED = (
    *("nf4", "nf4_dq", "fp4", "fp4_dq", "int8", "gptq8", "gptq4", "gptq3", "gptq2", "awq4"),
    *("hqq8", "hqq4", "hqq2"),
)


def packed_as(request: TrainRequest | ServeRequest, catalog: Catalog) -> Packing | None:
    """How the checkpoint of the model that is named, or the config.json, is packed."""
    config: Mapping[str, Any] | None = request.architecture
    if config is not None:
        return packing_of(config)
    if request.model is None or parse_size(request.model):
        return None
    row = catalog.models.get(request.model)
    if row is None or row.published is None:
        return None
    return Packing("published", row.published, row.published_group)


def adapted_packed(request: TrainRequest, catalog: Catalog) -> str | None:
    """The packed format that adapters are trained on, since the checkpoint is in it."""
    packing = packed_as(request, catalog)
    return packing.format if packing and packing.format in ADAPTED_PACKED else None
