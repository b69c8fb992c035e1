"""The rows of serving engines, and what of them changed from release to release."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field, PositiveFloat, PositiveInt

from estimator.breakdown import Basis
from estimator.engine_versions import EngineVersion, Span
from estimator.rows import Id, Sources
from estimator.tensors import Count, Row


class EngineKind(StrEnum):
    """Which code says what an engine holds."""

    TRANSFORMERS = "transformers"
    AUTOAWQ = "autoawq"  # its fused modules
    GPT_FAST = "gpt_fast"  # torchao's loop
    LITGPT = "litgpt"
    PAGED = "paged"  # a cache in pages, beside a profile of the widest step
    GGML = "ggml"  # buffers for model, cache and graph, planned before the first token
    EXLLAMA = "exllama"
    MLX = "mlx"


class Change(Row):
    """What an engine does otherwise since a month, `2025-07`; of a `fork`, what it has."""

    id: Id
    since: str = Field(pattern=r"^\d{4}-\d{2}$")
    fork: str = ""
    source: Id


class Engine(Row):
    """What a serving engine adds to weights and cache; bytes where measured, else none.

    `page_tokens`: tokens of a cache page. `prefill_tokens`: tokens of one prefill chunk
    (none: the whole prompt at once). `utilisation`: share of the card it reserves by default.
    `cannot_run`, `cannot_cache`: formats of weights and types of a cache that it is known
    not to hold; what is not listed is not refused. `whole_heads`: tensor parallelism
    must divide the attention heads. `runtime_several`: the same of each of several cards.
    `versions`: oldest first, where they are told apart.

    Of loops in PyTorch: `unpacks`: bytes an element of a matrix of that type which is
    written out to be multiplied, from so many tokens on (`unpacks_from`, 2 unless it says
    more), and `unpacked_in_buffer` where it is into a buffer that stays. `packs_head`: the
    head too is packed. `changes`: by release, of engines whose versions matter.
    """

    id: Id
    kind: EngineKind
    aliases: tuple[str, ...] = ()
    page_tokens: PositiveInt = 1
    prefill_tokens: PositiveInt | None = None
    runtime_low_mib: Count
    runtime_mib: Count
    runtime_high_mib: Count
    runtime_basis: Basis = Basis.ASSUMED
    runtime_several: Span | None = None
    utilisation: PositiveFloat | None = None
    cannot_run: tuple[Id, ...] = ()
    cannot_cache: tuple[Id, ...] = ()
    whole_heads: bool = False
    unpacks: Mapping[str, PositiveInt] = {}
    unpacks_from: Mapping[str, PositiveInt] = {}
    unpacked_in_buffer: Mapping[str, PositiveInt] = {}
    packs_head: bool = False
    versions: tuple[EngineVersion, ...] = ()
    changes: tuple[Change, ...] = ()
    sources: Sources
