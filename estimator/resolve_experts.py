"""Models whose makers publish them packed: what of that stays so in another format."""

from dataclasses import replace

from estimator.catalog import Catalog
from estimator.engine_rows import Engine, EngineKind
from estimator.request import ServeRequest
from estimator.resolve import Ledger
from estimator.setup import Numbers
from estimator.sizes import parse_size

MXFP4 = ("mxfp4", "mxfp4_experts")
MXFP4_TYPE = "mxfp4"
MXFP4_FILE = "gguf:MXFP4_MOE"


def published_as(request: ServeRequest, catalog: Catalog) -> tuple[str | None, str]:
    """The format of the makers' checkpoint, where it is packed, and who says so."""
    if request.architecture is not None or request.model is None or parse_size(request.model):
        return None, ""
    row = catalog.models.get(request.model)
    return (None, "") if row is None else (row.published, row.sources[-1])


def keeps_experts(
    numbers: Numbers, request: ServeRequest, engine: Engine, catalog: Catalog, ledger: Ledger
) -> Numbers:
    """`numbers` with experts in MXFP4 where the makers publish them so and the file is a GGUF.

    llama.cpp's conversion stores such experts as they are, and its quantiser leaves them be
    whatever recipe is named, so every published file of gpt-oss has them: its `Q8_0` is no
    larger than its `MXFP4_MOE`.
    """
    published = published_as(request, catalog)[0]
    if published not in MXFP4 or engine.kind is not EngineKind.GGML:
        return numbers
    if numbers.expert.id == MXFP4_TYPE:
        return numbers
    ledger.warn(
        f"{request.model}: experts stay in MXFP4, as published; `{numbers.format.id}` is what "
        "the other tensors are held in."
    )
    return replace(numbers, expert=catalog.dtypes.find(MXFP4_TYPE))
