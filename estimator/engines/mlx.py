"""mlx-lm on Apple's unified memory: everything lies in what Metal lets a program have wired.

A prompt is read in chunks, of which only the cache is evaluated, so that only its last token
gets logits. The cache grows in steps of 256 tokens. Sliding layers of a mixed model keep
their window, and a chunk beside it while they read one.
"""

from estimator.breakdown import Line, Moment, MomentName, moment
from estimator.engines.rank_weights import rank_weights
from estimator.memory.kv_cache import kv_cache
from estimator.memory.mlx_cache import grown_layer
from estimator.memory.overhead import engine_runtime
from estimator.memory.prefill import pass_activations, serving_logits
from estimator.memory.recurrent_state import recurrent_state
from estimator.setup import ServeSetup

CHUNK = 2048  # prefill_step_size


def moments(setup: ServeSetup) -> tuple[Moment, ...]:
    """Load, a chunk of a prompt, and a token of each sequence."""
    shape, compute = setup.shape.architecture, setup.numbers.compute.bytes_per_block
    held = rank_weights(setup)
    mixed = len({block.attention.window for _, block in shape.stack}) > 1
    cache = kv_cache(
        shape,
        context=setup.context,
        users=setup.users,
        key_dtype=setup.kv_k,
        value_dtype=setup.kv_v,
        page_tokens=setup.engine.page_tokens,
        windows=mixed,
        expands_latents=False,
    )
    state = recurrent_state(shape, users=setup.users, compute_bytes=compute)
    widest = max((m.cached for _, b in shape.stack for m in b.mixers), key=sum)
    kept: tuple[Line | None, ...] = (
        *(None if line is None else line.divided(setup.split.tp) for line in (cache, state)),
        grown_layer(widest, setup.users, setup.context, setup.kv_k, setup.kv_v),
        serving_logits(setup.users, shape.vocabulary, compute) if shape.head else None,
        engine_runtime(setup.engine),
    )
    read = setup.users * min(setup.engine.prefill_tokens or CHUNK, setup.prompt)

    def states(tokens: int) -> Line:
        return pass_activations(
            shape,
            tokens=tokens,
            compute_bytes=compute,
            attention=setup.attention,
            context=setup.context,
        )

    return (
        moment(MomentName.LOAD, *held),
        moment(MomentName.PREFILL, *held, *kept, states(read)),
        moment(MomentName.DECODE, *held, *kept, states(setup.users)),
    )
