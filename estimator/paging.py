"""How a server with a cache in pages was started, and the adapters that it serves."""

from dataclasses import dataclass

from estimator.engine_versions import EngineVersion
from estimator.rows import Dtype


@dataclass(frozen=True, slots=True)
class Paging:
    """Settings of a server with a cache in pages. Counts are tokens, but `sequences` at once.

    `version`: none where the engine's versions are not told apart. `step_tokens`: of the widest
    step; `longest`: one request. `share`: of the card, where one was named. `graphs`: steps are
    captured as CUDA graphs.
    """

    version: EngineVersion | None
    step_tokens: int
    sequences: int
    longest: int
    share: float | None
    graphs: bool


@dataclass(frozen=True, slots=True)
class Loras:
    """Adapters served beside a model: so many on the card at once, each of `rank`."""

    count: int
    rank: int
    dtype: Dtype
