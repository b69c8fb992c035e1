"""The rows of serving engines, and what of them changed from release to release."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field, PositiveFloat, PositiveInt

from estimator.breakdown import Basis
from estimator.engine_versions import EngineVersion, Span
from estimator.rows import Id, Sources
from estimator.tensors import Count, Role, Row
from estimator.words import SplitKind

GGUF = "gguf"  # stands for all of its types


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
    `whole_heads`: tensor parallelism must divide the attention heads. `runtime_several`: the
    same of each of several cards. `versions`: oldest first, where they are told apart.

    `runs`: formats that it runs, `gguf` for all of those; of them, `until`: (a version, what
    was dropped in it), and `least`: compute capability that a format needs. `usual`: what it
    is run with unless another is named, of `usual_bpw` bits. `caches`: types of a cache beside
    the one computed in; of a fork too, `fork_caches`; `least_caches`: as `least`. `vendors`:
    whose cards; none: any. `mixers`: kinds of attention and states that its models have; none:
    any. `decoders`: none but those.

    `splits`: in which ways it spreads one copy over cards; with tensors divided, it also cuts
    `divided_tables` by words, whose number is padded to a multiple of `padded_words`.

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
    runs: tuple[Id, ...] = Field(min_length=1)
    until: tuple[tuple[Id, ...], ...] = ()
    least: Mapping[str, Id] = {}
    usual: Id | None = None
    usual_bpw: PositiveFloat | None = None
    caches: tuple[Id, ...] = ()
    least_caches: Mapping[str, Id] = {}
    fork_caches: Mapping[str, tuple[Id, ...]] = {}
    vendors: tuple[str, ...] = ()
    mixers: tuple[str, ...] = ()
    decoders: bool = False
    whole_heads: bool = False
    splits: tuple[SplitKind, ...] = ()
    divided_tables: tuple[Role, ...] = ()
    padded_words: PositiveInt = 1
    unpacks: Mapping[str, PositiveInt] = {}
    unpacks_from: Mapping[str, PositiveInt] = {}
    unpacked_in_buffer: Mapping[str, PositiveInt] = {}
    packs_head: bool = False
    versions: tuple[EngineVersion, ...] = ()
    changes: tuple[Change, ...] = ()
    sources: Sources

    def runs_format(self, name: str) -> bool:
        """Whether some release of it runs the format `name`."""
        return (GGUF if name.startswith(f"{GGUF}:") else name) in self.runs

    def dropped(self, name: str) -> str | None:
        """The version from which on it no longer runs the format; none where it still does."""
        return next((version for version, *names in self.until if name in names), None)
