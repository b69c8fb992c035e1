"""ExLlamaV2: packed weights, a scratch to unpack matrices into, a cache made beforehand.

The embedding stays in the host's memory. A prompt is read in chunks of `max_input_len`.
"""

from estimator.breakdown import Line, Moment, MomentName, moment
from estimator.engines.rank_weights import rank_weights
from estimator.memory.exllama import chunk_states, sampled_logits, scratch, unpacked_layer
from estimator.memory.kv_cache import kv_cache
from estimator.memory.overhead import engine_runtime
from estimator.setup import ServeSetup

CHUNK = 2048  # max_input_len


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, a chunk of a prompt, and a token of each sequence."""
    shape, page = setup.shape.architecture, setup.engine.page_tokens
    chunk = setup.engine.prefill_tokens or CHUNK
    held = (
        *rank_weights(setup, tables=False),
        scratch(shape, chunk),
    )
    cache = kv_cache(
        shape,
        context=setup.context,
        users=setup.users,
        key_dtype=setup.kv_k,
        value_dtype=setup.kv_v,
        page_tokens=page,
        windows=False,
        expands_latents=True,
    )
    cells = setup.users * -(-setup.context // page) * page
    widest = max((m.expanded for _, b in shape.stack for m in b.mixers), key=sum)
    kept = (
        None if cache is None else cache.divided(setup.split.tp),
        unpacked_layer(widest, cells, setup.kv_k, setup.kv_v),
        engine_runtime(setup.engine),
    )
    running: tuple[Line | None, ...] = (*held, *kept, sampled_logits(setup.users, shape.vocabulary))
    read = min(chunk, setup.users * setup.prompt)
    return (
        moment(MomentName.LOAD, *held),
        moment(MomentName.PREFILL, *running, chunk_states(shape, read)),
        moment(MomentName.DECODE, *running, chunk_states(shape, setup.users)),
    )
