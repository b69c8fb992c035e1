"""What any engine holds beside the model that it serves: a draft model, adapters."""

from dataclasses import replace

from estimator.breakdown import Line, Moment, MomentName, moment
from estimator.engine_rows import EngineKind
from estimator.memory.kv_cache import kv_cache
from estimator.memory.recurrent_state import recurrent_state
from estimator.memory.served_loras import served_loras
from estimator.memory.weights import weights
from estimator.setup import Companion, ServeSetup

Lines = tuple[Line, ...]


def alongside(setup: ServeSetup) -> tuple[Lines, Lines]:
    """Lines that are loaded with the model, and those that grow with its cache."""
    loaded: list[Line] = []
    cached: list[Line] = []
    if setup.loras is not None:
        adapters = served_loras(
            setup.shape.architecture,
            count=setup.loras.count,
            rank=setup.loras.rank,
            dtype=setup.loras.dtype,
            cards=setup.split.tp,
            slots=setup.engine.kind is EngineKind.PAGED,
        )
        whole = setup.engine.kind is EngineKind.GGML  # whose model is not cut into stages here
        loaded.append(adapters.divided(setup.split.stages if whole else 1))
    if setup.draft is not None:
        held = weights(setup.draft.shape.architecture, setup.draft.numbers, _cards(setup))
        loaded += [replace(line, key=f"draft_{line.key}") for line in held]
        cached += [replace(line, key=f"draft_{line.key}") for line in _cache(setup, setup.draft)]
    return tuple(loaded), tuple(cached)


def beside(setup: ServeSetup, moments: tuple[Moment, ...]) -> tuple[Moment, ...]:
    """An engine's own moments, with what it holds beside the model."""
    loaded, cached = alongside(setup)
    if not loaded and not cached:
        return moments
    return tuple(
        moment(one.name, *one.lines, *loaded, *(() if one.name is MomentName.LOAD else cached))
        for one in moments
    )


def _cards(setup: ServeSetup) -> int:
    """Over how many cards a draft is divided: a server has all of it on those of the head."""
    paged = setup.engine.kind is EngineKind.PAGED
    return setup.split.tp if paged else setup.split.tp * setup.split.stages


def _cache(setup: ServeSetup, draft: Companion) -> Lines:
    """The draft's own cache: as many users, as long a context, in the same types."""
    architecture = draft.shape.architecture
    cache = kv_cache(
        architecture,
        context=setup.context,
        users=setup.users,
        key_dtype=setup.kv_k,
        value_dtype=setup.kv_v,
        page_tokens=setup.engine.page_tokens,
        windows=setup.engine.kind is EngineKind.PAGED,
        expands_latents=setup.engine.kind is EngineKind.TRANSFORMERS,
    )
    state = recurrent_state(
        architecture, users=setup.users, compute_bytes=draft.numbers.compute.bytes_per_block
    )
    return tuple(line.divided(_cards(setup)) for line in (cache, state) if line is not None)
