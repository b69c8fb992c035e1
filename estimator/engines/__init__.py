"""Serving engines: one file a kind, its constants in rows of `engines.toml`.

Each says which lines are held at load, in the prefill of a prompt and while decoding.
"""

from typing import assert_never

from estimator.breakdown import Moment
from estimator.engine_rows import EngineKind
from estimator.engines import (
    autoawq,
    exllama,
    ggml,
    gpt_fast,
    litgpt,
    mlx,
    paged,
    transformers,
)
from estimator.engines.alongside import beside
from estimator.setup import ServeSetup


def moments_of(setup: ServeSetup) -> tuple[Moment, ...]:
    """The moments of one card under the engine that was named, drafts and adapters among them."""
    own = _of_engine(setup)
    return own if setup.engine.kind is EngineKind.PAGED else beside(setup, own)


def _of_engine(setup: ServeSetup) -> tuple[Moment, ...]:
    """Of the model alone; engines with pages count drafts and adapters themselves."""
    match setup.engine.kind:
        case EngineKind.TRANSFORMERS:
            return transformers.moments(setup)
        case EngineKind.AUTOAWQ:
            return autoawq.moments(setup)
        case EngineKind.GPT_FAST:
            return gpt_fast.moments(setup)
        case EngineKind.LITGPT:
            return litgpt.moments(setup)
        case EngineKind.PAGED:
            return paged.moments(setup)
        case EngineKind.GGML:
            return ggml.moments(setup)
        case EngineKind.EXLLAMA:
            return exllama.moments(setup)
        case EngineKind.MLX:
            return mlx.moments(setup)
    assert_never(setup.engine.kind)
